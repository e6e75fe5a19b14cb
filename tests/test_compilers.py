"""One source for every compiler: the kernel compiles with Clang, its benchmark here; for ARM, see test_emulated.py."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from goofspiel.games.fast import kernels

ROOT = Path(__file__).parent.parent


RECIPE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
BUILDS = dict(re.findall(r"^\s*add_kernel\((\w+)\s*(.*?)\)", RECIPE, re.MULTILINE))  # flags by name


def kernel_flags() -> list[str]:
    """What every build of the kernel is compiled with; the flags of an instruction set come after it."""
    everywhere, elsewhere = re.findall(r"KERNEL_OPTIONS\s((?:\s*-\S+)+)\)", RECIPE)  # and but on Windows
    return [*everywhere.split(), *elsewhere.split()]


@pytest.mark.parametrize("source", ["kernel.cpp", "batch.cpp"])
def test_the_portable_kernel_compiles(tmp_path: Path, source: str) -> None:
    compiler = "clang++"
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    flags = ["-std=c++17", *kernel_flags(), "-Werror", "-DGOOFSPIEL_VARIANT=portable"]
    built = tmp_path / "kernel.o"
    done = subprocess.run(
        [compiler, *flags, "-c", ROOT / "native" / source, "-o", built],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert built.stat().st_size > 0


@pytest.mark.parametrize("build", kernels())
def test_the_driver_of_the_phases_is_in_step_with_the_kernel(build: str) -> None:
    compiler = shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler here")
    flags = ["-std=c++17", *kernel_flags(), *BUILDS[build].split(), "-Werror", f"-DGOOFSPIEL_VARIANT={build}"]
    source = ROOT / "benchmarks" / "phases.cpp"
    command = [compiler, *flags, f"-I{ROOT / 'native'}", "-fsyntax-only", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
