"""System runs of a bundle with their outputs, as rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from adjudication.imports.bundle.intake import FULL, Intake, Kinds, refused, same_or_refuse
from adjudication.scoring.bulk import WholeOutput, add_outputs
from adjudication.scoring.models import Citation, Output, OutputClaim, PlaceOf, Retrieved, SystemRun
from certify_core.datasets import bundle


@dataclass(slots=True)
class _Read:
    """An output with the records that stand under it."""

    where: str
    record: bundle.Output
    claims: list[tuple[bundle.OutputClaim, list[bundle.Citation]]] = field(default_factory=list)


class OutputStage:
    kinds: ClassVar[Kinds] = (bundle.SystemRun, bundle.Output, bundle.OutputClaim, bundle.Citation)

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._whole: list[_Read] = []
        self._open: _Read | None = None

    @property
    def is_full(self) -> bool:
        return len(self._whole) >= FULL

    def take(self, where: str, record: Any) -> None:
        match record:
            case bundle.SystemRun():
                self._store_run(where, record)
            case bundle.Output():
                self._close()
                self._open = _Read(where, record)
            case bundle.OutputClaim():
                assert self._open is not None, "the parser reads an output before its claims"
                self._open.claims.append((record, []))
            case bundle.Citation():
                assert self._open is not None, "the parser reads an output before its citations"
                self._open.claims[-1][1].append(record)

    def _close(self) -> None:
        """The output that is being read is whole: nothing more stands under it."""
        if self._open is not None:
            self._whole.append(self._open)
            self._open = None

    def finish(self) -> None:
        self._close()

    def _store_run(self, where: str, one: bundle.SystemRun) -> None:
        given = {"system": one.system, "note": one.note}
        row, made = SystemRun.objects.get_or_create(
            project=self._intake.project, key=one.key, defaults=given
        )
        same_or_refuse(where, f"the system run {one.key!r}", given, row)
        self._intake.keep(one, row.pk, new=made)

    def flush(self) -> None:
        whole, self._whole = self._whole, []
        ids = {self._run(one) for one in whole}
        here = {
            (row.run_id, row.key): row
            for row in Output.objects.filter(
                run__in=ids, key__in=[one.record.id for one in whole]
            ).prefetch_related("retrieved", "claims__citations")
        }
        new = []
        for one in whole:
            made = self._rows(one)
            known = here.get((self._run(one), one.record.id))
            self._intake.count(one.record, new=known is None)
            if known is None:
                new.append(made)
            elif _said(made) != _said(_stored(known)):
                name = f"output {one.record.id!r} of the run {one.record.run!r}"
                raise refused(one.where, f"{name} is here already with other content")
        add_outputs(new)

    def _run(self, one: _Read) -> UUID:
        return self._intake.ids[bundle.SystemRun][one.record.run]

    def _rows(self, one: _Read) -> WholeOutput:
        ids = self._intake.ids
        output = Output(
            run_id=self._run(one),
            question_id=ids[bundle.Question][one.record.question],
            key=one.record.id,
            text=one.record.text,
        )
        retrieved = [
            Retrieved(output=output, ordinal=ordinal, **self._at(place))
            for ordinal, place in enumerate(one.record.retrieved, start=1)
        ]
        claims, citations = [], []
        for ordinal, (said, cited) in enumerate(one.claims, start=1):
            claim = OutputClaim(
                output=output,
                ordinal=ordinal,
                text=said.text,
                start=said.start,
                end=said.end,
                claim_id=ids[bundle.Claim][said.claim] if said.claim else None,
            )
            claims.append(claim)
            citations += [
                Citation(output_claim=claim, ordinal=place.order, **self._at(place))
                for place in cited
            ]
        return WholeOutput(output, retrieved, claims, citations)

    def _at(self, place: bundle.Place | bundle.Citation) -> dict[str, UUID]:
        if place.span is not None:
            return {"span_id": self._intake.ids[bundle.Span][place.span]}
        assert place.version is not None, "the parser takes a span or a version"
        return {"version_id": self._intake.ids[bundle.Version][place.version]}


def _stored(output: Output) -> WholeOutput:
    claims = list(output.claims.all())
    citations = [place for claim in claims for place in claim.citations.all()]
    return WholeOutput(output, list(output.retrieved.all()), claims, citations)


def _said(one: WholeOutput) -> tuple[object, ...]:
    """All that an output says, whichever rows hold it."""
    numbers = {claim.pk: claim.ordinal for claim in one.claims}
    return (
        one.output.question_id,
        one.output.text,
        _places(one.retrieved),
        [(said.text, said.start, said.end, said.claim_id) for said in one.claims],
        [(numbers[place.output_claim_id], *_places([place])) for place in one.citations],
    )


def _places(places: Iterable[PlaceOf]) -> Sequence[tuple[UUID | None, UUID | None]]:
    return [(place.span_id, place.version_id) for place in places]
