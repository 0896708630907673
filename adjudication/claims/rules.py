"""When two answers are the same claim, and what identifies a route."""

from __future__ import annotations

from collections.abc import Iterable

from adjudication.claims.models import InferenceRule
from adjudication.corpus.models import Span
from certify_core.canonical import digest
from certify_core.folding import fold


def same_value(left: str, right: str) -> bool:
    """Whether two answers agree once case, marks and punctuation are folded away.

    A value that folds to nothing (another script, say) is compared as it stands.
    """
    return (fold(left) or left) == (fold(right) or right)


def route_digest(spans: Iterable[Span], rules: Iterable[InferenceRule]) -> str:
    """One route, one digest: the order in which members are listed does not matter."""
    return digest(
        {
            "members": sorted(str(span.pk) for span in spans),
            "rules": sorted(str(rule.pk) for rule in rules),
        }
    )
