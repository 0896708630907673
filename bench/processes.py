"""Processor time of other processes, as the system counts it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_of(pids: Iterable[int]) -> float:
    """Seconds of processor time that these processes, all their threads, and their ended
    children have used."""
    return sum(_ticks(pid) for pid in pids) / TICKS


def cpu_under(pid: int) -> float:
    """Seconds that a process and all its children have used, those that ended included."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return cpu_of([pid, *map(int, children)])


def parent_of(pid: int) -> int:
    _, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    return int(rest.split()[1])


def _ticks(pid: int) -> int:
    """The name, in parentheses, may hold anything; what follows it are numbers."""
    _, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    utime, stime, cutime, cstime = rest.split()[11:15]
    return int(utime) + int(stime) + int(cutime) + int(cstime)
