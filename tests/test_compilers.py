"""One source for every compiler: the kernel compiles without a warning for ARM, and with Clang."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def kernel_flags() -> list[str]:
    """What every build of the kernel is compiled with; the flags of an instruction set come after it."""
    (flags,) = re.findall(r"^ *(-O3 .*) \$\{ARGN\}", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    return str(flags).split()


# Optimised a little for ARM: as much as in an installation would take a minute.
@pytest.mark.parametrize(("compiler", "level"), [("aarch64-linux-gnu-g++", "-O1"), ("clang++", "-O3")])
def test_the_portable_kernel_compiles(tmp_path: Path, compiler: str, level: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    flags = ["-std=c++17", *kernel_flags(), level, "-Werror", "-DGOOFSPIEL_VARIANT=portable"]
    built = tmp_path / "kernel.o"
    done = subprocess.run(
        [compiler, *flags, "-c", ROOT / "native" / "kernel.cpp", "-o", built],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert built.stat().st_size > 0
