"""The public files go in whole: counts against a second, naive reading of the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from adjudication.claims.models import EvidenceMember, EvidenceSet, Question, RequirementGraph
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.projects.models import Project
from tests.conftest import shared_data
from tests.imports.test_records import counts, do_import, stored

FILES = [
    ("musique", "musique/musique_train_50.json"),
    ("hotpotqa", "hotpotqa/hipporag_hotpotqa_train_100.json"),
    ("hotpotqa", "hotpotqa-support/hotpotqa_sample_fullwiki_style.json"),
    ("hotpotqa", "hotpotqa-support/hotpotqa_sample_hf_style.json"),
    ("2wiki", "2wikimultihopqa/hoprag_wiki_example.jsonl"),
    ("2wiki", "2wikimultihopqa/kag_2wiki_qa_sub.json"),
    ("passages", "2wikimultihopqa/hipporag_2wikimultihopqa_corpus.json"),
    ("passages", "musique/hipporag_musique_train_corpus.json"),
]


def records(data: bytes) -> list[dict[str, Any]]:
    """The records, read without the parser under test."""
    try:
        whole = json.loads(data)
    except ValueError:
        return [json.loads(line) for line in data.decode().splitlines() if line.strip()]
    return whole if isinstance(whole, list) else [whole]


def joined(sentences: list[str]) -> str:
    spaced = any(one[:1].isspace() and one.strip() for one in sentences[1:])
    return ("" if spaced else " ").join(sentences)


def paragraphs(record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Title and body of every paragraph of a record, in any of the layouts."""
    if "paragraphs" in record:
        yield from ((one["title"], one["paragraph_text"]) for one in record["paragraphs"])
    elif "context" not in record:
        yield record["title"], record["text"]
    elif isinstance(record["context"], dict):
        context = record["context"]
        yield from zip(context["title"], map(joined, context["sentences"]), strict=True)
    else:
        yield from ((title, joined(sentences)) for title, sentences in record["context"])


@pytest.mark.parametrize(("dialect", "path"), FILES)
def test_file_is_imported_whole_and_once(project: Project, dialect: str, path: str) -> None:
    """Every question and every distinct paragraph is there; a second import changes nothing."""
    data = shared_data(path).read_bytes()
    given = records(data)
    bodies = {
        f"{title}\n{body}" for one in given for title, body in paragraphs(one) if body.strip()
    }
    report = do_import(project, data, dialect)
    assert set(SourceVersion.objects.values_list("text", flat=True)) == bodies
    assert Source.objects.count() == len(bodies) == counts(report)["passages"][0]
    questions = 0 if dialect == "passages" else len(given)
    assert Question.objects.count() == questions == counts(report)["questions"][0]
    before = stored()
    assert not do_import(project, data, dialect).changes
    assert stored() == before


def test_musique_members_are_the_supporting_paragraphs(project: Project) -> None:
    """One set per question, its members word for word what the data set marks; one graph each."""
    data = shared_data("musique/musique_train_50.json").read_bytes()
    do_import(project, data)
    for record in records(data):
        expected = {p["paragraph_text"] for p in record["paragraphs"] if p["is_supporting"]}
        members = EvidenceMember.objects.filter(
            evidence_set__claim__question__key=record["id"]
        ).values_list("span__exact", flat=True)
        assert set(members) == expected
        steps = RequirementGraph.objects.get(question__key=record["id"]).body["requirements"]
        assert len(steps) == len(record["question_decomposition"])
    assert EvidenceSet.objects.count() == 50


@pytest.mark.parametrize(
    ("dialect", "path"), [one for one in FILES if one[0] in {"hotpotqa", "2wiki"}]
)
def test_supporting_sentences_are_the_members(project: Project, dialect: str, path: str) -> None:
    """A set's members are the named sentences; a question with a missing one has no set."""
    data = shared_data(path).read_bytes()
    do_import(project, data, dialect)
    for record in records(data):
        wanted = named_sentences(record)
        key = record.get("_id") or record["id"]
        members = EvidenceMember.objects.filter(evidence_set__claim__question__key=key)
        found = set(members.values_list("span__version__source__title", "span__exact"))
        assert found == (set() if wanted is None else wanted), key


def named_sentences(record: dict[str, Any]) -> set[tuple[str, str]] | None:
    """(title, sentence) of every supporting fact; None where one is not in the context."""
    context, facts = record["context"], record["supporting_facts"]
    if isinstance(context, dict):
        pairs = list(zip(context["title"], context["sentences"], strict=True))
        named = list(zip(facts["title"], facts["sent_id"], strict=True))
    else:
        pairs, named = [tuple(one) for one in context], [tuple(one) for one in facts if one]
    sentences = {title: texts for title, texts in pairs if "".join(texts).strip()}
    if not named or any(n >= len(sentences.get(title, ())) for title, n in named):
        return None
    return {(title, sentences[title][n].lstrip()) for title, n in named}


def test_spans_of_a_real_file_stand_where_they_say(project: Project) -> None:
    """Offsets in code points and bytes both give the exact text back."""
    do_import(
        project, shared_data("hotpotqa/hipporag_hotpotqa_train_100.json").read_bytes(), "hotpotqa"
    )
    spans = Span.objects.select_related("version")
    assert spans.count() > 200
    for span in spans:
        snapshot = bytes(span.version.snapshot)
        assert span.version.text[span.start : span.end] == span.exact
        assert snapshot[span.byte_start : span.byte_end].decode() == span.exact
