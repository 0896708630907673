"""Store many outputs at once, each whole. The caller holds the transaction and its journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudication.corpus.bulk import chunks
from adjudication.scoring.models import Citation, Output, OutputClaim, Retrieved


@dataclass(frozen=True, slots=True)
class WholeOutput:
    """An unsaved output with all that belongs to it, which cannot be added later."""

    output: Output
    retrieved: Sequence[Retrieved]
    claims: Sequence[OutputClaim]
    citations: Sequence[Citation]


def add_outputs(outputs: Iterable[WholeOutput]) -> None:
    """Store new outputs; the database refuses what names things of another project."""
    for chunk in chunks(outputs):
        Output.objects.bulk_create(one.output for one in chunk)
        Retrieved.objects.bulk_create(place for one in chunk for place in one.retrieved)
        OutputClaim.objects.bulk_create(claim for one in chunk for claim in one.claims)
        Citation.objects.bulk_create(place for one in chunk for place in one.citations)
