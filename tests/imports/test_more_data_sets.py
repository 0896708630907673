"""The other public files go in whole: counts against a naive reading of the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudication.claims.models import Claim, EvidenceMember, EvidenceSet, Question
from adjudication.corpus.models import Source, Span
from adjudication.projects.models import Project
from tests.conftest import shared_data
from tests.imports.bundles import counts, take_in

pytestmark = pytest.mark.django_db

Family = set[frozenset[Any]]


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shared_data(path).read_text().split("\n") if line]


def minimal(family: list[frozenset[Any]]) -> Family:
    """The sets that are not empty and contain no other."""
    filled = {one for one in family if one}
    return {one for one in filled if not any(other < one for other in filled)}


def codes(problems: list[Any]) -> dict[str, int]:
    found = [problem.code for problem in problems]
    return {code: found.count(code) for code in sorted(set(found))}


def test_wice_brings_its_pages_and_their_sentences(project: Project) -> None:
    """Only claims that are wholly supported have sets: the minimal ones, word for word."""
    given = lines("wice/claim_dev.jsonl")
    data = shared_data("wice/claim_dev.jsonl").read_bytes()
    report, problems = take_in(project, data, "wice")
    supported = [one for one in given if one["label"] == "supported"]
    families = {
        one["meta"]["id"]: minimal([frozenset(route) for route in one["supporting_sentences"]])
        for one in supported
    }
    wanted = {
        one["meta"]["id"]: {
            frozenset(one["evidence"][number].lstrip() for number in members)
            for members in families[one["meta"]["id"]]
        }
        for one in supported
    }
    assert stored_sets() == wanted
    assert Question.objects.count() == len(given) == 349
    assert counts(report)["reference sets"] == (sum(map(len, families.values())), 0)
    found = codes(problems)
    assert found["empty-set"] == sum(not r for one in given for r in one["supporting_sentences"])
    assert found["insufficient-sets"] == sum(
        one["label"] != "supported" and any(one["supporting_sentences"]) for one in given
    )
    again, _ = take_in(project, data, "wice")
    assert not again.changes


def stored_sets() -> dict[str, Family]:
    """Question → its sets as sets of words."""
    found: dict[str, dict[object, set[str]]] = {}
    members = EvidenceMember.objects.values_list(
        "evidence_set__claim__question__key", "evidence_set", "span__exact"
    )
    for key, evidence_set, exact in members:
        found.setdefault(key, {}).setdefault(evidence_set, set()).add(exact)
    return {key: {frozenset(one) for one in of.values()} for key, of in found.items()}


@pytest.mark.slow  # ten thousand claims; a few invented ones say the same every day
@pytest.mark.parametrize("path", ["fever-claims/paper_dev.jsonl", "fever-scorer/actual.jsonl"])
def test_fever_without_pages_has_claims_and_no_sets(project: Project, path: str) -> None:
    """Every set is reported, none is satisfied by being empty, and null pages are no evidence."""
    given = lines(path)
    report, problems = take_in(project, shared_data(path).read_bytes(), "fever")
    assert counts(report) == {"questions": (len(given), 0), "reference sets": (0, 0)}
    assert not EvidenceSet.objects.exists()
    wanted = sum(
        len(minimal([frozenset((page, line) for _, _, page, line in s) for s in one["evidence"]]))
        for one in given
        if one["label"] != "NOT ENOUGH INFO"
    )
    assert codes(problems)["unresolved-place"] == wanted
    refuted = sum(one["label"] == "REFUTES" for one in given)
    assert Claim.objects.filter(value="refuted", text__endswith=" — refuted").count() == refuted


def test_fever_with_pages_has_its_sets(project: Project) -> None:
    """With a page for every name, every minimal set of real claims is there, member by member."""
    given = lines("fever-claims/paper_dev.jsonl")[:300]
    named = {
        (page, line) for one in given for s in one["evidence"] for _, _, page, line in s if page
    }
    last: dict[str, int] = {}
    for page, line in named:
        last[page] = max(last.get(page, 0), line)
    pages = [
        {"id": page, "lines": "\n".join(f"{n}\t{page} says {n}." for n in range(end + 1))}
        for page, end in last.items()
    ]
    as_file = "\n".join(map(json.dumps, pages)).encode()
    take_in(project, as_file, "fever-pages")
    assert Source.objects.count() == len(pages)
    _, problems = take_in(project, "\n".join(map(json.dumps, given)).encode(), "fever")
    assert "unresolved-place" not in codes(problems)
    wanted = {}
    for one in given:
        family = [
            frozenset(f"{page} says {line}." for _, _, page, line in s if page)
            for s in one["evidence"]
        ]
        if one["label"] != "NOT ENOUGH INFO":
            wanted[str(one["id"])] = minimal(family)
    assert stored_sets() == wanted


@pytest.mark.parametrize("path", ["scifact/claims_dev.jsonl", "scifact/claims_train.jsonl"])
def test_scifact_labels_and_sets(project: Project, path: str) -> None:
    """One claim each; every rationale of one document is a set, which waits for its abstract."""
    given = lines(path)
    report, problems = take_in(project, shared_data(path).read_bytes(), "scifact")
    assert counts(report) == {"questions": (len(given), 0), "reference sets": (0, 0)}
    wanted, aliases, values = 0, 0, []
    for one in given:
        rationales = [(doc, r) for doc, listed in one["evidence"].items() for r in listed]
        aliases += sum(r["label"] not in {"SUPPORT", "CONTRADICT"} for _, r in rationales)
        labels = {r["label"][:4] for _, r in rationales}
        values.append({frozenset(): "not-enough-info"}.get(frozenset(labels), str(labels)))
        family = [frozenset((doc, n) for n in r["sentences"]) for doc, r in rationales]
        wanted += len(minimal(family)) if len(labels) == 1 else 0
    assert codes(problems)["unresolved-place"] == wanted
    assert codes(problems).get("label-alias", 0) == aliases
    none = values.count("not-enough-info")
    assert Claim.objects.filter(value="not-enough-info").count() == none


def test_multihoprag_sample_of_two_files(project: Project) -> None:
    """Its two files, joined by id as its authors do; articles made of the facts themselves."""
    queries = json.loads(shared_data("multihop-rag/sample500_queries.json").read_text())["queries"]
    truth = json.loads(shared_data("multihop-rag/sample500_ground_truth.json").read_text())
    records = [
        {"query": one["question"], "question_type": one["question_type"], **truth[one["id"]]}
        for one in queries
    ]
    facts = [fact for one in records for fact in one["evidence_list"]]
    articles: dict[str, dict[str, str]] = {}
    for fact in facts:
        article = articles.setdefault(fact["url"], {**fact, "title": fact["title"], "body": ""})
        if fact["fact"] not in article["body"]:
            article["body"] += f" {fact['fact']}\n"
    take_in(project, json.dumps(list(articles.values())).encode(), "multihop-rag-corpus")
    report, problems = take_in(project, json.dumps(records).encode(), "multihop-rag")
    assert counts(report)["questions"] == (500, 0)
    unresolved = codes(problems).get("unresolved-place", 0)
    filled = sum(bool(one["evidence_list"]) for one in records)
    assert filled == 500 - 71
    assert EvidenceSet.objects.count() == filled - unresolved
    assert unresolved <= 5, "a fact that is part of another of the same article stands twice"
    found = codes(problems)
    distinct = [len({f["url"] for f in one["evidence_list"]}) for one in records]
    shared = [n < len(one["evidence_list"]) for n, one in zip(distinct, records, strict=True)]
    assert found["shared-article"] == sum(shared) == 35


def test_multihoprag_results_of_a_retriever(project: Project) -> None:
    """The authors' own file of eight questions is read too; its articles are not here."""
    path = "multihop-rag/llm-embedder_retrieval_test.json"
    given = json.loads(shared_data(path).read_text())
    report, problems = take_in(project, shared_data(path).read_bytes(), "multihop-rag")
    assert counts(report) == {"questions": (len(given), 0), "reference sets": (0, 0)}
    assert codes(problems)["unresolved-place"] == sum(bool(one["gold_list"]) for one in given)


def test_proofwriter_theories_have_their_minimal_sets(project: Project) -> None:
    """Sentences become sources; a question that is unknown has no set, any other at least one."""
    given = json.loads(shared_data("proofwriter/logicllm_dev.json").read_text())
    data = json.dumps(given[:120]).encode()
    _, problems = take_in(project, data, "proofwriter")
    assert problems == []
    meaning = {"A": "true", "B": "false", "C": "unknown"}
    assert dict(Claim.objects.values_list("question__key", "value")) == {
        one["id"]: meaning[one["answer"]] for one in given[:120]
    }
    decided = {one["id"] for one in given[:120] if one["answer"] != "C"}
    assert set(stored_sets()) == decided
    theories = {one["id"]: one["context"] for one in given}
    for key, family in stored_sets().items():
        assert all(sentence in theories[key] for members in family for sentence in members)
    again, _ = take_in(project, data, "proofwriter")
    assert not again.changes


def test_textworld_logs_have_one_set_each(project: Project) -> None:
    """Each interval begins in one turn, so the turns that an action rests on are one set."""
    given = lines("textworld/textworld_logs.jsonl")
    report, _ = take_in(
        project, shared_data("textworld/textworld_logs.jsonl").read_bytes(), "textworld"
    )
    assert counts(report)["questions"] == (len(given), 0)
    assert EvidenceSet.objects.count() == len(given)
    for claim in Claim.objects.all():
        turns = claim.value.removeprefix("turns ").split(", ")
        members = EvidenceMember.objects.filter(evidence_set__claim=claim)
        assert sorted(f"turn {turn};" for turn in turns) == sorted(
            member.span.exact.split(" now")[0] for member in members.select_related("span")
        )
    assert Span.objects.exists()
