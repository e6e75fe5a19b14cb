"""What a process may use: the memory of its container and its limit of addresses count as the machine's memory."""

import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import COMMAND, PATIENCE

from goofspiel.cli import main
from goofspiel.solver import resources
from goofspiel.solver.resources import available_memory

MIB = 1 << 20
MACHINE = 4096 * MIB
NO_LIMIT = 9223372036854771712  # as version 1 writes it

Files = dict[str, int | str]  # below the folder of groups, by name
Machine = Callable[[str, Files], int]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A function: a machine with 4 GiB of free memory, this process in groups, and files below the folder of groups."""

    def make(membership: str, files: Files) -> int:
        (tmp_path / "meminfo").write_text(f"MemTotal: 9999999 kB\nMemAvailable: {MACHINE >> 10} kB\n")
        (tmp_path / "membership").write_text(membership)
        for name, content in files.items():
            file = tmp_path / "cgroup" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{content}\n")
        monkeypatch.setattr(resources, "MEMORY", tmp_path / "meminfo")
        monkeypatch.setattr(resources, "MEMBERSHIP", tmp_path / "membership")
        monkeypatch.setattr(resources, "CGROUPS", tmp_path / "cgroup")
        return available_memory()

    return make


def v2(folder: str, limit: int | str, used: int, cache: int = 0) -> Files:
    stat = f"anon {used - cache}\nfile {cache}\ninactive_file {cache}"
    values: Files = {"memory.max": limit, "memory.current": used, "memory.stat": stat}
    return {f"{folder}{name}": value for name, value in values.items()}


def v1(folder: str, limit: int, used: int, cache: int = 0) -> Files:
    stat = f"cache {cache}\ninactive_file 0\ntotal_inactive_file {cache}"
    values: Files = {"memory.limit_in_bytes": limit, "memory.usage_in_bytes": used, "memory.stat": stat}
    return {f"memory/{folder}{name}": value for name, value in values.items()}


V2, V1 = "0::{}\n", "5:cpu,cpuacct:/elsewhere\n4:memory:{}\n1:name=systemd:/\n"


@pytest.mark.parametrize(
    ("membership", "files", "free"),
    [
        pytest.param(V2.format("/"), {"cgroup.controllers": "memory"}, 4096, id="v2, no limit"),
        pytest.param(V2.format("/"), {"cgroup.controllers": "memory", **v2("", 350 * MIB, 50 * MIB)}, 300, id="v2"),
        pytest.param(
            V2.format("/"),
            {"cgroup.controllers": "memory", **v2("", 350 * MIB, 340 * MIB, 290 * MIB)},
            300,
            id="v2, cache",
        ),
        pytest.param(V2.format("/"), {"cgroup.controllers": "memory", **v2("", "max", 50 * MIB)}, 4096, id="v2, max"),
        pytest.param(
            V2.format("/a/b"),
            {"cgroup.controllers": "", **v2("a/b/", "max", 20 * MIB), **v2("a/", 200 * MIB, 100 * MIB)},
            100,
            id="v2, the group around it",
        ),
        pytest.param(
            V2.format("/a/b"),
            {"cgroup.controllers": "", **v2("a/b/", 90 * MIB, 20 * MIB), **v2("a/", 200 * MIB, 100 * MIB)},
            70,
            id="v2, the inner group",
        ),
        pytest.param(
            V2.format("/docker/of-the-host"),
            {"cgroup.controllers": "", **v2("", 350 * MIB, 50 * MIB)},
            300,
            id="v2, seen from inside",
        ),
        pytest.param(
            V2.format("/../x"), {"cgroup.controllers": "", **v2("", 350 * MIB, 50 * MIB)}, 300, id="v2, outside"
        ),
        pytest.param(V2.format("/a"), {"cgroup.controllers": "", **v2("a/", 100, 50 * MIB)}, 0, id="v2, beyond"),
        pytest.param(V2.format("/a"), {"cgroup.controllers": "", **v2("a/", "?", 50 * MIB)}, 4096, id="v2, no number"),
        pytest.param(V1.format("/"), v1("", NO_LIMIT, 50 * MIB), 4096, id="v1, no limit"),
        pytest.param(V1.format("/"), v1("", 350 * MIB, 50 * MIB), 300, id="v1"),
        pytest.param(V1.format("/"), v1("", 350 * MIB, 340 * MIB, 290 * MIB), 300, id="v1, cache"),
        pytest.param(
            V1.format("/a/b") + V2.format("/"),
            v1("a/b/", NO_LIMIT, 20 * MIB) | v1("a/", 200 * MIB, 100 * MIB) | v1("", NO_LIMIT, 900 * MIB),
            100,
            id="v1, the group around it, beside v2",
        ),
        pytest.param(V1.format("/") + V2.format("/a"), v2("unified/a/", 350 * MIB, 50 * MIB), 300, id="v2 beside v1"),
        pytest.param("", {}, 4096, id="no groups"),
    ],
)
def test_the_memory_of_a_container_counts(machine: Machine, membership: str, files: Files, free: int) -> None:
    assert machine(membership, files) == free * MIB * 9 // 10


def limited(kilobytes: int, *arguments: object, store: Path) -> subprocess.CompletedProcess[str]:
    """The command under `ulimit -v`."""
    limit = kilobytes << 10
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        env={**os.environ, "GOOFSPIEL_STORE": str(store)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("kilobytes", [400_000, 150_000, 115_000, 100_000, 50_000])
def test_too_little_memory_is_said_in_one_line_before_the_work(tmp_path: Path, kilobytes: int) -> None:
    done = limited(kilobytes, "solve", 12, store=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "memory" in done.stderr.lower()
    assert not list(tmp_path.rglob("c"))  # no block was begun
    if kilobytes == 400_000:
        assert done.stderr.startswith("goofspiel: 12 cards on ")
        assert done.stderr.endswith("may be used\n")


def test_solve_12_in_a_small_container_says_so_before_the_work(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(V2.format("/"), {"cgroup.controllers": "", **v2("", 350 * MIB, 50 * MIB)})
    assert main(["solve", "12", "--quiet", "--threads", "2", "--store", str(tmp_path / "store")]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "need 513.9 MiB of memory, 270.0 MiB may be used" in err


@pytest.mark.parametrize("error", [MemoryError("Unable to allocate 7 GiB for an array"), MemoryError()])
def test_no_memory_anywhere_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: MemoryError
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise error

    monkeypatch.setattr("goofspiel.solver.solve", fail)
    assert main(["solve", "4"]) == 1
    said = str(error) or "MemoryError"
    assert capsys.readouterr().err == (
        f"goofspiel: not enough memory: {said}; what helps: a smaller --memory, fewer --threads\n"
    )


def test_other_errors_are_not_taken_for_a_lack_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("goofspiel.solver.solve", fail)
    with pytest.raises(RuntimeError, match="of ours"):
        main(["solve", "4"])


def test_this_machine() -> None:
    """The real files are read as they are, whatever they are."""
    assert 0 < available_memory() < 1 << 60
