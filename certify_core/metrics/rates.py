"""The value every metric returns: a share that shows what it was counted over.

Rows whose outcome is not known stay in the denominator and are counted, so that a score
never rises because an answer or a judgement is absent. A row of which it is not even known
whether it belongs is counted beside the denominator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Gap = Literal["missing", "pending"]
"""Why an outcome is unknown: the data is not there, or a judgement is still to come."""

Outcome = bool | Gap

EMPTY = "the denominator is empty"
UNDECIDED = "nothing in the denominator is decided"


@dataclass(frozen=True, slots=True)
class Rate:
    """``numerator / denominator``, and how many rows are undecided for which cause.

    ``numerator`` counts what is shown so far, so ``value`` is a lower bound while rows are
    missing or pending. ``reason`` says why there is no value; it is empty where there is
    one. An empty denominator never has a value.
    """

    numerator: float
    denominator: int
    missing: int = 0
    pending: int = 0
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.denominator and not self.reason:
            object.__setattr__(self, "reason", EMPTY)

    @property
    def value(self) -> float | None:
        """Between 0 and 1, or ``None`` where it is undefined."""
        return None if self.reason else self.numerator / self.denominator

    def counts(self) -> dict[str, float | None]:
        """The rate for JSON; ``value`` is null where undefined."""
        return {
            "numerator": self.numerator,
            "denominator": self.denominator,
            "missing": self.missing,
            "pending": self.pending,
            "value": self.value,
        }


def share(rows: Iterable[tuple[Outcome, Outcome]]) -> Rate:
    """The share of rows that succeed among those that belong.

    A row is ``(belongs, succeeds)``. Unknown success stays in the denominator; unknown
    membership is counted as missing or pending beside it.
    """
    members: list[Outcome] = []
    outside: list[Outcome] = []
    for belongs, succeeds in rows:
        if belongs is True:
            members.append(succeeds)
        elif belongs is not False:
            outside.append(belongs)
    gaps = [outcome for outcome in members if not isinstance(outcome, bool)]
    return Rate(
        sum(outcome is True for outcome in members),
        len(members),
        missing=[*gaps, *outside].count("missing"),
        pending=[*gaps, *outside].count("pending"),
        reason=UNDECIDED if members and len(gaps) == len(members) else "",
    )


def mean(values: Iterable[float | Gap | None]) -> Rate:
    """The mean of per-row values between 0 and 1; the sum is exactly rounded in any order.

    A gap counts as 0 and is reported. ``None`` is undefined for its row and leaves the mean.
    """
    rows = [value for value in values if value is not None]
    known = [value for value in rows if not isinstance(value, str)]
    return Rate(
        math.fsum(known),
        len(rows),
        missing=rows.count("missing"),
        pending=rows.count("pending"),
        reason=UNDECIDED if rows and not known else "",
    )


def both(*outcomes: Outcome) -> Outcome:
    """Whether all hold: a single ``False`` decides, else one gap leaves it open."""
    if False in outcomes:
        return False
    return next((gap for gap in ("missing", "pending") if gap in outcomes), True)


def known(value: bool | None, gap: Gap) -> Outcome:
    """The value, or the gap that stands for its absence."""
    return gap if value is None else value
