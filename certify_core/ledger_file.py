"""The JSON form of a ledger, read strictly, and the JSON form of its rates."""

from __future__ import annotations

from typing import Any

from certify_core.datasets.reading import Node
from certify_core.metrics.ledger import Row, score

_NEEDED = ("sets", "retrieved", "cited", "supported", "correct", "answerable")
_CHOICES = ("required", "stated", "question")
_REMARKS = ("case", "id", "claim", "note", "why", "verdict", "ineligible_cited")
"""Keys a row may carry for its readers; no rate depends on them."""


def rows_of(document: Any) -> tuple[Row, ...]:
    """The rows of ``{"rows": [{"sets", "retrieved", "cited", "supported", "correct",
    "answerable"}]}``; null is missing or pending, see ``ledger.Row``.

    ``required`` and ``stated`` are true and ``question`` is the row itself unless given.

    Raises:
        InvalidRecord: a wrong type, an unknown or absent key, a span id that is empty.
    """
    ledger = Node(document, "ledger")
    rows = ledger.field("rows").items()
    _only(ledger, ("rows", "note", "expected"))
    return tuple(_row(row, number) for number, row in enumerate(rows, start=1))


def scored(document: Any) -> dict[str, Any]:
    """``{"metrics": {name: counts}, "undefined": {name: reason}}`` of a ledger."""
    rates = score(rows_of(document))
    return {
        "metrics": {name: rate.counts() for name, rate in rates.items()},
        "undefined": {name: rate.reason for name, rate in rates.items() if rate.reason},
    }


def _row(row: Node, number: int) -> Row:
    sets, retrieved, cited, supported, correct, answerable = (row.field(key) for key in _NEEDED)
    _only(row, (*_NEEDED, *_CHOICES, *_REMARKS))
    return Row(
        question=row.field("question").filled() if row.has("question") else f"row {number}",
        sets=None if sets.value is None else tuple(_spans(members) for members in sets.items()),
        retrieved=None if retrieved.value is None else _spans(retrieved),
        cited=None if cited.value is None else _spans(cited),
        supported=_judgement(supported),
        correct=_judgement(correct),
        answerable=_judgement(answerable),
        required=not row.has("required") or row.field("required").flag(),
        stated=not row.has("stated") or row.field("stated").flag(),
    )


def _spans(node: Node) -> frozenset[str]:
    return frozenset(span.filled() for span in node.items())


def _judgement(node: Node) -> bool | None:
    return None if node.value is None else node.flag()


def _only(node: Node, allowed: tuple[str, ...]) -> None:
    for key in sorted(node.members().keys() - set(allowed)):
        raise node.fail(f"unknown key {key!r}")
