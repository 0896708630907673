"""A statement against its opposite, where both are literals that may follow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from certify_core.closure import Compiled
from certify_core.evidence import sufficient
from certify_core.model import Instance

Verdict = Literal["true", "false", "unknown", "inconsistent"]


def verdict(statement: Instance, denial: Instance, context: Iterable[str] | None = None) -> Verdict:
    """Which of the two follows from the context's units (``None``: all).

    What does not follow is unknown and never false. Where both follow, the evidence
    contradicts itself, and neither is preferred.
    """
    units = None if context is None else tuple(context)
    holds, fails = (sufficient(Compiled.of(one), units) for one in (statement, denial))
    if holds and fails:
        return "inconsistent"
    return "true" if holds else "false" if fails else "unknown"
