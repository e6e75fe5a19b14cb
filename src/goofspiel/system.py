"""What differs between operating systems: limits of a process, signals, functions of the C library, processes' ends."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]


def address_limit() -> int | None:
    """The bytes that `ulimit -v` allows, if it is set."""
    return None if resource is None else _limit(resource.RLIMIT_AS)


def descriptor_limit() -> int | None:
    """The files and sockets that may be open at once, if that is limited."""
    return None if resource is None else _limit(resource.RLIMIT_NOFILE)


def _limit(which: int) -> int | None:
    most, _ = resource.getrlimit(which)
    return None if most == resource.RLIM_INFINITY else most


def most_resident() -> int:
    """The most memory that this process has had, in bytes; 0 where nobody says."""
    if resource is None:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10  # in bytes there, elsewhere in kilobytes


def installed_memory() -> int:
    """Of the machine, in bytes."""
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _installed_on_windows()


def _installed_on_windows() -> int:
    kilobytes = ctypes.c_ulonglong()
    ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))  # type: ignore[attr-defined]
    return kilobytes.value << 10


def c_function(name: str) -> Callable[..., Any] | None:
    """A function of the C library, where it has one of this name; `ctypes.get_errno` tells its errors."""
    if os.name == "nt":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), name, None)


def sync_folder(folder: Path) -> None:
    """The names in a folder are on the disk; on Windows, where no folder can be opened, that is left to the system."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file_system(folder: Path) -> None:
    """All that was written to the file system of a folder is on the disk, as far as the system can be told."""
    syncfs = c_function("syncfs")
    if syncfs is None:
        getattr(os, "sync", lambda: None)()
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if syncfs(descriptor):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(descriptor)


def end_with_descendants(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process that leads a session, and those that it started; elsewhere only the process."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def ending(code: int) -> str:
    """How a process ended."""
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
