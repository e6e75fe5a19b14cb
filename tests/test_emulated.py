"""The kernel on CPUs that are not here, emulated by qemu, without long doubles, and under sanitizers."""

import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fixtures import Repeats
from levels import solved_levels
from numpy.typing import NDArray
from test_compilers import ROOT, kernel_flags
from test_game_kinds import KINDS

from goofspiel import _kernel
from goofspiel.arrays import Floats
from goofspiel.games import large
from goofspiel.solver.block_solver import RoundWork

GAMES = 100  # of each kind
ROUNDING = (
    1e-13  # by which values may differ, as a share of the largest payoff: other CPUs fuse and order sums otherwise
)
WITHOUT_LONG_DOUBLE = "-DGOOFSPIEL_DOUBLE_DOUBLE"  # as with MSVC and on Apple's ARM
ARM = "aarch64-linux-gnu-g++"
# Faults of memory and of undefined arithmetic; never optimised, which would take longer than the games.
SANITIZED = ["-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
BUILDS = {
    name: ["-UGOOFSPIEL_VARIANT", f"-DGOOFSPIEL_VARIANT={name}", *flags.split()]
    for name, flags in re.findall(r"add_kernel\((avx\w+) (.+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if name in _kernel.kernels()
}  # for the vectors that this CPU has
DRIVERS = {
    "sanitized": ("g++", SANITIZED, []),
    **{f"sanitized {build}": ("g++", [*SANITIZED, *flags], []) for build, flags in BUILDS.items()},
    "ARM without long double": (ARM, ["-static", WITHOUT_LONG_DOUBLE], ["qemu-aarch64"]),
    "ARM": (ARM, ["-static"], ["qemu-aarch64"]),
    "here without long double": ("g++", [WITHOUT_LONG_DOUBLE], []),
}


@pytest.fixture(scope="module", params=DRIVERS)
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, repeats: Repeats) -> list[str]:
    """A command that solves what it reads, optimised in a soak: compiling it then takes half a minute."""
    compiler, flags, emulator = DRIVERS[request.param]
    needed = [compiler, *emulator]
    if missing := [command for command in needed if shutil.which(command) is None]:
        pytest.skip(f"no {' and no '.join(missing)} here")
    if request.param.startswith("sanitized avx") and not repeats(0, 1):
        pytest.skip("takes long to compile: in a soak")
    built = tmp_path_factory.mktemp("driver") / "driver"
    sources = [ROOT / "tests" / "kernel_driver.cpp", ROOT / "native" / "kernel.cpp", ROOT / "native" / "batch.cpp"]
    flags = ["-std=c++17", *kernel_flags(), f"-O{repeats(0, 1)}", "-Werror", "-DGOOFSPIEL_VARIANT=portable", *flags]
    subprocess.run([compiler, *flags, *sources, "-o", built], check=True)
    return [*emulator, str(built)]


def of_one_shape(count: int) -> Iterator[Floats]:
    """Games of every kind, also those whose payoffs lie too far apart for doubles."""
    random = np.random.default_rng(23)
    for make in KINDS.values():
        by_shape: dict[tuple[int, ...], list[Floats]] = {}
        for _ in range(count):
            rows, columns = random.integers(1, 17, size=2)
            matrix = make(random, (int(rows), int(columns)))
            by_shape.setdefault(matrix.shape, []).append(matrix)
        yield from (np.ascontiguousarray(np.stack(alike)) for alike in by_shape.values())


def test_games_of_every_kind(driver: list[str], repeats: Repeats) -> None:
    stacks = list(of_one_shape(repeats(GAMES, 10 * GAMES)))
    asked = b"".join(b"b" + struct.pack("<3q", *stack.shape) + stack.tobytes() for stack in stacks)
    said = subprocess.run(driver, input=asked, stdout=subprocess.PIPE, check=True).stdout
    unproved = unproved_there = alone = at = 0
    for stack in stacks:
        count, rows, columns = stack.shape
        value, gap = np.empty(count), np.empty(count)
        mixes = np.empty((count, rows)), np.empty((count, columns))
        unproved += _kernel.solve_batch(stack, value, *mixes, gap, kernel="portable")[0]
        failures, one_by_one = struct.unpack_from("<2q", said, at)
        numbers = np.frombuffer(said, dtype="<f8", count=count * (2 + rows + columns), offset=at + 16)
        at += 16 + numbers.nbytes
        unproved_there, alone = unproved_there + failures, alone + one_by_one
        both = np.isfinite(value) & np.isfinite(numbers[:count])
        scale = np.abs(stack).max(axis=(1, 2))
        apart = (gap + numbers[-count:]) / 2 + ROUNDING * scale  # what their proofs allow
        assert (np.abs(value - numbers[:count]) <= apart)[both].all()
    assert at == len(said)
    assert alone > 20
    assert unproved_there <= unproved + 1  # plain doubles would leave some 15 times as many


def test_levels_of_the_card_game(driver: list[str]) -> None:
    asked, expected = [], []
    for works, children, _ in solved_levels(6, kernel="portable", dtype="float64"):
        for work in works:
            assert isinstance(work, RoundWork)
            asked.append(_as_bytes(work))
            expected.append(work.values[..., 0])
            assert len(children) == 1
    said = subprocess.run(driver, input=b"".join(asked), stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for values in expected:
        assert struct.unpack_from("<2q", said, at)[0] == 0
        found = np.frombuffer(said, dtype="<f8", count=values.size + 1, offset=at + 16)
        at += 16 + found.nbytes
        assert np.abs(found[:-1].reshape(values.shape) - values).max() <= 21 * ROUNDING  # 21 points are at stake
        assert 0 <= found[-1] <= 21 * ROUNDING
    assert at == len(said)


def _as_bytes(work: RoundWork) -> bytes:
    rows, width = np.ascontiguousarray(work.rows, dtype=np.float64), work.values.shape[1]
    shapes, offsets, codes = work.successors
    arrays: list[NDArray[np.generic]] = [
        rows,
        work.child.astype(np.int32),
        (work.rounds.prize + work.rounds.pot).astype(np.float64),
        work.rounds.row.astype(np.int32),
        work.rounds.weight.astype(np.float64),
        *(shapes, offsets, codes),
        np.array([work.level.space.payoff_bound], dtype=np.float64),
    ]
    head = struct.pack("<6q", *rows.shape[:2], len(work.child), width, len(codes), len(work.values))
    return b"l" + head + b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


DIGEST = """
import hashlib, sys
from levels import solved_levels
from goofspiel import _kernel
from goofspiel.rules import Objective
print(*_kernel.kernels())
for objective in Objective:
    for _, _, values in solved_levels(5, sys.argv[1], objective):
        print(hashlib.sha256(b"".join(band.tobytes() for band in values)).hexdigest())
"""


def digest(kernel: str, emulator: list[str]) -> list[str]:
    """The builds that run there, and the digests of the levels of small games."""
    # OpenBLAS takes an emulated CPU for the one below it.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OPENBLAS_CORETYPE": "Nehalem"}
    command = [*emulator, sys.executable, "-c", DIGEST, kernel]
    return subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("cpu", "runs"), [("Nehalem", ["portable"]), ("Haswell", ["avx2", "portable"])], ids=["without AVX2", "with AVX2"]
)
@pytest.mark.skipif("avx2" not in _kernel.kernels(), reason="another kind of CPU")
def test_the_same_bytes_on_another_cpu(cpu: str, runs: list[str]) -> None:
    """What is chosen there without being told is, bit for bit, what the build of that name finds here."""
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("no qemu-x86_64 here")
    there = digest("", ["qemu-x86_64", "-cpu", cpu])
    assert there[0].split() == runs
    assert there[1:] == digest(runs[0], [])[1:]


def test_numpy_without_long_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that the kernel leaves to NumPy are proved in doubles, too."""
    monkeypatch.setattr(large, "LONG", np.float64)
    for stack in of_one_shape(20):
        for matrix in stack:
            assert large.solve_large(matrix).gap <= 1e-9 * np.abs(matrix).max()
