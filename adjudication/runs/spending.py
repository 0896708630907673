"""What calls of a model came to: bought, reused, failed, in doubt; tokens and cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet, Sum

from adjudication.readers.settings import ReaderSettings
from adjudication.runs.models import Attempt, ReaderCall

OPEN = Q(reuses=None, answer=None, failure=None)
HELD = Q(attempt__state=Attempt.State.RUNNING, attempt__token=F("token"))


@dataclass(frozen=True, slots=True)
class Spending:
    """Counts of calls, and what was paid for those that were answered.

    A call without answer or error is ``on_the_way`` while a worker holds its attempt, and
    afterwards ``in_doubt``: it may have been paid for. ``unreported`` calls were answered by
    an endpoint that did not say how many tokens they took; tokens are those of the others,
    and ``None`` where there are no others.
    """

    bought: int
    reused: int
    failed: int
    on_the_way: int
    in_doubt: int
    unreported: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float

    @property
    def calls(self) -> int:
        return self.bought + self.reused + self.failed + self.on_the_way + self.in_doubt

    @property
    def tokens(self) -> int | None:
        if self.tokens_in is None or self.tokens_out is None:
            return None
        return self.tokens_in + self.tokens_out

    @property
    def cost(self) -> str:
        """The cost at the prices of this installation, in words; "" where it is not known."""
        reader: ReaderSettings | None = settings.READER
        if reader is None or self.unreported:
            return ""
        cost = reader.cost(self.tokens_in, self.tokens_out)
        return "" if cost is None else money(cost, reader.currency)


def spending(calls: QuerySet[ReaderCall]) -> Spending:
    """What ``calls`` came to, in one question to the database."""
    answered = Q(answer__isnull=False)
    unreported = Q(answer__tokens_in=None) | Q(answer__tokens_out=None)
    counts: dict[str, Any] = calls.order_by().aggregate(
        bought=Count("pk", filter=answered),
        reused=Count("pk", filter=Q(reuses__isnull=False)),
        failed=Count("pk", filter=Q(failure__isnull=False)),
        on_the_way=Count("pk", filter=OPEN & HELD),
        in_doubt=Count("pk", filter=OPEN & ~HELD),
        unreported=Count("pk", filter=answered & unreported),
        tokens_in=Sum("answer__tokens_in"),
        tokens_out=Sum("answer__tokens_out"),
        seconds=Sum("answer__seconds", default=0.0),
    )
    if not counts["bought"]:
        counts |= {"tokens_in": 0, "tokens_out": 0}
    return Spending(**counts)


def money(amount: Decimal, currency: str) -> str:
    """An amount as people read it: to the cent, and less than one to two digits that count."""
    places = 2 if not amount or amount >= Decimal("0.01") else 1 - amount.adjusted()
    return f"{amount:,.{places}f} {currency}"
