"""What this machine has, and what this process has used of it."""

import os
import resource
from pathlib import Path

STATUS, MEMORY = Path("/proc/self/status"), Path("/proc/meminfo")
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
KEPT_BYTES, MAPPED_BYTES = 256 << 20, 32 << 20  # what is freed and kept; what is never kept, since it is large


def available_threads() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory() -> int:
    """Most of the memory that is free, in bytes."""
    free = _kilobytes(MEMORY, "MemAvailable")
    return (free << 10 if free else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) * 9 // 10


def peak_memory() -> int:
    """The most memory that this process has used so far, in bytes."""
    # What getrusage tells includes the process that started this one, if that was larger.
    used = _kilobytes(STATUS, "VmHWM")
    return (used or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) << 10


def _kilobytes(file: Path, name: str) -> int | None:
    try:
        fields = dict(line.split(":", 1) for line in file.read_text(encoding="ascii").splitlines())
        return int(fields[name].split()[0])
    except (OSError, KeyError):
        return None  # not Linux


def keep_freed_memory() -> None:
    """Have the C library of GNU keep what is freed, up to some memory, for what comes next.

    Workers of Dask are told to give it back at once; then the system has to clear it again for every slice.
    """
    import ctypes

    change = getattr(ctypes.CDLL(None), "mallopt", None)
    if change:
        change(_M_TRIM_THRESHOLD, KEPT_BYTES)
        change(_M_MMAP_THRESHOLD, MAPPED_BYTES)
