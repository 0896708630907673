"""Questions, claims, evidence sets and contradictions through the API."""

from __future__ import annotations

from typing import Any

import pytest

from adjudication.claims.actions import open_claim
from adjudication.claims.models import Claim, Contradiction, EvidenceSet
from adjudication.corpus.models import Span
from adjudication.projects.actions import add_reader_class, set_membership
from adjudication.projects.models import Project
from adjudication.specifications.actions import add_standard_rules, freeze, start_draft
from certify_core.canonical import sha256_hex
from tests.api.calls import Program, error_of
from tests.conftest import Cast
from tests.factories import make_claim, make_evidence_set, make_version, span_of

pytestmark = pytest.mark.django_db

BLOCKED_MEMBER = {"blocked": True, "readers": "Legal", "span": None, "recheck": None}


def two_spans(project: Project) -> list[Span]:
    texts = ("Cedar is mapped to record R17.", "Entity R holds the rights to R17.")
    return [span_of(make_version(project, f"Title\n{text}"), text) for text in texts]


def proposal(project: Project) -> dict[str, Any]:
    add_standard_rules(project, by=None)
    return {
        "spans": [str(span.pk) for span in two_spans(project)],
        "rules": ["same-entity", "join-shared-entity"],
    }


def test_set_is_proposed_once_with_its_members_in_order(project: Project, cast: Cast) -> None:
    """The same members and rules are one set, however they are listed; each answer the same."""
    claim = make_claim(project)
    rosa, place = Program(cast.rosa), f"claims/{claim.pk}/evidence-sets"
    body = proposal(project)
    first, again = rosa.post(place, body), rosa.post(place, body)
    assert (first.status_code, first.content) == (201, again.content)
    turned = {"spans": body["spans"][::-1], "rules": body["rules"][::-1]}
    assert rosa.post(place, turned).json()["id"] == first.json()["id"]
    (shown,) = rosa.read(place)["items"]
    assert [one["span"]["id"] for one in shown["members"]] == body["spans"]
    assert shown["rules"] == ["join-shared-entity", "same-entity"]
    assert EvidenceSet.objects.get().author == cast.rosa
    assert rosa.read(f"claims/{claim.pk}")["evidence_sets"] == 1


def test_anothers_proposal_cannot_be_noticed(project: Project, cast: Cast) -> None:
    """Rosa's answer is the same, to the byte but for ids, whether Rui proposed the set before."""
    body = proposal(project)
    answers = []
    for before in (False, True):
        place = f"claims/{make_claim(project).pk}/evidence-sets"
        if before:
            Program(cast.rui).post(place, body)
        rosa = Program(None)
        rosa.client.force_login(cast.rosa)
        answer = rosa.post(place, body)
        ids = {"id", "claim"}
        shown = {key: value for key, value in answer.json().items() if key not in ids}
        answers.append((answer.status_code, shown))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("changes", [{"spans": []}, {"rules": ["no-such"]}, {"spans": ["x"]}])
def test_wrong_set_is_refused(project: Project, cast: Cast, changes: dict[str, Any]) -> None:
    claim = make_claim(project)
    body = proposal(project) | changes
    answer = Program(cast.rosa).post(f"claims/{claim.pk}/evidence-sets", body)
    assert error_of(answer, 400)["fields"]
    assert not EvidenceSet.objects.exists()


def test_hidden_span_is_no_span(project: Project, cast: Cast) -> None:
    """A member that Rosa may not read is refused as one that does not exist."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    span = span_of(make_version(project, "T\nSecret.", reader_classes=["legal"]), "Secret.")
    rosa, place = Program(cast.rosa), f"claims/{make_claim(project).pk}/evidence-sets"
    missing = "00000000-0000-0000-0000-000000000007"
    hidden = rosa.post(place, {"spans": [str(span.pk)]}).text.replace(str(span.pk), missing)
    assert hidden == rosa.post(place, {"spans": [missing]}).text


def test_blocked_member_shows_that_it_exists_and_who_may_read_it(
    project: Project, cast: Cast
) -> None:
    """And nothing else; the claim's value is withheld, since nothing else supports it."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    one = make_evidence_set(make_claim(project, "Zanzibar"), reader_classes=["legal"])
    rosa = Program(cast.rosa)
    (shown,) = rosa.read(f"claims/{one.claim_id}/evidence-sets")["items"]
    assert shown["members"] == [BLOCKED_MEMBER] * 2
    claim = rosa.read(f"claims/{one.claim_id}")
    assert (claim["value"], claim["withheld"], claim["aliases"]) == (None, True, None)
    (question,) = rosa.read("questions")["items"]
    assert question["claims"][0]["value"] is None
    assert b"Zanzibar" not in rosa.get(f"questions/{one.claim.question_id}").content


def test_reviewer_learns_nothing_of_proposals(project: Project, cast: Cast) -> None:
    """Origin, author and what a run proposed are given to the lead alone."""
    one = make_evidence_set(make_claim(project))
    open_claim(one.claim.question, value="Other", origin=Claim.Origin.CERTIFY, author=None)
    rosa, lead = Program(cast.rosa), Program(cast.lead)
    (question,) = rosa.read("questions")["items"]
    assert [list(claim) for claim in question["claims"]] == [
        ["id", "value", "withheld", "evidence_sets"]
    ]
    claims = lead.read("questions?show=proposed")["items"][0]["claims"]
    assert [claim["origin"] for claim in claims] == ["reference", "certify"]
    assert rosa.get("questions?show=proposed").content == rosa.get("questions").content
    place = f"claims/{one.claim_id}/evidence-sets"
    assert "origin" not in rosa.read(place)["items"][0]
    assert lead.read(place)["items"][0]["origin"] == "reference set of the data set"
    assert error_of(rosa.get("questions?show=secret"), 400)["fields"].keys() == {"show"}


def test_questions_are_found_by_words(project: Project, cast: Cast) -> None:
    make_claim(project)
    rosa = Program(cast.rosa)
    assert len(rosa.read("questions?words=CEDAR")["items"]) == 1
    assert rosa.read("questions?words=oak")["items"] == []


def test_contradiction_is_recorded_once(project: Project, cast: Cast) -> None:
    """Again it is the same record; one that supersedes it names it."""
    claim = make_claim(project)
    span = str(two_spans(project)[0].pk)
    rosa, place = Program(cast.rosa), f"claims/{claim.pk}/contradictions"
    body = {"spans": [span], "material": True, "treatment": "unresolved", "note": "Two dates."}
    first, again = rosa.post(place, body), rosa.post(place, body)
    assert (first.status_code, first.content) == (201, again.content)
    assert first.json()["spans"][0]["span"]["id"] == span
    later = body | {"treatment": "resolved", "material": False, "supersedes": first.json()["id"]}
    second = rosa.post(place, later).json()
    assert (second["supersedes"], second["material"]) == (first.json()["id"], False)
    shown = rosa.read(place)["items"]
    assert {one["id"]: one["superseded"] for one in shown} == {
        first.json()["id"]: True,
        second["id"]: False,
    }
    other = rosa.post(place, later | {"note": "Something else."})
    error_of(other, 409)
    assert Contradiction.objects.count() == 2


def test_record_of_another_reviewer_is_not_named(project: Project, cast: Cast) -> None:
    """A lead's record supersedes Rosa's; Rui sees the lead's, and no id of hers."""
    claim = make_claim(project)
    place = f"claims/{claim.pk}/contradictions"
    body = {"material": True, "treatment": "unresolved", "note": "Two dates."}
    hers = Program(cast.rosa).post(place, body).json()["id"]
    Program(cast.lead).post(place, body | {"treatment": "resolved", "supersedes": hers})
    rui = Program(cast.rui)
    (shown,) = rui.read(place)["items"]
    assert shown["supersedes"] is None
    assert hers not in rui.get(place).text
    assert "by" not in shown


@pytest.mark.parametrize("field", ["material", "treatment", "note"])
def test_contradiction_needs_its_words(project: Project, cast: Cast, field: str) -> None:
    body = {"material": True, "treatment": "unresolved", "note": "Two dates."} | {field: None}
    answer = Program(cast.rosa).post(f"claims/{make_claim(project).pk}/contradictions", body)
    assert error_of(answer, 400)["fields"].keys() == {field}


def test_frozen_specification_is_given_byte_for_byte(project: Project, cast: Cast) -> None:
    """Whoever digests what they got finds the digest that it states; a draft has no body."""
    make_version(project)
    draft = start_draft(project, by=cast.lead)
    reader = Program(cast.reader)
    error_of(reader.get("specifications/1"), 404)
    assert reader.read("specifications")["items"][0]["state"] == "draft"
    freeze(draft, by=cast.lead)
    body = reader.read("specifications/1")
    assert sha256_hex(body["body"].encode()) == body["sha256"]
    assert body["settings"]["reviewers_per_item"] == 2
    assert reader.read("rules")["items"][0].keys() == {"key", "kind", "statement"}


def test_digest_of_a_corpus_that_one_may_not_read_is_withheld(project: Project, cast: Cast) -> None:
    """Who has all but a few words of it could guess them; the settings are for everybody."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_version(project)
    make_version(project, "Other\nWords.", reader_classes=["legal"])
    frozen = freeze(start_draft(project, by=cast.lead), by=cast.lead)
    reader = Program(cast.reader)
    body = reader.read("specifications/1")
    assert (body["sha256"], body["body"]) == (None, None)
    assert body["settings"]["number"] == 1
    everything = reader.get("specifications/1").text + reader.get("specifications").text
    assert frozen.sha256 not in everything
    assert frozen.corpus_sha256 not in everything


def test_note_of_a_contradiction_is_withheld_with_its_spans(project: Project, cast: Cast) -> None:
    """It may quote them."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    set_membership(
        project, cast.lead, roles=["lead"], reader_classes=["public", "legal"], actor=None
    )
    claim = make_claim(project)
    span = span_of(make_version(project, "T\nSecret.", reader_classes=["legal"]), "Secret.")
    place = f"claims/{claim.pk}/contradictions"
    body = {"material": True, "treatment": "unresolved", "note": "It says Secret."}
    made = Program(cast.lead).post(place, body | {"spans": [str(span.pk)]})
    assert made.status_code == 201
    (shown,) = Program(cast.reader).read(place)["items"]
    assert (shown["note"], shown["spans"]) == (None, [BLOCKED_MEMBER])


def test_retry_after_another_persons_record_doubles_nothing(project: Project, cast: Cast) -> None:
    """A lost answer is asked for again while others go on working."""
    place = f"claims/{make_claim(project).pk}/contradictions"
    body = {"material": True, "treatment": "unresolved", "note": "Two dates."}
    rosa, lead = Program(cast.rosa), Program(cast.lead)
    first = rosa.post(place, body)
    lead.post(place, body | {"note": "Another."})
    assert rosa.post(place, body).content == first.content
    assert Contradiction.objects.count() == 2
