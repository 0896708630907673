"""Rates of a ledger of claims: complete retrieval, citations, correctness, whole answers.

A row is one required or stated atomic claim of one question. Acceptance is existential:
some valid set within the delivered spans is enough, and extra spans never hurt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from certify_core.metrics.families import satisfied
from certify_core.metrics.rates import Outcome, Rate, both, known, share


@dataclass(frozen=True, slots=True)
class Row:
    """One claim of one output.

    ``sets`` are the valid alternative sets; ``retrieved`` and ``cited`` the eligible spans
    delivered. ``None`` means missing for these three and pending for the judgements
    ``supported`` (independently, by the whole eligible corpus), ``correct`` and
    ``answerable``. A ``required`` claim that is not ``stated`` is omitted by the output.
    """

    question: str
    sets: tuple[frozenset[str], ...] | None
    retrieved: frozenset[str] | None
    cited: frozenset[str] | None
    supported: bool | None
    correct: bool | None
    answerable: bool | None
    required: bool = True
    stated: bool = True


def complete_set_recall(rows: Sequence[Row]) -> Rate:
    """Answerable claims with a complete set retrieved / answerable claims."""
    return share((_answerable(row), _complete(row, row.retrieved)) for row in rows)


def citation_set_completeness(rows: Sequence[Row]) -> Rate:
    """Supported output claims that cite a complete set / supported output claims."""
    return share((both(row.stated, _supported(row)), _complete(row, row.cited)) for row in rows)


def citation_set_completeness_unconditional(rows: Sequence[Row]) -> Rate:
    """Supported output claims that cite a complete set / all claims, omitted ones included.

    Only a claim rightly left out (not answerable, not stated) is no part of it.
    """
    return share((_expected(row), accepted(row)) for row in rows)


def answer_correctness(rows: Sequence[Row]) -> Rate:
    """Correct claims / all claims; an omitted claim is not correct."""
    return share((_expected(row), both(row.stated, known(row.correct, "pending"))) for row in rows)


def unsupported_output_claims(rows: Sequence[Row]) -> Rate:
    """Output claims without independent support / output claims."""
    return share((row.stated, _negated(_supported(row))) for row in rows)


def omitted_required_claims(rows: Sequence[Row]) -> Rate:
    """Required answerable claims that the output does not state / required answerable claims."""
    return share((both(row.required, _answerable(row)), not row.stated) for row in rows)


def whole_answer_acceptance(rows: Sequence[Row]) -> Rate:
    """Questions whose required claims are all accepted / questions that require a claim."""
    questions: dict[str, list[tuple[Outcome, Outcome]]] = {}
    for row in rows:
        claim = both(row.required, _expected(row)), accepted(row)
        questions.setdefault(row.question, []).append(claim)
    return share(_whole(claims) for claims in questions.values())


METRICS: Mapping[str, Callable[[Sequence[Row]], Rate]] = MappingProxyType(
    {
        metric.__name__: metric
        for metric in (
            complete_set_recall,
            citation_set_completeness,
            citation_set_completeness_unconditional,
            answer_correctness,
            unsupported_output_claims,
            omitted_required_claims,
            whole_answer_acceptance,
        )
    }
)


def score(rows: Sequence[Row]) -> dict[str, Rate]:
    """Every metric of ``METRICS`` by name."""
    return {name: metric(rows) for name, metric in METRICS.items()}


def accepted(row: Row) -> Outcome:
    """Whether the claim is stated, independently supported and cites a complete set."""
    return both(row.stated, _supported(row), _complete(row, row.cited))


def _whole(claims: Sequence[tuple[Outcome, Outcome]]) -> tuple[Outcome, Outcome]:
    """One question from its claims ``(belongs, accepted)``."""
    parts = [
        outcome if belongs is True else belongs
        for belongs, outcome in claims
        if belongs is not False
    ]
    if any(belongs is True for belongs, _ in claims):
        return True, both(*parts)
    return (both(*parts) if parts else False), False


def _complete(row: Row, delivered: frozenset[str] | None) -> Outcome:
    if row.sets is None or delivered is None:
        return "missing"
    return satisfied(row.sets, delivered)


def _expected(row: Row) -> Outcome:
    """Whether the claim counts: it is stated, or it is required and can be answered."""
    return True if row.stated else both(row.required, _answerable(row))


def _answerable(row: Row) -> Outcome:
    return known(row.answerable, "pending")


def _supported(row: Row) -> Outcome:
    return known(row.supported, "pending")


def _negated(outcome: Outcome) -> Outcome:
    return not outcome if isinstance(outcome, bool) else outcome
