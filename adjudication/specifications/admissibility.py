"""What can be looked up about whether a premise is admissible. Pure; people decide.

Each check says what it found and why, in words. None of them answers for a reviewer: a source
may satisfy every one and still be the wrong source.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TypeAlias

from adjudication.corpus.times import UNESTABLISHED, Observed, Precision
from adjudication.specifications.models import Demand

Day: TypeAlias = tuple[int, int, int]


class Answer(Enum):
    """``value`` is the state as people read it.

    Who may not read a premise is counted apart: it says nothing of whether it is admissible.
    """

    YES = "satisfied"
    NO = "not satisfied"
    UNKNOWN = "cannot be established"
    APART = "counted apart"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked up: what it is about, what was found, and why."""

    about: str
    answer: Answer
    words: str


@dataclass(frozen=True, slots=True)
class Checks:
    """Everything looked up about one premise."""

    all: tuple[Check, ...]

    @property
    def satisfied(self) -> list[Check]:
        return [one for one in self.all if one.answer is Answer.YES]

    @property
    def wanting(self) -> list[Check]:
        """Whatever is not simply satisfied."""
        return [one for one in self.all if one.answer is not Answer.YES]


@dataclass(frozen=True, slots=True)
class OnRecord:
    """What is on record about one premise, its version, the claim and the specification.

    ``readers`` are the titles of the specification's reader classes that may read the span,
    ``barred`` those of the others. ``withdrawn`` is the day since when the version is
    no longer to be used, or empty. Times are partial (see ``corpus.models.partial_time``).
    """

    eligible: bool
    observed: Observed
    cutoff: datetime
    effective_from: str
    effective_to: str
    applies_at: str
    readers: tuple[str, ...]
    barred: tuple[str, ...]
    withdrawn: str
    published: str
    licence: str
    authority: str
    disputed: bool


def check(premise: OnRecord, demands: Collection[str]) -> Checks:
    """Everything that can be looked up about ``premise`` where the policy demands ``demands``."""
    return Checks(
        (
            _eligible(premise),
            _observed(premise),
            _effective(premise),
            _cleared(premise),
            _in_use(premise),
            *(_demand(premise, Demand(one)) for one in Demand.values if one in demands),
        )
    )


def _eligible(premise: OnRecord) -> Check:
    if premise.eligible:
        return Check("version", Answer.YES, "one of the versions of the specification")
    return Check("version", Answer.NO, "outside the versions of the specification")


def _observed(premise: OnRecord) -> Check:
    answer = observed_by(premise.observed, premise.cutoff)
    cutoff = f"{premise.cutoff:%Y-%m-%d %H:%M} UTC"
    words = {
        Answer.YES: f"by the cutoff, {cutoff}",
        Answer.NO: f"after the cutoff, {cutoff}",
        Answer.UNKNOWN: f"whether it was by the cutoff, {cutoff}, cannot be established",
    }[answer]
    return Check("observed", answer, f"{premise.observed.stated}: {words}")


def _effective(premise: OnRecord) -> Check:
    begin, end, time = premise.effective_from, premise.effective_to, premise.applies_at
    answer = covers(begin, end, time)
    in_effect = f"in effect {effective_in_words(begin, end)}"
    if begin == end == UNESTABLISHED:
        in_effect = "when it is in effect cannot be established"
    if time == UNESTABLISHED:
        words = f"{in_effect}; when the claim applies cannot be established"
    elif answer is Answer.YES:
        words = f"{in_effect}, which covers {time}"
    elif answer is Answer.NO:
        words = f"{in_effect}, and not at {time}"
    else:
        words = f"{in_effect}; whether at {time} cannot be established"
    return Check("time of the claim", answer, words)


def _cleared(premise: OnRecord) -> Check:
    if premise.barred:
        return Check("clearance", Answer.APART, f"blocked for {', '.join(premise.barred)}")
    return Check("clearance", Answer.YES, f"open to {', '.join(premise.readers)}")


def _in_use(premise: OnRecord) -> Check:
    if premise.withdrawn:
        return Check("use", Answer.NO, f"no longer to be used since {premise.withdrawn}")
    return Check("use", Answer.YES, "not invalidated")


def _demand(premise: OnRecord, demand: Demand) -> Check:
    met, found = {
        Demand.LICENCE: (bool(premise.licence), premise.licence),
        Demand.AUTHORITY: (bool(premise.authority), premise.authority),
        Demand.OBSERVED: (premise.observed.is_established, premise.observed.stated),
        Demand.PUBLISHED: (premise.published != UNESTABLISHED, premise.published),
        Demand.EFFECTIVE: (premise.effective_from != UNESTABLISHED, premise.effective_from),
        Demand.UNDISPUTED: (not premise.disputed, ""),
    }[demand]
    if not met:
        return Check("source policy", Answer.NO, f"not so: {demand.label}")
    words = f"{demand.label}: {found}" if found else str(demand.label)
    return Check("source policy", Answer.YES, words)


# --- Times --------------------------------------------------------------------------------------


def observed_by(observed: Observed, cutoff: datetime) -> Answer:
    """Whether something was captured at or before ``cutoff``, as exactly as that is known."""
    if observed.at <= cutoff:
        return Answer.YES
    if not observed.is_established or _earliest(observed) <= cutoff:
        return Answer.UNKNOWN
    return Answer.NO


def _earliest(observed: Observed) -> datetime:
    """The first moment that the precision of a time of capture allows."""
    midnight = observed.at.replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        Precision.DAY: midnight,
        Precision.MONTH: midnight.replace(day=1),
        Precision.YEAR: midnight.replace(month=1, day=1),
    }.get(observed.precision, observed.at)


def covers(begin: str, end: str, time: str) -> Answer:
    """Whether what is in effect from ``begin`` to ``end`` is so at ``time``.

    All three are partial times. A year or month stands for all its days, so the coarser of
    two times decides how finely they are compared: what is in effect from 2013-05 is so on
    12 May 2013, and whether what begins on 12 May 2013 is so "in 2013" cannot be established,
    since part of the year lies before.
    """
    if time == UNESTABLISHED:
        return Answer.UNKNOWN
    first, last = first_day(time), last_day(time)
    starts = None if begin == UNESTABLISHED else first_day(begin)
    ends = None if end == UNESTABLISHED else last_day(end)
    if (starts and last < starts) or (ends and ends < first):
        return Answer.NO
    if starts is None or ends is None:
        return Answer.UNKNOWN
    if ends < starts:
        return Answer.NO
    return Answer.YES if starts <= first and last <= ends else Answer.UNKNOWN


def first_day(partial: str) -> Day:
    """The first day of a year, month or day."""
    year, *rest = _numbers(partial)
    month, day = (*rest, 1, 1)[:2]
    return year, month, day


def last_day(partial: str) -> Day:
    """The last day of a year, month or day."""
    year, *rest = _numbers(partial)
    month = rest[0] if rest else 12
    return year, month, rest[1] if len(rest) > 1 else _length(year, month)


def _numbers(partial: str) -> list[int]:
    sign = -1 if partial.startswith("-") else 1
    year, *rest = map(int, partial.removeprefix("-").split("-"))
    return [sign * year, *rest]


def _length(year: int, month: int) -> int:
    """How many days the month has, also before Christ, where ``calendar`` knows no weekday."""
    return monthrange(2000 if isleap(year) else 2001, month)[1]


def partial_in_words(partial: str) -> str:
    return "cannot be established" if partial == UNESTABLISHED else partial


def effective_in_words(begin: str, end: str) -> str:
    """When a statement applies, in words."""
    if begin == end == UNESTABLISHED:
        return "cannot be established"
    if end == UNESTABLISHED:
        return f"from {begin}, its end cannot be established"
    if begin == UNESTABLISHED:
        return f"until {end}, its start cannot be established"
    return f"from {begin} to {end}"
