"""MultiHop-RAG (yixuantt/MultiHop-RAG, ODC-BY 1.0): questions with quoted facts.

There are no offsets: a fact is a sentence of a news article, known by its text. Several
facts may come from one article, so facts are not documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import BinaryIO

from certify_core.datasets.placed import from_facts
from certify_core.datasets.reading import Node, parse_records, read, read_records
from certify_core.datasets.records import Fact, FactRecord, PlacedRecord, Problem
from certify_core.errors import InvalidRecord
from certify_core.metrics.hits import Retrieval

DATASET = "multihop-rag"
NULL = "null_query"


def parse(data: bytes) -> tuple[FactRecord, ...]:
    """Questions with their evidence (``evidence_list``), or a file of retrieved texts with
    ``gold_list`` and ``retrieval_list``. Questions have no ids: the key is their number.

    Raises:
        InvalidRecord: another shape.
    """
    return parse_records(data, _numbered)


def items(file: BinaryIO) -> Iterator[PlacedRecord]:
    """Each question with its facts; the articles are in another file."""
    return from_facts(read_records(file, _numbered))


def parse_pair(queries: bytes, truth: bytes) -> tuple[FactRecord, ...]:
    """Questions and evidence in two files, joined by id: ``{"queries": [{id, question,
    question_type}]}`` and ``{id: {answer, evidence_list}}``.

    Raises:
        InvalidRecord: another shape, or an id that only one of the files has.
    """
    known = _object(truth).members()
    records = []
    for query in _object(queries).field("queries").items():
        key = query.field("id").filled()
        if key not in known:
            raise query.fail(f"the other file has no evidence for {key!r}")
        records.append(_record(key, query.field("question"), query, known.pop(key)))
    if known:
        raise InvalidRecord("file", f"no question has the id {min(known)!r}, or two have it")
    return tuple(records)


def retrievals(records: Sequence[FactRecord]) -> tuple[Retrieval, ...]:
    """The records in the form that ``metrics.hits`` counts."""
    return tuple(
        Retrieval(
            facts=tuple(fact.text for fact in record.facts),
            retrieved=record.retrieved,
            null=record.kind == NULL,
        )
        for record in records
    )


def _numbered(record: Node) -> FactRecord:
    key = record.where.partition(" (")[0]
    return _record(key, record.field("query"), record, record)


def _record(key: str, text: Node, asked: Node, known: Node) -> FactRecord:
    listed = known.field("gold_list" if known.has("gold_list") else "evidence_list")
    facts = tuple(_fact(item) for item in listed.items())
    kind = asked.field("question_type").filled()
    return FactRecord(
        dataset=DATASET,
        key=key,
        text=text.filled(),
        answer=known.field("answer").filled(),
        kind=kind,
        facts=facts,
        retrieved=_retrieved(known),
        problems=tuple(_problems(listed, facts, kind)),
    )


def _fact(item: Node) -> Fact:
    return Fact(
        text=item.field("fact").filled(),
        title=item.field("title").text(),
        url=item.field("url").text(),
    )


def _retrieved(known: Node) -> tuple[str, ...] | None:
    if not known.has("retrieval_list"):
        return None
    return tuple(item.field("text").text() for item in known.field("retrieval_list").items())


def _problems(listed: Node, facts: Sequence[Fact], kind: str) -> list[Problem]:
    problems = []
    if kind == NULL and facts:
        problems.append(listed.problem("unexpected-evidence", "a null query has no evidence"))
    if kind != NULL and not facts:
        problems.append(listed.problem("empty-set", "no fact is named"))
    if len({fact.text for fact in facts}) < len(facts):
        problems.append(listed.problem("repeated-fact", "a fact is listed twice"))
    if len({fact.url for fact in facts}) < len(facts):
        problems.append(listed.problem("shared-article", "fewer articles than facts"))
    return problems


def _object(data: bytes) -> Node:
    contents = read(BytesIO(data))
    if not isinstance(contents, Node):
        raise InvalidRecord("file", "expected one object, got a list of records")
    return contents
