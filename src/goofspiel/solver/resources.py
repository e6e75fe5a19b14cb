"""What this machine has, and what this process has used of it."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from goofspiel.errors import OptionError, whole
from goofspiel.system import address_limit, c_function, installed_memory, most_resident

STATUS, MEMORY = Path("/proc/self/status"), Path("/proc/meminfo")
MEMBERSHIP, CGROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")  # the groups of this process; their folders
UNLIMITED = 1 << 60  # bytes; version 1 writes numbers beyond it when there is no limit
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
KEPT_BYTES, MAPPED_BYTES = 256 << 20, 32 << 20  # what is freed and kept; what is never kept, since it is large


def available_threads() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_for(threads: int | None) -> int:
    """How many threads are to work: so many, or as many as there are cores."""
    if threads is None:
        return available_threads()
    if (wanted := whole(threads, "threads")) < 1:
        raise OptionError(f"threads must be 1 or more, not {threads}")
    return wanted


def memory_for(memory: int | None) -> int:
    """How many bytes may be used: so many, or most of what is free."""
    if memory is None:
        return available_memory()
    if (wanted := whole(memory, "memory")) < 1:
        raise OptionError(f"memory is a number of bytes, 1 or more, not {memory}")
    return wanted


def available_memory() -> int:
    """Most of the memory that is free, in bytes: of the machine, of the container, and of the limit `ulimit -v`."""
    free = _kilobytes(MEMORY, "MemAvailable")
    machine = free << 10 if free else installed_memory()
    return max(0, min([machine, *_free_in_groups(), *_free_addresses()])) * 9 // 10


def _free_addresses() -> Iterator[int]:
    """What `ulimit -v` leaves, if it is set."""
    if (most := address_limit()) is not None:
        yield most - ((_kilobytes(STATUS, "VmSize") or 0) << 10)


def _free_in_groups() -> Iterator[int]:
    """What each control group that this process is in leaves it, such as that of a container."""
    try:
        lines = MEMBERSHIP.read_text(encoding="utf-8").splitlines()
    except OSError:
        return  # not Linux
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:  # version 2, which may be mounted beside version 1
            root = CGROUPS if (CGROUPS / "cgroup.controllers").exists() else CGROUPS / "unified"
            names = "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root = CGROUPS / "memory"
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        for folder in _folders(root, group):
            if (free := _free_in_group(folder, *names)) is not None:
                yield free


def _folders(root: Path, group: str) -> Iterator[Path]:
    """The folders of a group and of those around it. In a container the root may be the group itself."""
    inside = PurePosixPath(group).relative_to("/")
    if ".." in inside.parts or not (root / inside).is_dir():
        inside = PurePosixPath()
    yield from (root / part for part in (inside, *inside.parents))


def _free_in_group(folder: Path, limit: str, used: str, cache: str) -> int | None:
    """The limit less what is used; files that are only remembered are given up when memory is needed."""
    try:
        most = (folder / limit).read_text(encoding="ascii").strip()
        if most == "max" or int(most) >= UNLIMITED:
            return None
        fields = dict(line.split() for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines())
        return int(most) - int((folder / used).read_text(encoding="ascii")) + int(fields.get(cache, 0))
    except (OSError, ValueError):
        return None  # the root has no limit, and other systems have other files


def peak_memory() -> int:
    """The most memory that this process has used so far, in bytes."""
    # What getrusage tells includes the process that started this one, if that was larger.
    used = _kilobytes(STATUS, "VmHWM")
    return used << 10 if used else most_resident()


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
    if change := c_function("mallopt"):
        change(_M_TRIM_THRESHOLD, KEPT_BYTES)
        change(_M_MMAP_THRESHOLD, MAPPED_BYTES)
