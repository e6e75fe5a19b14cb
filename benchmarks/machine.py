"""Where something is measured, and a whole command that is timed."""

import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

BUSY = 1.0  # load average


def machine(packages: Sequence[str]) -> dict[str, Any]:
    """Where this runs, and with what; it says so when something else does too."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor() or platform.machine()
    load = os.getloadavg()[0]
    if load > BUSY:
        print(f"this machine is busy, load average {load:.1f}", file=sys.stderr)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_average": load,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages if find_spec(name)},
    }


def versions(here: dict[str, Any]) -> str:
    """What was installed, for a sentence."""
    return ", ".join(f"{name} {number}" for name, number in here["versions"].items())


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    printed: bytes
    wall_seconds: float
    cpu_seconds: float


def timed(command: Sequence[str]) -> Done:
    """A whole command, from its start to its end."""
    started = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as stream:
        printed = stream.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Done(printed, wall, usage.ru_utime + usage.ru_stime)
