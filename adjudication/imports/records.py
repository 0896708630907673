"""Take a data set's neutral records into a project, a chunk at a time.

Nothing but the data set's own text is used, and what could not be used is reported, never
repaired. The same records again change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO
from uuid import UUID

from adjudication.claims.bulk import add_questions, new_question
from adjudication.claims.graphs import to_json
from adjudication.claims.models import Question
from adjudication.corpus.actions import Capture, cut_span
from adjudication.corpus.bulk import Place, add_sources, add_spans, known_versions
from adjudication.corpus.models import Source
from adjudication.errors import Refused
from adjudication.imports.ahead import ahead
from adjudication.imports.reports import Options, Report, Tally, Watch, first_of, refusing
from adjudication.projects.models import Project
from certify_core.canonical import digest, sha256_hex
from certify_core.datasets import Dialect
from certify_core.datasets.records import (
    Excerpt,
    Item,
    Listed,
    Passage,
    Problem,
    QuestionRecord,
)

CHUNK = 4_000  # passages in memory at a time, those of the questions included


def check(dialect: Dialect, project: Project, file: BinaryIO, watch: Watch) -> Report:
    """What of ``file`` is new, and its problems; writes nothing.

    Raises:
        Refused: a record that cannot be read or stored, or the id of a question that is here
            with other content (names the ids).
    """
    intake = Intake(project, dialect.dataset)
    reused: list[str] = []
    for chunk in _followed(dialect, file, watch):
        reused += intake.sift(chunk, watch).reused
    refuse_reused(reused)
    return intake.report()


def store(
    dialect: Dialect, project: Project, file: BinaryIO, options: Options, watch: Watch
) -> Report:
    """Store what of ``file`` is new; raises as ``check`` does. The transaction is the caller's."""
    intake = Intake(project, dialect.dataset)
    for chunk in _followed(dialect, file, watch):
        found = intake.sift(chunk, watch)
        refuse_reused(found.reused)
        captures = _captures(dialect.dataset, found, options)
        made = add_sources(project, captures, reader_classes=options.reader_classes)
        members = _Members(found, found.known | made)
        add_questions(project, found.questions, found.digests, members.of)
    return intake.report()


@dataclass(slots=True)
class Chunk:
    """Some records of a file, with what was met on the way and how far the way is.

    ``keys`` gives every passage, of a question or of none, the digest of its text.
    """

    listed: list[Listed] = field(default_factory=list)
    questions: list[QuestionRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    keys: dict[Passage, str] = field(default_factory=dict)
    bytes_read: int = 0
    records: int = 0

    def add(self, item: Item) -> None:
        if isinstance(item, Problem):
            self.problems.append(item)
        elif isinstance(item, Listed):
            self.listed.append(item)
            self._know(item.passage)
        else:
            self.questions.append(item)
            self.problems += item.problems
            for passage in item.passages:
                self._know(passage)

    def _know(self, passage: Passage) -> None:
        if passage not in self.keys:
            self.keys[passage] = sha256_hex(passage.text.encode())

    @property
    def is_full(self) -> bool:
        return len(self.keys) >= CHUNK or len(self.problems) >= CHUNK


def _chunks(dialect: Dialect, file: BinaryIO) -> Iterator[Chunk]:
    """The records of ``file``; touches no database."""
    chunk, records = Chunk(), 0
    with refusing():
        for item in dialect.items(file):
            chunk.add(item)
            records += not isinstance(item, Problem)
            if chunk.is_full:
                chunk.bytes_read, chunk.records = file.tell(), records
                yield chunk
                chunk = Chunk()
    chunk.bytes_read, chunk.records = file.tell(), records
    yield chunk


def _followed(dialect: Dialect, file: BinaryIO, watch: Watch) -> Iterator[Chunk]:
    """The chunks of ``file``, read ahead; each is told to ``watch`` before it is used."""
    for chunk in ahead(_chunks(dialect, file)):
        watch.progress(chunk.bytes_read, chunk.records)
        for problem in chunk.problems:
            watch.problem(problem)
        yield chunk


@dataclass(frozen=True, slots=True)
class Sifted:
    """What of a chunk is new here.

    ``keys`` gives every passage its digest, ``known`` the versions that are there by digest,
    ``digests`` every question's content; ``passages`` and ``questions`` are the new ones.
    ``reused`` are ids of questions that are here with other content.
    """

    keys: Mapping[Passage, str]
    known: dict[str, UUID]
    digests: dict[str, str]
    passages: tuple[Passage, ...]
    questions: tuple[QuestionRecord, ...]
    reused: tuple[str, ...]


class Intake:
    """Tells new from known, chunk by chunk, and counts both over the whole file.

    A passage seen before in the file is remembered by 15 bytes of its digest: enough to tell
    it, and little enough to remember a million.
    """

    def __init__(self, project: Project, dataset: str) -> None:
        self._project = project
        self._dataset = dataset
        self._begun = Source.objects.filter(project=project, origin=dataset).exists()
        self._seen: set[int] = set()
        self._tally = Tally()

    def sift(self, chunk: Chunk, watch: Watch) -> Sifted:
        keys = chunk.keys
        first = {key for key in keys.values() if self._first(key)}
        self._report_repeats(chunk.listed, keys, set(first), watch)
        known = self._known_of(keys.values(), first)
        passages = tuple(one for one, key in keys.items() if key in first and key not in known)
        digests = {one.key: _content(one, keys) for one in chunk.questions}
        there = _known_questions(self._project, self._dataset, digests)
        questions = tuple(one for one in chunk.questions if one.key not in there)
        for one in questions:
            new_question(self._project, one, digests[one.key])
        self._tally.add("passages", new=len(passages), known=len(first) - len(passages))
        self._count_questions(chunk.questions, {one.key for one in questions})
        return Sifted(
            keys=keys,
            known=known,
            digests=digests,
            passages=passages,
            questions=questions,
            reused=tuple(sorted(k for k, content in there.items() if content != digests[k])),
        )

    def report(self) -> Report:
        return Report(self._dataset, self._tally.counts(_KINDS))

    def _first(self, key: str) -> bool:
        short = int(key[:30], 16)
        if short in self._seen:
            return False
        self._seen.add(short)
        return True

    def _report_repeats(
        self, listed: Sequence[Listed], keys: Mapping[Passage, str], first: set[str], watch: Watch
    ) -> None:
        if len(listed) == len(keys) == len(first):
            return  # as in most files: every one of them is another, and new
        for one in listed:
            key = keys[one.passage]
            if key not in first:
                watch.problem(one.repeated())
            first.discard(key)

    def _known_of(self, keys: Iterable[str], first: set[str]) -> dict[str, UUID]:
        """Asks for what may be there: what the file had before, unless there was more at first."""
        asked = [key for key in keys if self._begun or key not in first]
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


def _content(one: QuestionRecord, keys: Mapping[Passage, str]) -> str:
    """Digest of all that a record says."""
    return digest(
        {
            "text": one.text,
            "answer": one.answer,
            "aliases": one.aliases,
            "kind": one.kind,
            "passages": [keys[passage] for passage in one.passages],
            "sets": [[[e.passage, e.start, e.end] for e in members] for members in one.sets],
            "graph": to_json(one.graph) if one.graph else None,
            # Said only where it is, so that what was imported before keeps its digest.
            **({"claim": one.claim} if one.claim else {}),
        }
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


def _captures(dataset: str, found: Sifted, options: Options) -> Iterator[Capture]:
    for passage in found.passages:
        yield Capture(
            origin=dataset,
            key=found.keys[passage],
            title=passage.title,
            snapshot=passage.text.encode(),
            observed_at=options.observed_at,
            licence=options.licence,
        )


class _Members:
    """The spans that the reference sets of the new questions name, stored."""

    def __init__(self, found: Sifted, versions: Mapping[str, UUID]) -> None:
        self._keys = found.keys
        self._versions = versions
        texts = {
            self._place(record, excerpt): record.passages[excerpt.passage].text
            for record in found.questions
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
