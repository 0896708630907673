"""Take a data set's records into a project: all of a file, or nothing of it.

Nothing but the data set's own text is used, and what could not be used is reported, never
repaired. The same records again change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import OperationalError, connection, transaction

from adjudication.claims.bulk import add_questions, new_question
from adjudication.claims.graphs import to_json
from adjudication.claims.models import Question
from adjudication.corpus.actions import Capture, cut_span
from adjudication.corpus.bulk import Place, add_sources, add_spans, chunks, known_versions
from adjudication.corpus.models import SourceVersion
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Project, ReaderClass
from certify_core.canonical import digest, sha256_hex
from certify_core.datasets import parse
from certify_core.datasets.records import Batch, Excerpt, Passage, Problem, QuestionRecord
from certify_core.errors import InvalidRecord

if TYPE_CHECKING:
    from adjudication.accounts.models import User

NAMED = 5  # reused ids that a refusal names


@dataclass(frozen=True, slots=True)
class Count:
    """How many of ``what`` a file holds that are new here, and that are here already."""

    what: str
    new: int
    known: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an import did, or would do."""

    dataset: str
    counts: tuple[Count, ...]
    problems: tuple[Problem, ...]

    @property
    def changes(self) -> bool:
        return any(count.new for count in self.counts)


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a file is new to a project.

    ``keys`` gives every passage its digest, ``known`` the versions that are there by digest,
    ``digests`` every question's content; ``questions`` are the new ones.
    """

    batch: Batch
    keys: dict[Passage, str]
    known: dict[str, UUID]
    digests: dict[str, str]
    questions: tuple[QuestionRecord, ...]

    def new_passages(self) -> Iterator[tuple[str, Passage]]:
        return ((key, one) for one, key in self.keys.items() if key not in self.known)

    def report(self) -> Report:
        every = self.batch.questions
        return Report(
            self.batch.dataset,
            (
                Count("passages", len(self.keys) - len(self.known), len(self.known)),
                Count("questions", len(self.questions), len(every) - len(self.questions)),
                self._count("reference sets", [len(one.sets) for one in every]),
                self._count("requirement graphs", [one.graph is not None for one in every]),
            ),
            (*self.batch.problems, *(problem for one in every for problem in one.problems)),
        )

    def _count(self, what: str, each: Sequence[int]) -> Count:
        """``each``, the number of every question of the batch, split into new and known."""
        new_keys = {one.key for one in self.questions}
        pairs = list(zip(self.batch.questions, each, strict=True))
        new = sum(n for one, n in pairs if one.key in new_keys)
        return Count(what, new, sum(each) - new)


def read_batch(dialect: str, data: bytes) -> Batch:
    """The records of a file, or Refused with the line or record that cannot be read."""
    try:
        return parse(dialect, data)
    except InvalidRecord as error:
        raise Refused(f"{error.where}: {error.problem}. Nothing was imported.") from error


def plan_import(project: Project, batch: Batch) -> Plan:
    """Compare ``batch`` with what is there; writes nothing.

    Raises:
        Refused: the id of a question is there with other content (names the ids), or a new
            question does not fit its fields.
    """
    passages = [*batch.passages, *(one for record in batch.questions for one in record.passages)]
    keys = {one: sha256_hex(one.text.encode()) for one in dict.fromkeys(passages)}
    digests = {one.key: _content(one, keys) for one in batch.questions}
    there = _known_questions(project, batch.dataset, digests)
    if reused := [key for key, content in there.items() if content != digests[key]]:
        raise Refused(_reused(sorted(reused)))
    new = tuple(one for one in batch.questions if one.key not in there)
    for one in new:
        new_question(project, one, digests[one.key])
    return Plan(
        batch=batch,
        keys=keys,
        known=known_versions(project, batch.dataset, keys.values()),
        digests=digests,
        questions=new,
    )


def _content(one: QuestionRecord, keys: dict[Passage, str]) -> str:
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
        }
    )


def _known_questions(project: Project, dataset: str, digests: dict[str, str]) -> dict[str, str]:
    """Id → content digest of the questions that are there already."""
    found: dict[str, str] = {}
    questions = Question.objects.filter(project=project, origin=dataset)
    for chunk in chunks(digests):
        found.update(questions.filter(key__in=chunk).values_list("key", "sha256"))
    return found


def _reused(ids: list[str]) -> str:
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return (
        f"These ids are here already with other content: {', '.join(ids[:NAMED])}{more}. "
        "Nothing was imported: import the file into another project, or give the records other ids."
    )


@transaction.atomic
def import_batch(
    project: Project,
    batch: Batch,
    *,
    sha256: str,
    observed_at: datetime,
    reader_classes: Sequence[ReaderClass],
    licence: str = "",
    actor: User | None,
) -> Report:
    """Store what is new in ``batch``, the records of the file with digest ``sha256``.

    Raises:
        Refused: an id reused with other content, no reader class, or another import that
            does not end within a minute.
    """
    SourceVersion._meta.get_field("licence").clean(licence, None)
    _wait_for_other_imports(project)
    plan = plan_import(project, batch)
    captures = _captures(plan, observed_at, licence)
    versions = plan.known | add_sources(project, captures, reader_classes=reader_classes)
    members = _Members(plan, versions)
    members.store()
    add_questions(project, plan.questions, plan.digests, members.of)
    report = plan.report()
    if report.changes:
        record(
            "imported data",
            project,
            actor=actor,
            project_id=project.pk,
            dataset=batch.dataset,
            sha256=sha256,
            new={count.what: count.new for count in report.counts},
            problems=len(report.problems),
            reader_classes=[one.key for one in reader_classes],
        )
    return report


def _captures(plan: Plan, observed_at: datetime, licence: str) -> Iterator[Capture]:
    for key, passage in plan.new_passages():
        yield Capture(
            origin=plan.batch.dataset,
            key=key,
            title=passage.title,
            snapshot=passage.text.encode(),
            observed_at=observed_at,
            licence=licence,
        )


def _wait_for_other_imports(project: Project) -> None:
    """One import into a project at a time; other writing goes on meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '60s'")
    try:
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    except OperationalError as error:
        raise Refused(
            "Another import into this project is still going on. Nothing was imported; "
            "repeat this when it has ended."
        ) from error


class _Members:
    """The spans that the reference sets of the new questions name."""

    def __init__(self, plan: Plan, versions: dict[str, UUID]) -> None:
        self._plan = plan
        self._versions = versions
        self._ids: dict[Place, UUID] = {}

    def store(self) -> None:
        texts = {
            self._place(record, excerpt): record.passages[excerpt.passage].text
            for record in self._plan.questions
            for members in record.sets
            for excerpt in members
        }
        spans = (cut_span(pk, text, start, end) for (pk, start, end), text in texts.items())
        self._ids = add_spans(spans)

    def of(self, record: QuestionRecord) -> list[list[UUID]]:
        """The ids of the members of every set of ``record``."""
        return [[self._ids[self._place(record, one)] for one in members] for members in record.sets]

    def _place(self, record: QuestionRecord, excerpt: Excerpt) -> Place:
        version = self._versions[self._plan.keys[record.passages[excerpt.passage]]]
        return version, excerpt.start, excerpt.end
