"""Claims whose documents are in another file: joined to them when they are here, never before."""

from __future__ import annotations

import json

import pytest

from adjudication.claims.models import Claim, EvidenceMember, EvidenceSet, Question
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.errors import Refused
from adjudication.imports import jobs, tasks
from adjudication.projects.models import Project
from tests.conftest import Cast
from tests.core.datasets.bundles import EXAMPLE
from tests.imports.bundles import counts, look_at, take_in
from tests.imports.conftest import checked, worked_on

pytestmark = pytest.mark.django_db


def as_lines(*records: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


LONG = "A_page_with_a_name_that_is_longer_than_the_identity_of_a_source_may_be_here"
PAGES = as_lines(
    {"id": "", "text": "", "lines": ""},
    {
        "id": "Fenmill",
        "text": "",
        "lines": "0\tFenmill is a mill .\tmill\tMill\n1\t\n2\t It burnt .",
    },
    {"id": LONG, "text": "", "lines": "0\tIt stands in Orra .\n"},
)
FEVER = as_lines(
    {
        "id": 7,
        "label": "SUPPORTS",
        "claim": "Fenmill burnt in Orra.",
        "evidence": [[[1, 1, "Fenmill", 2], [1, 2, LONG, 0]], [[2, 3, "Nowhere", 0]]],
    },
    {
        "id": 8,
        "label": "REFUTES",
        "claim": "Fenmill stands.",
        "evidence": [[[3, 4, "Fenmill", 2]], [[4, 5, "Fenmill", 1]], [[5, 6, "Fenmill", 9]]],
    },
    {
        "id": 9,
        "label": "NOT ENOUGH INFO",
        "claim": "Fenmill is red.",
        "evidence": [[[6, None, None, None]]],
    },
)
ABSTRACTS = as_lines(
    {
        "doc_id": 31,
        "title": "On mills",
        "abstract": ["Mills grind.", " They burn."],
        "structured": False,
    },
    {"doc_id": 32, "title": "On lines", "abstract": ["A line\nbreak."]},
)
SCIFACT = as_lines(
    {"id": 1, "claim": "Mills burn.", "evidence": {"31": [{"sentences": [1], "label": "SUPPORT"}]}},
    {"id": 2, "claim": "Lines.", "evidence": {"32": [{"sentences": [0], "label": "SUPPORT"}]}},
)
ARTICLE = {
    "title": "Mill burns",
    "url": "https://news.example/mill",
    "body": "A mill  burnt. It was red. It was red.",
}


def fact(words: str, **more: str) -> dict[str, str]:
    return {"fact": words, "title": ARTICLE["title"], "url": ARTICLE["url"], **more}


def query(
    *facts: dict[str, str], text: str = "Did a mill burn?", kind: str = "inference_query"
) -> object:
    return {"query": text, "answer": "Yes", "question_type": kind, "evidence_list": list(facts)}


def members() -> list[list[tuple[str, str]]]:
    """Title and words of the members of every set, by their claim, in one order."""
    sets = EvidenceSet.objects.order_by("claim__question__key", "sha256")
    return [
        sorted(
            (member.span.version.source.title, member.span.exact) for member in one.members.all()
        )
        for one in sets
    ]


@pytest.mark.parametrize("first", ["pages", "claims"])
def test_sets_are_joined_to_their_pages_in_either_order(project: Project, first: str) -> None:
    """Claims before pages have no set; the same claims again get those that are whole."""
    if first == "claims":
        report, problems = take_in(project, FEVER, "fever")
        assert counts(report) == {"questions": (3, 0), "reference sets": (0, 0)}
        assert sum("not imported yet" in one.message for one in problems) == 5
        assert not Span.objects.exists()
    report, problems = take_in(project, PAGES, "fever-pages")
    assert counts(report) == {"documents": (2, 0)}
    assert [one.code for one in problems] == ["empty-page"]
    report, problems = take_in(project, FEVER, "fever")
    assert counts(report)["reference sets"] == (2, 0)
    assert [one.message.partition(": ")[2] for one in problems] == [
        "this document is not imported yet; import it, then this file again, to use the set",
        "its sentence 1 is blank; the set is not used",
        "it has 3 sentences, none numbered 9; the set is not used",
    ]
    assert members() == [
        [(LONG, "It stands in Orra ."), ("Fenmill", "It burnt .")],
        [("Fenmill", "It burnt .")],
    ]
    again, _ = take_in(project, FEVER, "fever")
    assert not again.changes
    assert counts(again) == {"questions": (0, 3), "reference sets": (0, 2)}


def test_a_set_entails_the_claim_it_is_proposed_for(project: Project) -> None:
    """Evidence against a claim is proposed for its refutation, never for the claim."""
    take_in(project, PAGES, "fever-pages")
    take_in(project, FEVER, "fever")
    said = Claim.objects.order_by("question__key").values_list("question__text", "text", "value")
    assert list(said) == [
        ("Fenmill burnt in Orra.", "Fenmill burnt in Orra.", "supported"),
        ("Fenmill stands.", "Fenmill stands. — refuted", "refuted"),
        ("Fenmill is red.", "Fenmill is red.", "not-enough-info"),
    ]


def test_looking_at_claims_writes_nothing(project: Project) -> None:
    """It counts the sets that would be joined."""
    take_in(project, PAGES, "fever-pages")
    report, problems = look_at(project, FEVER, "fever")
    assert counts(report) == {"questions": (3, 0), "reference sets": (2, 0)}
    assert len(problems) == 3
    assert not Question.objects.exists()
    assert not Span.objects.exists()


def test_abstracts_are_counted_by_sentence(project: Project) -> None:
    """A sentence that breaks a line would move the numbers after it: not used, and said so."""
    _, problems = take_in(project, ABSTRACTS, "scifact-corpus")
    assert [one.code for one in problems] == ["line-break"]
    _, problems = take_in(project, SCIFACT, "scifact")
    assert [one.code for one in problems] == ["unresolved-place"]
    assert members() == [[("On mills", "They burn.")]]
    assert SourceVersion.objects.get().text == "On mills\nMills grind.\n They burn."


def test_facts_are_found_by_their_words(project: Project) -> None:
    """Whatever white space stands between them; words that stand twice name no place."""
    take_in(project, as_lines(ARTICLE), "multihop-rag-corpus")
    twice = query(fact("It was red."), text="Was it red?")
    absent = query(fact("It was blue."), text="Was it blue?")
    elsewhere = query(fact("A mill burnt.", url="https://news.example/other"), text="Elsewhere?")
    null = query(text="Why?", kind="null_query")
    file = as_lines(query(fact("A mill burnt.")), twice, absent, elsewhere, null)
    report, problems = take_in(project, file, "multihop-rag")
    assert counts(report) == {"questions": (5, 0), "reference sets": (1, 0)}
    assert [one.message.partition("': ")[2].partition(";")[0] for one in problems] == [
        "these words stand in it 2 times",
        "these words are not in it",
        "this document is not imported yet",
    ]
    assert EvidenceMember.objects.get().span.exact == "A mill  burnt."
    assert Source.objects.get().address == ARTICLE["url"]


def test_two_facts_of_which_one_is_missing_make_no_set(project: Project) -> None:
    """All facts of a question are needed: half of them is no evidence set."""
    take_in(project, as_lines(ARTICLE), "multihop-rag-corpus")
    take_in(project, as_lines(query(fact("A mill burnt."), fact("It was blue."))), "multihop-rag")
    assert not EvidenceSet.objects.exists()


def test_question_that_stands_twice_is_kept_once(project: Project) -> None:
    """MultiHop-RAG numbers its questions by file; here their words identify them."""
    one = query(fact("A mill burnt."))
    _, problems = take_in(project, as_lines(one, one), "multihop-rag")
    assert "repeated-question" in [problem.code for problem in problems]
    assert Question.objects.count() == 1


def test_document_with_other_text_is_refused_by_name(project: Project) -> None:
    """A page that is here is never overwritten; the same page again changes nothing."""
    take_in(project, ABSTRACTS, "scifact-corpus")
    report, _ = take_in(project, ABSTRACTS, "scifact-corpus")
    assert not report.changes
    other = as_lines({"doc_id": 31, "title": "On mills", "abstract": ["No."]})
    for attempt in (take_in, look_at):
        with pytest.raises(Refused, match=r"here already with other text: 31\. Nothing"):
            attempt(project, other, "scifact-corpus")


def test_claim_with_other_content_is_refused_by_name(project: Project) -> None:
    """The id of a question names one question."""
    take_in(project, SCIFACT, "scifact")
    other = as_lines({"id": 1, "claim": "Mills do not burn.", "evidence": {}})
    with pytest.raises(Refused, match=r"with other content: 1\."):
        take_in(project, other, "scifact")


@pytest.mark.parametrize(
    ("layout", "data", "problems"), [("fever", FEVER, 5), ("bundle", EXAMPLE.read_bytes(), 1)]
)
def test_problems_of_a_look_outlive_it(
    project: Project,
    cast: Cast,
    monkeypatch: pytest.MonkeyPatch,
    layout: str,
    data: bytes,
    problems: int,
) -> None:
    """What a look writes is taken back; the problems it met are kept for the preview."""
    monkeypatch.setattr(tasks, "BATCH", 1)
    one = checked(project, cast, data, layout)
    assert (one.state, one.error) == ("ready", "")
    assert one.problems.count() == sum(one.problems_by_code.values()) == problems
    assert not Question.objects.exists()
    jobs.confirm(one)
    assert worked_on(one).state == "done"
    assert Question.objects.exists()
