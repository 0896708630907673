"""Questions whose evidence lies in documents of other files, such as FEVER's pages.

Documents may come before or after. A set whose places are not all here is reported and never
becomes a smaller one; once its documents are here, the same file again adds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO
from uuid import UUID

from adjudication.claims.bulk import add_questions, add_sets, new_question
from adjudication.claims.models import Claim, Question
from adjudication.corpus.actions import cut_span
from adjudication.corpus.bulk import Place, add_spans
from adjudication.corpus.models import SourceVersion
from adjudication.imports.documents import in_chunks
from adjudication.imports.looking import taken_back
from adjudication.imports.records import refuse_reused
from adjudication.imports.reports import Options, Report, Tally, Watch
from adjudication.projects.models import Project
from certify_core.canonical import digest
from certify_core.datasets.placed import document_key, locate
from certify_core.datasets.records import (
    PlacedRecord,
    Problem,
    QuestionRecord,
    QuotedSpot,
    Spot,
)

Reader = Callable[[BinaryIO], Iterator[PlacedRecord]]
KINDS = ("questions", "reference sets")


def check(dataset: str, read: Reader, project: Project, file: BinaryIO, watch: Watch) -> Report:
    """What of ``file`` is new, and its problems; nothing of it stays written."""
    return taken_back(watch, lambda holding: _Intake(project, dataset, holding).take(read, file))


def store(
    dataset: str, read: Reader, project: Project, file: BinaryIO, options: Options, watch: Watch
) -> Report:
    """Store what of ``file`` is new. It brings no sources, so the options change nothing.

    Raises:
        Refused: a record that cannot be read, or the id of a question that is here with other
            content (names the ids).
    """
    return _Intake(project, dataset, watch).take(read, file)


class _Intake:
    def __init__(self, project: Project, dataset: str, watch: Watch) -> None:
        self._project = project
        self._dataset = dataset
        self._watch = watch
        self._tally = Tally()

    def take(self, read: Reader, file: BinaryIO) -> Report:
        for chunk in in_chunks(read(file), file, self._watch):
            self._store(list({one.key: one for one in chunk}.values()))
        return Report(self._dataset, self._tally.counts(KINDS))

    def _store(self, records: Sequence[PlacedRecord]) -> None:
        digests = {one.key: _content(one) for one in records}
        of_project = Question.objects.filter(project=self._project, origin=self._dataset)
        here = dict(of_project.filter(key__in=digests).values_list("key", "sha256"))
        refuse_reused(sorted(key for key, sha256 in here.items() if sha256 != digests[key]))
        members = _Members(self._project, self._dataset, records)
        sets = {one.key: list(self._usable(one, members)) for one in records}
        spans = members.stored(place for of in sets.values() for one in of for place in one)
        routes = {key: [[spans[place] for place in one] for one in of] for key, of in sets.items()}
        new = [_question(one) for one in records if one.key not in here]
        for question in new:
            new_question(self._project, question, digests[question.key])
        add_questions(self._project, new, digests, lambda one: routes[one.key])
        self._tally.add("questions", new=len(new), known=len(here))
        self._add_to_known([one for one in records if one.key in here], routes)
        self._tally.add("reference sets", new=sum(len(routes[one.key]) for one in new))

    def _usable(self, one: PlacedRecord, members: _Members) -> Iterator[list[Place]]:
        """The sets of which every member is here; what is not is reported."""
        for problem in one.problems:
            self._watch.problem(problem)
        for number, spots in enumerate(one.sets, start=1):
            found = {spot: members.place(spot) for spot in spots}
            missing = [(spot, why) for spot, why in found.items() if isinstance(why, str)]
            if not missing:
                # Two facts may lie in one place.
                yield list(dict.fromkeys(p for p in found.values() if not isinstance(p, str)))
                continue
            spot, why = missing[0]
            where = f"{one.key}: set {number}"
            self._watch.problem(Problem(where, "unresolved-place", f"{spot.document!r}: {why}"))

    def _add_to_known(
        self, records: Sequence[PlacedRecord], routes: dict[str, list[list[UUID]]]
    ) -> None:
        claims = Claim.objects.filter(
            question__project=self._project,
            question__origin=self._dataset,
            question__key__in=[one.key for one in records],
            origin=Claim.Origin.REFERENCE,
        )
        proposals = [
            (claim, route)
            for claim in claims.select_related("question").order_by("pk")
            for route in routes[claim.question.key]
        ]
        added = add_sets(proposals)
        self._tally.add("reference sets", new=added, known=len(proposals) - added)


class _Members:
    """Where the spots of some records lie, in the versions that the documents' file gave."""

    def __init__(self, project: Project, dataset: str, records: Sequence[PlacedRecord]) -> None:
        spots = {spot for one in records for spots in one.sets for spot in spots}
        versions = SourceVersion.objects.filter(
            source__project=project,
            source__origin=dataset,
            source__key__in={document_key(spot.document) for spot in spots},
            number=1,
        )
        self._versions: dict[str, tuple[UUID, str]] = {
            key: (pk, text) for key, pk, text in versions.values_list("source__key", "pk", "text")
        }
        self._texts = dict(self._versions.values())

    def place(self, spot: Spot) -> Place | str:
        """The place of ``spot``, or why it has none."""
        found = self._versions.get(document_key(spot.document))
        if found is None:
            return (
                "this document is not imported yet; import it, then this file again, to use the set"
            )
        version, text = found
        place = locate(text, spot)
        return f"{place}; the set is not used" if isinstance(place, str) else (version, *place)

    def stored(self, places: Iterator[Place]) -> dict[Place, UUID]:
        """The ids of the spans at ``places``, which are cut where they are new."""
        wanted = dict.fromkeys(places)
        return add_spans(cut_span(pk, self._texts[pk], start, end) for pk, start, end in wanted)


def _question(one: PlacedRecord) -> QuestionRecord:
    return QuestionRecord(
        dataset=one.dataset,
        key=one.key,
        text=one.text,
        answer=one.answer,
        passages=(),
        kind=one.kind,
        claim=one.claim,
    )


def _content(one: PlacedRecord) -> str:
    """Digest of all that a record says, whatever of it can be used here."""
    return digest(
        {
            "text": one.text,
            "answer": one.answer,
            "claim": one.claim,
            "kind": one.kind,
            "sets": [[_said(spot) for spot in spots] for spots in one.sets],
        }
    )


def _said(spot: Spot) -> list[str | int]:
    last = spot.words if isinstance(spot, QuotedSpot) else spot.number
    return [spot.document, last]
