"""Small invented records of the claim data sets, and what their tests ask of them."""

from __future__ import annotations

from typing import Any

from certify_core.datasets import CLAIMS
from certify_core.datasets.records import ClaimRecord
from tests.core.datasets.samples import as_lines

FEVER: dict[str, Any] = {
    "id": 7,
    "verifiable": "VERIFIABLE",
    "label": "SUPPORTS",
    "claim": "The Fen mill burnt.",
    "evidence": [[[1, 2, "Fen", 0], [1, 3, "Mill", 4]], [[5, 6, "Fen", 9]]],
}
WICE: dict[str, Any] = {
    "label": "supported",
    "supporting_sentences": [[0, 2], [1]],
    "claim": "The Fen mill burnt.",
    "evidence": ["It stood.", "It burnt.", "In fire."],
    "meta": {"id": "dev1", "claim_title": "Fen"},
}
SCIFACT: dict[str, Any] = {
    "id": 3,
    "claim": "Cold water freezes.",
    "evidence": {
        "11": [{"sentences": [2, 5], "label": "SUPPORT"}, {"sentences": [7], "label": "SUPPORT"}],
        "15": [{"sentences": [0], "label": "SUPPORT"}],
    },
    "cited_doc_ids": [11, 15],
}


def claim(dataset: str, record: object) -> ClaimRecord:
    """The one claim of a file of one line."""
    (found,) = CLAIMS[dataset](as_lines(record))
    return found


def said(found: ClaimRecord) -> list[str]:
    """The codes of everything that was left out."""
    return [problem.code for problem in found.problems]
