"""The container file, where no engine runs: its commands are started here, and its checks asked."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILE = (ROOT / "container" / "Containerfile").read_text(encoding="utf-8")
SECONDS = 120  # for a start on a busy machine


def stage(name: str) -> str:
    """The lines of one image, those that continue joined."""
    (lines,) = re.findall(
        rf"^FROM \S+ AS {name}\n(.*?)(?=^FROM |\Z)", FILE.replace("\\\n#", ""), re.MULTILINE | re.DOTALL
    )
    return str(lines)


def words(name: str, instruction: str) -> list[str]:
    """The command of an instruction, run by the programs of this environment."""
    (listed,) = re.findall(rf"^{instruction}\b[^\[\n]*(\[.*\])$", stage(name), re.MULTILINE)
    program, *rest = json.loads(listed)
    return [str(Path(sys.executable).with_name(program)), *rest]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def running(command: list[str], store: Path) -> Iterator["subprocess.Popen[str]"]:
    """A container's process: nothing of the environment of the tests, a store, and a folder for what is not kept."""
    environment = {
        "GOOFSPIEL_STORE": str(store),
        "PATH": os.environ["PATH"],
        "TMPDIR": str(store),
        "HOME": "/nonexistent",
    }
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=SECONDS)


def becomes_healthy(check: list[str], process: "subprocess.Popen[str]") -> bool:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        if subprocess.run(check, capture_output=True, check=False).returncode == 0:
            return True
        time.sleep(0.5)
    return False


def test_the_page(tmp_path: Path) -> None:
    port = str(free_port())
    check = [word.replace("8000", port) for word in words("page", "HEALTHCHECK")]
    assert subprocess.run(check, capture_output=True, check=False).returncode != 0  # nobody is there
    with running([port if word == "8000" else word for word in words("page", "ENTRYPOINT")], tmp_path) as process:
        assert becomes_healthy(check, process)


def test_a_worker(tmp_path: Path) -> None:
    if not Path(sys.executable).with_name("dask").exists():
        pytest.skip("no Dask here")
    port, health = free_port(), str(free_port())
    scheduler = [str(Path(sys.executable).with_name("dask")), "scheduler", "--host", "127.0.0.1", "--port", str(port)]
    check = [word.replace("8790", health) for word in words("worker", "HEALTHCHECK")]
    entry = [word.replace("8790", health) for word in words("worker", "ENTRYPOINT")]
    entry = [str(tmp_path) if word == "/tmp" else word for word in entry]
    with (
        running([*scheduler, "--no-dashboard"], tmp_path),
        running([*entry, f"tcp://127.0.0.1:{port}", "--host", "127.0.0.1"], tmp_path) as worker,
    ):
        assert becomes_healthy(check, worker)


def test_what_is_copied_suffices_to_build(tmp_path: Path) -> None:
    """All that the build reads is let into the image."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    for name in kept:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    recipe = (tmp_path / "CMakeLists.txt").read_text(encoding="utf-8")
    assert all((tmp_path / source).exists() for source in re.findall(r"native/\w+\.cpp", recipe))
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    fragments = project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["fragments"]
    needed = [*project["project"]["license-files"], *project["tool"]["scikit-build"]["wheel"]["packages"]]
    needed += [fragment["path"] for fragment in fragments]
    needed += [part["input"] for part in project["tool"]["scikit-build"]["metadata"].values() if "input" in part]
    assert all((tmp_path / name).exists() for name in needed)


def test_it_runs_as_nobody_in_particular() -> None:
    assert re.search(r"^USER 65532:65532$", stage("base"), re.MULTILINE)
    assert all("USER" not in stage(name) for name in ("page", "worker"))
