"""Which state of an attempt may follow which: one table, applied here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from adjudication.runs.models import Attempt

_S = Attempt.State

ATTEMPT: Mapping[Attempt.State, frozenset[Attempt.State]] = {
    _S.QUEUED: frozenset({_S.RUNNING, _S.FAILED, _S.CANCELLED}),
    # Where a worker died, another takes over, or the attempt waits again or is given up.
    _S.RUNNING: frozenset(
        {_S.RUNNING, _S.QUEUED, _S.CERTIFIED, _S.ABSTAINED, _S.FAILED, _S.CANCELLED, _S.DROPPED}
    ),
    _S.CERTIFIED: frozenset(),
    _S.ABSTAINED: frozenset(),
    _S.FAILED: frozenset(),
    _S.CANCELLED: frozenset(),
    _S.DROPPED: frozenset(),
}


def move(attempts: QuerySet[Attempt], state: Attempt.State, **fields: Any) -> int:
    """Bring those of ``attempts`` that may come to ``state`` there; how many they were.

    One UPDATE that asks for the states before, so nothing comes between check and change.
    ``fields`` are set along with the state.
    """
    before = [one for one, after in ATTEMPT.items() if state in after]
    return attempts.filter(state__in=before).update(state=state, **fields)
