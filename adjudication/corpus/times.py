"""When something was captured, and how exactly anybody knows. Pure; no database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import models

from adjudication.errors import Refused

UNESTABLISHED = "cannot-be-established"
"""The value of a time that nobody can establish: a statement, not a blank."""


class Precision(models.TextChoices):
    """How exactly a moment is known.

    The moment stored is the latest that it allows: the end of the day, month or year, or the
    time of storing where that is earlier or nothing is established. So "observed before the
    cutoff" errs on the side of leaving a version out.
    """

    MOMENT = "moment", "to the second"
    DAY = "day", "to the day"
    MONTH = "month", "to the month"
    YEAR = "year", "to the year"
    UNESTABLISHED = UNESTABLISHED, "cannot be established"


def ends_before_it_begins(begin: str, end: str) -> bool:
    """Whether an interval certainly does so, at the coarser precision."""
    if not (begin[:1].isdigit() and end[:1].isdigit()):
        return False
    common = min(len(begin), len(end))
    return end[:common] < begin[:common]


_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)Z?")
_KNOWN = {4: Precision.YEAR, 7: Precision.MONTH, 10: Precision.DAY}  # digits of the ISO form
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Observed:
    """A time of capture: ``at`` is the latest moment that ``precision`` allows."""

    at: datetime
    precision: Precision = Precision.MOMENT

    @property
    def is_moment(self) -> bool:
        return self.precision is Precision.MOMENT

    @property
    def is_established(self) -> bool:
        return self.precision is not Precision.UNESTABLISHED

    @property
    def stated(self) -> str:
        """Only as much of the time as is known: "2024", "2024-03", "2024-03-14 09:30 UTC"."""
        at = self.at.astimezone(UTC)
        if self.precision is Precision.UNESTABLISHED:
            return str(self.precision.label)
        if self.precision is Precision.MOMENT:
            return f"{at:%Y-%m-%d %H:%M} UTC"
        digits = next(digits for digits, known in _KNOWN.items() if known is self.precision)
        return at.isoformat()[:digits]

    @property
    def counted_as(self) -> str:
        """The moment that is compared with a cutoff."""
        return f"{self.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def read_observed(value: str, now: datetime) -> Observed:
    """What a person wrote: a moment, day, month, year, or "cannot-be-established", in UTC.

    Raises:
        Refused: none of these, not in the calendar, or wholly later than ``now``.
    """
    if value == UNESTABLISHED:
        return Observed(now, Precision.UNESTABLISHED)
    try:
        begin, end, precision = _extent(value)
    except ValueError as error:
        raise Refused(f"{value} is not in the calendar.") from error
    if begin > now:
        raise Refused("This is in the future.")
    return Observed(min(end, now), precision)


def _extent(value: str) -> tuple[datetime, datetime, Precision]:
    if match := _MOMENT.fullmatch(value):
        at = datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC)
        return at, at, Precision.MOMENT
    if len(value) not in _KNOWN or not re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", value):
        raise Refused("Write 2024-03-14 09:30, 2024-03-14, 2024-03 or 2024.")
    precision = _KNOWN[len(value)]
    begin = datetime.fromisoformat(f"{value}-01-01"[:10] + "T00:00Z")
    return begin, _following(begin, precision) - _SECOND, precision


def _following(begin: datetime, precision: Precision) -> datetime:
    """The begin of the next day, month or year."""
    if precision is Precision.DAY:
        return begin + timedelta(days=1)
    if precision is Precision.MONTH:
        return (begin + timedelta(days=31)).replace(day=1)
    return begin.replace(year=begin.year + 1)
