"""When two answers are the same claim, and what identifies a route."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from certify_core.canonical import digest
from certify_core.folding import fold


def same_value(left: str, right: str) -> bool:
    """Whether two answers agree once case, marks and punctuation are folded away.

    A value that folds to nothing (another script, say) is compared as it stands.
    """
    return (fold(left) or left) == (fold(right) or right)


def route_digest(span_ids: Iterable[UUID], rule_ids: Iterable[UUID] = ()) -> str:
    """One route, one digest: the order in which members are listed does not matter."""
    return digest({"members": sorted(map(str, span_ids)), "rules": sorted(map(str, rule_ids))})
