"""Answering or abstaining, on answerable originals and their unanswerable twins.

Source: arXiv 2610.34684 section 5. A twin lacks its deciding fact, so abstaining is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from certify_core.metrics.rates import UNDECIDED, Gap, Outcome, Rate, known, share


@dataclass(frozen=True, slots=True)
class Decision:
    """What a system did with one question.

    ``outcome`` is a gap where the run has no result; ``correct`` is about the answer to an
    original, ``None`` while nobody has judged it. A twin carries its original's question.
    """

    question: str
    twin: bool
    outcome: Literal["answered", "abstained"] | Gap
    correct: bool | None = None


def accuracy(decisions: Sequence[Decision]) -> Rate:
    """Originals answered correctly / originals."""
    return share((True, _right(decision)) for decision in _originals(decisions))


def coverage(decisions: Sequence[Decision]) -> Rate:
    """Originals answered / originals."""
    return share((True, _is(decision, "answered")) for decision in _originals(decisions))


def selective_accuracy(decisions: Sequence[Decision]) -> Rate:
    """SAcc: originals answered correctly / originals answered."""
    return share(
        (_is(decision, "answered"), _right(decision)) for decision in _originals(decisions)
    )


def twin_answer_rate(decisions: Sequence[Decision]) -> Rate:
    """Twins answered / twins."""
    return share((True, _is(decision, "answered")) for decision in _twins(decisions))


def abstention_precision(decisions: Sequence[Decision]) -> Rate:
    """Abstentions that are on twins / abstentions."""
    return share((_is(decision, "abstained"), decision.twin) for decision in decisions)


def decision_accuracy(decisions: Sequence[Decision], *, paired: bool = False) -> Rate:
    """½ (correct originals / originals + abstained twins / twins); always abstaining: ½.

    Both shares are brought to one denominator, so each class weighs one half however many
    questions it has. ``paired`` keeps only the questions that occur in both classes.
    Undefined if either class is empty or wholly undecided.
    """
    kept = _paired(decisions) if paired else decisions
    right = accuracy(kept)
    refused = share((True, _is(decision, "abstained")) for decision in _twins(kept))
    return Rate(
        right.numerator * refused.denominator + refused.numerator * right.denominator,
        2 * right.denominator * refused.denominator,
        missing=right.missing + refused.missing,
        pending=right.pending + refused.pending,
        reason=UNDECIDED if UNDECIDED in (right.reason, refused.reason) else "",
    )


def _paired(decisions: Sequence[Decision]) -> list[Decision]:
    originals = {decision.question for decision in _originals(decisions)}
    both = originals & {decision.question for decision in _twins(decisions)}
    return [decision for decision in decisions if decision.question in both]


def _originals(decisions: Sequence[Decision]) -> list[Decision]:
    return [decision for decision in decisions if not decision.twin]


def _twins(decisions: Sequence[Decision]) -> list[Decision]:
    return [decision for decision in decisions if decision.twin]


def _is(decision: Decision, outcome: Literal["answered", "abstained"]) -> Outcome:
    if decision.outcome in ("missing", "pending"):
        return decision.outcome
    return decision.outcome == outcome


def _right(decision: Decision) -> Outcome:
    answered = _is(decision, "answered")
    return known(decision.correct, "pending") if answered is True else answered
