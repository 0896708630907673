"""Which state of an import may follow which: one table, applied here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from adjudication.imports.models import Import

_S = Import.State

WORK = (_S.CHECKING, _S.IMPORTING)
"""States in which a worker holds the import, or is to take it."""

IMPORT: Mapping[Import.State, frozenset[Import.State]] = {
    _S.RECEIVING: frozenset({_S.CHECKING, _S.FAILED, _S.DISCARDED}),
    # Where a worker died, another takes the same step again.
    _S.CHECKING: frozenset({_S.CHECKING, _S.READY, _S.REFUSED, _S.FAILED}),
    _S.READY: frozenset({_S.IMPORTING, _S.FAILED, _S.DISCARDED}),
    _S.IMPORTING: frozenset({_S.IMPORTING, _S.DONE, _S.REFUSED, _S.FAILED}),
    _S.FAILED: frozenset({_S.CHECKING}),
    _S.DONE: frozenset(),
    _S.REFUSED: frozenset(),
    _S.DISCARDED: frozenset(),
}


def move(imports: QuerySet[Import], state: Import.State, **fields: Any) -> int:
    """Bring those of ``imports`` that may come to ``state`` there; how many they were.

    One UPDATE that asks for the states before, so nothing comes between check and change.
    ``fields`` are set along with the state.
    """
    before = [one for one, after in IMPORT.items() if state in after]
    return imports.filter(state__in=before).update(state=state, touched_at=Now(), **fields)
