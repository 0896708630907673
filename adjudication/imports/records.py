"""Take a data set's neutral records into a project, a chunk at a time.

Nothing but the data set's own text is used, and what could not be used is reported, never
repaired. The same records again change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from adjudication.claims.bulk import add_questions, new_question
from adjudication.claims.models import Question
from adjudication.corpus.actions import cut_span
from adjudication.corpus.bulk import Place, Preparation, Prepared, add_spans, known_versions
from adjudication.corpus.models import Source
from adjudication.errors import Refused
from adjudication.imports.ahead import ahead
from adjudication.imports.reading import Chunk, captured, chunks_of
from adjudication.imports.reports import Options, Report, Tally, Watch, first_of
from adjudication.projects.models import Project
from certify_core.datasets import Dialect
from certify_core.datasets.records import Excerpt, Passage, QuestionRecord


def check(dialect: Dialect, project: Project, file: BinaryIO, watch: Watch) -> Report:
    """What of ``file`` is new, and its problems; writes nothing.

    Raises:
        Refused: a record that cannot be read or stored, or the id of a question that is here
            with other content (names the ids).
    """
    intake = Intake(project, dialect.dataset)
    reused: list[str] = []
    for chunk in _followed(chunks_of(dialect, file), watch):
        reused += intake.sift(chunk).reused
    refuse_reused(reused)
    return intake.report()


def store(
    dialect: Dialect, project: Project, file: BinaryIO, options: Options, watch: Watch
) -> Report:
    """Store what of ``file`` is new; raises as ``check`` does. The transaction is the caller's."""
    intake = Intake(project, dialect.dataset)
    preparation = Preparation(project, options.reader_classes)
    prepared = _prepared(chunks_of(dialect, file), preparation, dialect.dataset, options)
    for chunk, sources in ahead(prepared):
        _follow(chunk, watch)
        found = intake.sift(chunk)
        refuse_reused(found.reused)
        preparation.copy_in([one for one in sources if one.key not in found.known])
        if found.questions:
            made = {one.key: UUID(bytes=one.version) for one in sources}
            members = _Members(found.questions, chunk.keys, made | found.known)
            add_questions(project, found.questions, chunk.digests, members.of)
    return intake.report()


def _prepared(
    chunks: Iterable[Chunk], preparation: Preparation, dataset: str, options: Options
) -> Iterator[tuple[Chunk, list[Prepared]]]:
    """Every chunk with the rows of its passages, whose texts it then no longer needs."""
    for chunk in chunks:
        captures = captured(chunk.first, dataset, options.observed_at, options.licence)
        sources = preparation.of(captures)
        chunk.first = dict.fromkeys(chunk.first)
        yield chunk, sources


def _followed(chunks: Iterable[Chunk], watch: Watch) -> Iterator[Chunk]:
    """``chunks``, each told to ``watch`` before it is used."""
    for chunk in chunks:
        _follow(chunk, watch)
        yield chunk


def _follow(chunk: Chunk, watch: Watch) -> None:
    watch.progress(chunk.bytes_read, chunk.records)
    for problem in chunk.problems:
        watch.problem(problem)


@dataclass(frozen=True, slots=True)
class Sifted:
    """What of a chunk is new here.

    ``known`` are the versions that are there, by digest; ``questions`` the new ones; ``reused``
    ids of questions that are here with other content.
    """

    known: dict[str, UUID]
    questions: tuple[QuestionRecord, ...]
    reused: tuple[str, ...]


class Intake:
    """Tells new from known, chunk by chunk, and counts both over the whole file."""

    def __init__(self, project: Project, dataset: str) -> None:
        self._project = project
        self._dataset = dataset
        self._begun = Source.objects.filter(project=project, origin=dataset).exists()
        self._tally = Tally()

    def sift(self, chunk: Chunk) -> Sifted:
        known = self._known_of(chunk)
        there = _known_questions(self._project, self._dataset, chunk.digests)
        questions = tuple(one for one in chunk.questions if one.key not in there)
        for one in questions:
            new_question(self._project, one, chunk.digests[one.key])
        new = sum(key not in known for key in chunk.first)
        self._tally.add("passages", new=new, known=len(chunk.first) - new)
        self._count_questions(chunk.questions, {one.key for one in questions})
        return Sifted(
            known=known,
            questions=questions,
            reused=tuple(
                sorted(key for key, content in there.items() if content != chunk.digests[key])
            ),
        )

    def report(self) -> Report:
        return Report(self._dataset, self._tally.counts(_KINDS))

    def _known_of(self, chunk: Chunk) -> dict[str, UUID]:
        """Asks for what may be there: what the file had before, unless there was more at first."""
        asked = [*chunk.again, *chunk.first] if self._begun else list(chunk.again)
        return known_versions(self._project, self._dataset, asked)

    def _count_questions(self, questions: Iterable[QuestionRecord], new: set[str]) -> None:
        for one in questions:
            for kind, number in _parts(one):
                self._tally.add(kind, **{"new" if one.key in new else "known": number})


_KINDS = ("passages", "questions", "reference sets", "requirement graphs")


def _parts(one: QuestionRecord) -> tuple[tuple[str, int], ...]:
    return (
        ("questions", 1),
        ("reference sets", len(one.sets)),
        ("requirement graphs", int(one.graph is not None)),
    )


def _known_questions(project: Project, dataset: str, digests: Mapping[str, str]) -> dict[str, str]:
    """Id → content digest of the questions that are there already."""
    questions = Question.objects.filter(project=project, origin=dataset, key__in=list(digests))
    return dict(questions.values_list("key", "sha256")) if digests else {}


def refuse_reused(ids: Iterable[str]) -> None:
    named = sorted(ids)
    if not named:
        return
    raise Refused(
        f"These ids are here already with other content: {first_of(named)}. "
        "Nothing was imported: import the file into another project, or give the records other ids."
    )


class _Members:
    """The spans that the reference sets of the new questions name, stored."""

    def __init__(
        self,
        questions: Iterable[QuestionRecord],
        keys: Mapping[Passage, str],
        versions: Mapping[str, UUID],
    ) -> None:
        self._keys = keys
        self._versions = versions
        texts = {
            self._place(record, excerpt): record.passages[excerpt.passage].text
            for record in questions
            for members in record.sets
            for excerpt in members
        }
        spans = (cut_span(pk, text, start, end) for (pk, start, end), text in texts.items())
        self._ids = add_spans(spans)

    def of(self, record: QuestionRecord) -> list[list[UUID]]:
        """The ids of the members of every set of ``record``."""
        return [[self._ids[self._place(record, one)] for one in members] for members in record.sets]

    def _place(self, record: QuestionRecord, excerpt: Excerpt) -> Place:
        version = self._versions[self._keys[record.passages[excerpt.passage]]]
        return version, excerpt.start, excerpt.end
