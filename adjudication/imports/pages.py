"""Plain values for the pages of imports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from adjudication.imports.models import Import
from adjudication.imports.queries import waits_for_another
from adjudication.imports.reports import Count
from adjudication.runs.rules import in_words

KILOBYTE, MEGABYTE = 1_000, 1_000_000
DOING = {Import.State.CHECKING: "Reading and comparing", Import.State.IMPORTING: "Storing"}
BADGES: dict[str, str] = {
    Import.State.RECEIVING: "draft",
    Import.State.CHECKING: "running",
    Import.State.READY: "open",
    Import.State.IMPORTING: "running",
    Import.State.DONE: "accepted",
    Import.State.REFUSED: "rejected",
    Import.State.FAILED: "failed",
    Import.State.DISCARDED: "expired",
}
"""The badge that has the shape and tone of each state."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How far the present step of an import is, in words and figures."""

    doing: str
    waits: str
    done: str
    whole: str
    unit: str
    rate: str
    left: str


def standing(one: Any) -> Standing:
    """``one`` is an import with ``now`` beside it, as ``own_import`` gives it."""
    elapsed = (one.now - one.started_at).total_seconds() if one.started_at else 0.0
    rate = one.records / elapsed if elapsed > 0 and one.records else 0.0
    speed = one.bytes_read / elapsed if elapsed > 0 else 0.0
    left = timedelta(seconds=(one.size - one.bytes_read) / speed) if speed else None
    return Standing(
        doing=DOING.get(one.state, ""),
        waits=_waits(one),
        done=in_unit(one.bytes_read, one.size),
        whole=in_unit(one.size, one.size),
        unit=unit_of(one.size),
        rate=f"{rate:,.0f} records per second" if rate else "",
        left=f"about {in_words(left)} left" if left is not None else "",
    )


def _waits(one: Import) -> str:
    if not one.is_working or one.token is not None:
        return ""
    if waits_for_another(one):
        return "It waits for another import into this project to end."
    return "It waits for a worker."


def in_unit(size: int, whole: int) -> str:
    """``size`` as a figure in the unit that suits ``whole``."""
    if whole < KILOBYTE:
        return str(size)
    return f"{size / MEGABYTE:.1f}" if whole >= MEGABYTE else f"{size / KILOBYTE:.1f}"


def unit_of(whole: int) -> str:
    if whole < KILOBYTE:
        return "bytes"
    return "MB" if whole >= MEGABYTE else "KB"


def counts(one: Import) -> list[Count]:
    return [Count(*count) for count in one.counts]


def changes(one: Import) -> bool:
    return any(count.new for count in counts(one))


def kinds(one: Import, chosen: str) -> list[dict[str, Any]]:
    """Tabs over the kinds of problems, the most frequent first."""
    by_code: dict[str, int] = one.problems_by_code
    every = [("", sum(by_code.values())), *sorted(by_code.items(), key=lambda p: (-p[1], p[0]))]
    return [
        {
            "label": code or "All",
            "url": f"?code={code}" if code else "?",
            "current": code == chosen,
            "count": count,
        }
        for code, count in every
    ]
