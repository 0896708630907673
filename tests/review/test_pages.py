"""Pages of review and adjudication: who gets in, what works, and what never shows."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.claims.actions import propose_evidence_set, record_contradiction
from adjudication.claims.models import Contradiction, EvidenceSet
from adjudication.corpus.actions import invalidate
from adjudication.corpus.models import SourceVersion
from adjudication.journal.models import Exposure
from adjudication.projects.actions import set_membership
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.answers import MemberAnswer
from adjudication.review.dimensions import DIMENSIONS, Stance
from adjudication.review.models import Assignment, Draft, Item, Judgement, Verdict
from adjudication.review.queries import home_counts, judgements_seen
from tests.conftest import Cast, CommittedDatabase, client_for, make_cast
from tests.factories import make_claim, make_evidence_set, make_project, make_version, span_of
from tests.integrity.scenes import changed
from tests.kept import kept
from tests.review.scenes import Scene, frozen, judge, member, open_scene, refusing, seal

ACCEPT = {dimension.key: dimension.accepting for dimension in DIMENSIONS}
HOSTILE = "<script>alert(1)</script><b hx-get='/x'>\u202e</textarea>'\"&amp;"


def address(name: str, *args: object) -> str:
    return reverse(name, args=["film-study", *args])


@kept
def scene(project: Project, cast: Cast) -> Scene:
    return open_scene(project, cast.lead, sets=2)


@pytest.fixture
def held(scene: Scene, project: Project, cast: Cast) -> Assignment:
    return actions.take(member(project, cast.rosa), scene.item.pk)


@pytest.fixture
def rosa(cast: Cast) -> Client:
    return client_for(cast.rosa)


@pytest.fixture
def disputed(scene: Scene, project: Project, cast: Cast) -> Item:
    judge(member(project, cast.rosa), scene.item, refusing("entailment"))
    judge(member(project, cast.rui), scene.item)
    return scene.item


# --- Who gets in -----------------------------------------------------------------------------

GETS = ["review", "desk", "judgement", "adjudication", "adjudication-item"]
POSTS = [
    "review-open",
    "review-next",
    "desk-draft",
    "desk-renew",
    "desk-skip",
    "desk-seal",
    "judgement-amend",
    "judgement-others",
    "judgement-smaller",
    "adjudicate",
    "fresh-round",
    "reopen",
]
PLAIN = {"review", "adjudication", "review-open", "review-next"}


def somewhere(name: str, key: UUID) -> str:
    return address(name) if name in PLAIN else address(name, key)


@pytest.mark.parametrize("name", GETS + POSTS)
def test_stranger_and_wrong_method(scene: Scene, cast: Cast, name: str) -> None:
    """A stranger finds nothing; the other method is refused."""
    url = somewhere(name, uuid4())
    right, wrong = ("post", "get") if name in POSTS else ("get", "post")
    stranger = client_for(cast.stranger)
    assert getattr(stranger, right)(url).status_code == 404
    assert getattr(stranger, wrong)(url).status_code in {404, 405}
    assert getattr(client_for(cast.lead), wrong)(url).status_code == 405


@pytest.mark.parametrize("name", sorted({*GETS, *POSTS} - PLAIN))
def test_bad_id_is_not_found(scene: Scene, cast: Cast, name: str) -> None:
    """An id of nothing, to somebody with every role."""
    project = scene.lead.project
    set_membership(project, cast.lead, roles=list(Role), actor=None)
    method = "post" if name in POSTS else "get"
    assert getattr(client_for(cast.lead), method)(address(name, uuid4())).status_code == 404


@pytest.mark.parametrize("name", GETS + POSTS)
def test_reader_and_auditor_have_no_such_role(scene: Scene, cast: Cast, name: str) -> None:
    """Neither reading nor auditing opens the review."""
    method = "post" if name in POSTS else "get"
    for user in (cast.reader, cast.auditor):
        url = somewhere(name, scene.item.pk)
        assert getattr(client_for(user), method)(url).status_code == 403


def test_desk_of_another_is_not_found(held: Assignment, cast: Cast) -> None:
    """An assignment and a judgement are their reviewer's alone, also by a posted request."""
    judgement = seal(held)
    for user in (cast.rui, cast.lead):
        set_membership(held.item.project, user, roles=[Role.LEAD, Role.REVIEWER], actor=None)
        other = client_for(user)
        assert other.get(address("desk", held.pk)).status_code == 404
        assert other.post(address("desk-seal", held.pk), ACCEPT).status_code == 404
        assert other.get(address("judgement", judgement.pk)).status_code == 404
        assert other.post(address("judgement-amend", judgement.pk), ACCEPT).status_code == 404


def test_clearance_revoked_between_list_and_open_is_not_found(
    project: Project, cast: Cast, held: Assignment, rosa: Client
) -> None:
    """Whoever is no longer cleared for a member loses the desk at once."""
    assert rosa.get(address("desk", held.pk)).status_code == 200
    set_membership(project, cast.rosa, roles=[Role.REVIEWER], reader_classes=[], actor=None)
    assert rosa.get(address("desk", held.pk)).status_code == 404
    assert rosa.post(address("desk-seal", held.pk), ACCEPT).status_code == 404
    assert not Judgement.objects.exists()


# --- The desk --------------------------------------------------------------------------------


def test_desk_shows_everything_a_judgement_rests_on(held: Assignment, rosa: Client) -> None:
    """Question, claim, members with version and times, and the six questions."""
    page = rosa.get(address("desk", held.pk)).content.decode()
    for member_ in held.item.evidence_set.members.all():
        assert member_.span.exact in page
        assert member_.span.version.sha256[:8] in page
        assert str(member_.span_id) in page
    assert page.count("data-refuses") == 6
    assert "My item" in page
    assert 'name="csrfmiddlewaretoken"' in page


def test_desk_shows_no_proposer_state_or_other_people(
    project: Project, cast: Cast, held: Assignment, rosa: Client
) -> None:
    """What could tell who proposed the set, or what others did, is in no byte of the page."""
    judge(member(project, cast.rui), held.item, refusing("entailment"))
    page = rosa.get(address("desk", held.pk)).content.decode().lower()
    for told in ("rui", "no entailment", "reference set", "certif", "in review", "disputed"):
        assert told not in page.replace("certify adjudication", ""), told


def test_sealing_goes_to_the_next_item_at_once(held: Assignment, rosa: Client) -> None:
    """A message with the time, and the next desk; after the last one, the review."""
    response = rosa.post(address("desk-seal", held.pk), ACCEPT, follow=True)
    assert "Sealed, saved" in response.content.decode()
    following = Assignment.objects.exclude(pk=held.pk).get()
    assert response.request["PATH_INFO"] == address("desk", following.pk)
    response = rosa.post(address("desk-seal", following.pk), ACCEPT, follow=True)
    assert response.request["PATH_INFO"] == address("review")
    assert "Nothing waits" in response.content.decode()
    assert Judgement.objects.count() == 2


def test_sealing_twice_is_one_judgement_and_another_body_conflicts(
    held: Assignment, rosa: Client
) -> None:
    """A double click is harmless; other answers afterwards are refused as a conflict."""
    for _ in range(2):
        assert rosa.post(address("desk-seal", held.pk), ACCEPT).status_code == 302
    other = ACCEPT | {"boundary": "not-applicable"}
    response = rosa.post(address("desk-seal", held.pk), other)
    assert response.status_code == 409
    assert "amend it with a reason" in response.content.decode()
    assert Judgement.objects.get().boundary == "within"


def test_incomplete_seal_keeps_everything_and_names_the_question(
    held: Assignment, rosa: Client
) -> None:
    """Faults beside their question; what was typed is on the page and in the draft."""
    body = ACCEPT | {"entailment": "does-not", "entailment-words": HOSTILE}
    response = rosa.post(address("desk-seal", held.pk), body)
    page = response.content.decode()
    assert response.status_code == 422
    assert "You refuse: choose the reason." in page
    assert "&lt;/textarea&gt;" in page
    assert "<script>alert" not in page
    assert Draft.objects.get().answers["reasons"]["entailment"]["words"] == HOSTILE
    assert not Judgement.objects.exists()


def test_draft_survives_a_reload(held: Assignment, rosa: Client) -> None:
    """Answers, reasons and words come back as they were saved."""
    body = {"contradiction": "material", "contradiction-reason": "within", "needed-2": "not-needed"}
    rosa.post(address("desk-draft", held.pk), body)
    page = rosa.get(address("desk", held.pk)).content.decode()
    for name, value in body.items():
        field = next(
            part for part in page.split("<input") if f'name="{name}" value="{value}"' in part
        )
        assert " checked" in field
    assert "saved" in page


def test_line_breaks_count_once(held: Assignment, rosa: Client) -> None:
    """The browser counts a line break as one character and sends two."""
    words = "\r\n".join(["eighteen letters.."] * 105)
    body = ACCEPT | {
        "entailment": "does-not",
        "entailment-reason": "other",
        "entailment-words": words,
    }
    rosa.post(address("desk-draft", held.pk), body)
    kept = Draft.objects.get(assignment=held).answers["reasons"]["entailment"]["words"]
    assert kept == words.replace("\r\n", "\n")
    assert len(kept) <= 2000 < len(words)


def test_draft_by_htmx_answers_with_a_receipt(held: Assignment, rosa: Client) -> None:
    """The receipt and the lease, not the page; on a sealed item it says so."""
    headers = {"HX-Request": "true"}
    page = rosa.post(address("desk-draft", held.pk), ACCEPT, headers=headers).content.decode()
    assert "saved" in page
    assert "data-until" in page
    assert "<html" not in page
    seal(held)
    page = rosa.post(address("desk-draft", held.pk), ACCEPT, headers=headers).content.decode()
    assert "sealed" in page


@pytest.mark.parametrize("value", ["perhaps", "\0", "x" * 5000])
def test_value_that_is_no_answer_is_no_answer(held: Assignment, rosa: Client, value: str) -> None:
    """A tampered field neither breaks the page nor becomes an answer."""
    response = rosa.post(address("desk-seal", held.pk), ACCEPT | {"entailment": value})
    assert response.status_code == 422
    assert "entailment" not in Draft.objects.get().answers["given"]


def test_hiding_members_measures_minimality(held: Assignment, rosa: Client) -> None:
    """Blind removal member by member: hidden, asked, stored, and minimality follows."""
    response = rosa.post(address("desk-draft", held.pk), {"hide": "1"})
    page = rosa.get(response.url.split("#")[0]).content.decode()
    members = list(held.item.evidence_set.members.all())
    assert members[0].span.exact not in page
    assert members[1].span.exact in page
    assert "Does the claim still follow" in page
    response = rosa.post(address("desk-draft", held.pk), {"tried": "1", "removal": "needed"})
    assert "hide=2" in response.url
    body = {"tried": "2", "removal": "needed", "needed-1": "needed"}
    response = rosa.post(address("desk-draft", held.pk), body)
    assert "hide" not in response.url
    saved = Draft.objects.get().answers
    assert saved["given"] == {"minimality": "minimal"}
    body = ACCEPT | {"needed-1": "needed", "needed-2": "needed"}
    rosa.post(address("desk-seal", held.pk), body)
    assert Judgement.objects.get().minimality_basis == "measured"


def test_answering_otherwise_than_measured_is_asserted(held: Assignment, rosa: Client) -> None:
    """Only what was tried stays measured; the browser cannot claim it."""
    rosa.post(address("desk-draft", held.pk), {"tried": "1", "removal": "needed"})
    rosa.post(address("desk-draft", held.pk), {"needed-1": "unsure", "measured-1": "on"})
    answers = Draft.objects.get().answers["members"]
    assert [one["measured"] for one in answers.values()] == [False, False]


def test_skipping_keeps_the_draft_and_moves_on(held: Assignment, rosa: Client) -> None:
    """Skip hands the item back; going back to it and sealing still works."""
    response = rosa.post(address("desk-skip", held.pk), {"entailment": "unsure"}, follow=True)
    assert "Handed back" in response.content.decode()
    held.refresh_from_db()
    assert held.state == "released"
    assert Draft.objects.get().answers["given"] == {"entailment": "unsure"}
    assert "You handed this item back" in rosa.get(address("desk", held.pk)).content.decode()
    rosa.post(address("desk-renew", held.pk), {"entailment": "unsure"})
    held.refresh_from_db()
    assert held.state == "held"


def test_desk_marks_versions_outside_the_test(project: Project, cast: Cast) -> None:
    """A member whose version is not eligible is shown so, and a withdrawn one with why."""
    scene = open_scene(project, cast.lead)
    claim = make_claim(project, value="late")
    late = make_version(project, "Late\nCaptured after freezing.")
    propose_evidence_set(
        claim, [span_of(late, "Captured")], origin=EvidenceSet.Origin.PERSON, author=None
    )
    actions.open_items(scene.specification, EvidenceSet.objects.all(), by=scene.lead)
    invalidate(late, reason="withdrawn by its publisher", by=member(project, cast.lead))
    item = Item.objects.get(evidence_set__claim=claim)
    assignment = actions.take(member(project, cast.rosa), item.pk)
    page = client_for(cast.rosa).get(address("desk", assignment.pk)).content.decode()
    assert "outside the versions of the specification" in page
    assert "withdrawn by its publisher" in page
    assert "of this source exists" not in page
    make_version(project, "Late\nCaptured once more.", key=late.source.key)
    page = client_for(cast.rosa).get(address("desk", assignment.pk)).content.decode()
    assert "Version 2 of this source exists" in page


def test_contradictions_show_as_they_stood_on_opening(project: Project, cast: Cast) -> None:
    """One recorded before the item was opened is part of the record; a later one is not."""
    claim = make_claim(project)
    version = make_version(project, "Other\nEntity Q holds the rights to R17.")
    make_evidence_set(claim)
    record: dict[str, Any] = {
        "material": True,
        "treatment": Contradiction.Treatment.UNRESOLVED,
        "by": cast.lead,
    }
    record_contradiction(claim, [span_of(version, "Entity Q")], note="two holders", **record)
    actions.open_items(frozen(project), EvidenceSet.objects.all(), by=member(project, cast.lead))
    assignment = actions.take(member(project, cast.rosa), Item.objects.get().pk)
    rosa = client_for(cast.rosa)
    assert "two holders" in rosa.get(address("desk", assignment.pk)).content.decode()
    # Time stands still within a transaction, so the opening is moved instead of the record.
    earlier = version.source.created_at.replace(year=2020)
    Item.objects.update(opened_at=earlier)
    assert "two holders" not in rosa.get(address("desk", assignment.pk)).content.decode()


def test_damaged_member_is_not_shown_as_sound(committed: CommittedDatabase) -> None:
    """One byte changed behind the application's back: shown as damaged, and not sealed."""
    project = make_project("film-study")
    cast = make_cast(project)
    scene = open_scene(project, cast.lead)
    held = actions.take(member(project, cast.rosa), scene.item.pk)
    span = held.item.evidence_set.members.first().span
    with psycopg.connect(committed.environment["DATABASE_OWNER_URL"]) as owner:
        owner.execute("ALTER TABLE corpus_sourceversion DISABLE TRIGGER USER")
        changed = span.version.text.replace("Cedar", "Cedat").encode()
        owner.execute(
            "UPDATE corpus_sourceversion SET snapshot = %s WHERE id = %s",
            [changed, span.version_id],
        )
    assert bytes(SourceVersion.objects.get(pk=span.version_id).snapshot) == changed
    rosa = client_for(cast.rosa)
    page = rosa.get(address("desk", held.pk)).content.decode()
    assert "damaged" in page
    assert span.exact not in page
    assert "Seal judgement" not in page
    response = rosa.post(address("desk-seal", held.pk), ACCEPT)
    assert response.status_code == 409
    assert "Member 1 is damaged" in response.content.decode()
    assert not Judgement.objects.exists()


def test_damaged_span_of_a_contradiction_is_not_shown(committed: CommittedDatabase) -> None:
    """What speaks against the claim is checked like what speaks for it."""
    project = make_project("film-study")
    cast = make_cast(project)
    claim = make_claim(project)
    version = make_version(project, "Other\nEntity Q holds the rights to R17.")
    make_evidence_set(claim)
    record_contradiction(
        claim,
        [span_of(version, "Entity Q")],
        material=True,
        treatment=Contradiction.Treatment.UNRESOLVED,
        note="two holders",
        by=cast.lead,
    )
    actions.open_items(frozen(project), EvidenceSet.objects.all(), by=member(project, cast.lead))
    held = actions.take(member(project, cast.rosa), Item.objects.get().pk)
    with changed(committed, "corpus_sourceversion", "text", "text || ' '", version.pk):
        page = client_for(cast.rosa).get(address("desk", held.pk)).content.decode()
    assert "two holders" in page
    assert "badge-damaged" in page
    assert "Entity Q" not in page


# --- After the seal --------------------------------------------------------------------------


def test_own_judgement_is_read_and_amended(held: Assignment, rosa: Client) -> None:
    """Amending needs a reason, makes a new judgement, and a double click makes one."""
    judgement = seal(held)
    url = address("judgement-amend", judgement.pk)
    assert rosa.post(url, ACCEPT | {"boundary": "not-applicable"}).status_code == 422
    body = ACCEPT | {"boundary": "not-applicable", "reason": "no answer is attached"}
    first, second = rosa.post(url, body), rosa.post(url, body)
    assert first.url == second.url
    page = rosa.get(first.url).content.decode()
    assert "no answer is attached" in page
    assert Judgement.objects.count() == 2
    assert rosa.post(url, ACCEPT | {"reason": "back"}).status_code == 409


def test_desk_of_a_sealed_item_leads_to_the_judgement(held: Assignment, rosa: Client) -> None:
    """The back button after the seal shows what was sealed."""
    judgement = seal(held)
    response = rosa.get(address("desk", held.pk))
    assert response.url == address("judgement", judgement.pk)


def test_others_answers_come_after_all_sealed_by_asking(
    project: Project, cast: Cast, held: Assignment, rosa: Client
) -> None:
    """Not before the others sealed, not without asking, without names, and recorded."""
    own = address("judgement", seal(held).pk)
    others = address("judgement-others", Judgement.objects.get().pk)
    rosa.post(others)
    assert "Reviewer" not in rosa.get(own).content.decode()
    assert not Exposure.objects.exists()
    judge(member(project, cast.rui), held.item, refusing("boundary"))
    page = rosa.get(own).content.decode()
    assert "Show the other answers" in page
    assert "no boundary" not in page
    rosa.post(others)
    page = rosa.get(own).content.decode()
    assert "no boundary" in page
    assert "Rui" not in page
    assert Exposure.objects.get().person == cast.rosa


def test_smaller_set_is_offered_and_proposed(held: Assignment, rosa: Client) -> None:
    """Offered only to who marked a member dispensable."""
    spare = held.item.evidence_set.members.last()
    answers = refusing("minimality").with_member(spare.pk, MemberAnswer("not-needed"))
    judgement = seal(held, answers)
    assert (
        "Propose the smaller set" in rosa.get(address("judgement", judgement.pk)).content.decode()
    )
    for _ in range(2):
        rosa.post(address("judgement-smaller", judgement.pk))
    proposed = EvidenceSet.objects.filter(origin="person")
    assert [one.members.count() for one in proposed] == [1]


# --- Overview --------------------------------------------------------------------------------


def test_lead_sees_counts_and_opens_sets(project: Project, cast: Cast, scene: Scene) -> None:
    """Every set is counted once; opening the rest says how many."""
    judge(member(project, cast.rosa), scene.item)
    make_evidence_set(make_claim(project, value="new"))
    lead = client_for(cast.lead)
    page = lead.get(address("review")).content.decode()
    assert "awaiting a first reviewer" in page
    assert "No sets" not in page
    assert lead.post(address("review-open"), {}).status_code == 422
    response = lead.post(address("review-open"), {"origins": ["reference"]}, follow=True)
    assert "Opened for review: 1." in response.content.decode()
    assert Item.objects.count() == 3


def test_reviewer_sees_own_totals_only(project: Project, cast: Cast, scene: Scene) -> None:
    """Own progress has a fixed denominator; what others did changes no byte."""
    rui = client_for(cast.rui)
    before = rui.get(address("review")).content
    judge(member(project, cast.rosa), scene.item, refusing("entailment"))
    assert without_tokens(rui.get(address("review")).content) == without_tokens(before)
    assert b"Workload" not in before
    assert b'>0</span> of <span class="figure">2</span> sealed by me' in before


def without_tokens(body: bytes) -> bytes:
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", body)


def test_home_counts_follow_the_roles(project: Project, cast: Cast, disputed: Item) -> None:
    """A reviewer's line holds own totals; an adjudicator's and a lead's the project's."""
    assert [(w.count, w.of) for w in home_counts(member(project, cast.rosa))] == [(1, 2)]
    assert [(w.count, w.of) for w in home_counts(member(project, cast.adjudicator))] == [(1, None)]
    lead = home_counts(member(project, cast.lead))
    assert [(w.count, w.of) for w in lead] == [(1, 2), (0, 2), (1, 2), (0, None)]
    assert home_counts(member(project, cast.reader)) == ()


# --- Adjudication ----------------------------------------------------------------------------


def test_dispute_shows_answers_without_names_and_records_it(
    project: Project, cast: Cast, disputed: Item
) -> None:
    """What differs is in view, what agrees is folded, who said it is nowhere."""
    ada = client_for(cast.adjudicator)
    assert str(disputed.pk) in ada.get(address("adjudication")).content.decode()
    page = ada.get(address("adjudication-item", disputed.pk)).content.decode()
    assert "no entailment" in page
    assert "Agreed on" in page
    for user in (cast.rosa, cast.rui):
        assert user.display_name not in page
        assert user.username not in page
    exposure = Exposure.objects.get()
    assert (exposure.person, exposure.object_id) == (cast.adjudicator, disputed.pk)
    ada.get(address("adjudication-item", disputed.pk))
    assert Exposure.objects.count() == 1


def test_order_of_judgements_is_per_item_and_not_by_time_or_person(
    project: Project, cast: Cast
) -> None:
    """Over many items each reviewer is A about as often as B, whoever sealed first."""
    scene = open_scene(project, cast.lead, sets=12)
    ada = member(project, cast.adjudicator)
    firsts = []
    for item in scene.items:
        judge(member(project, cast.rosa), item, refusing("entailment"))
        judge(member(project, cast.rui), item)
        item.refresh_from_db()
        seen = judgements_seen(ada, item).judgements
        assert seen == judgements_seen(ada, item).judgements
        firsts.append(seen[0].judgement.reviewer_id)
    assert set(firsts) == {cast.rosa.pk, cast.rui.pk}


def test_deciding_needs_choice_and_reason(cast: Cast, disputed: Item) -> None:
    """Errors at the field; then the decision, and the item leaves the list."""
    ada = client_for(cast.adjudicator)
    url = address("adjudicate", disputed.pk)
    response = ada.post(url, {"decision": "accepted", "reason": ""})
    assert response.status_code == 422
    assert not Verdict.objects.exists()
    page = ada.get(address("adjudication-item", disputed.pk)).content.decode()
    seen = page.split('name="seen" value="')[1].split('"')[0]
    body = {"decision": "accepted", "reason": "the rule covers it", "seen": seen}
    for _ in range(2):
        assert ada.post(url, body).status_code == 302
    assert Verdict.objects.get().reason == "the rule covers it"
    assert str(disputed.pk) not in ada.get(address("adjudication")).content.decode()
    page = ada.get(address("adjudication-item", disputed.pk)).content.decode()
    assert "the rule covers it" in page


def test_judge_may_not_open_the_dispute(project: Project, cast: Cast, disputed: Item) -> None:
    """A conflict of interest is refused with its reason, before anything is shown."""
    set_membership(project, cast.rosa, roles=[Role.REVIEWER, Role.ADJUDICATOR], actor=None)
    response = client_for(cast.rosa).get(address("adjudication-item", disputed.pk))
    assert response.status_code == 403
    assert "in hand as a reviewer" in response.content.decode()
    assert not Exposure.objects.exists()


def test_fresh_round_without_reviewers_is_refused_at_the_form(cast: Cast, disputed: Item) -> None:
    """The reason typed stays on the page."""
    ada = client_for(cast.adjudicator)
    response = ada.post(address("fresh-round", disputed.pk), {"reason": "both misread it"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "A fresh round needs 2 reviewers" in page
    assert "both misread it" in page


def test_item_still_in_review_shows_no_answers(project: Project, cast: Cast, scene: Scene) -> None:
    """Adjudicators and leads see answers once all have sealed, not earlier."""
    judge(member(project, cast.rosa), scene.item, refusing("entailment"))
    for user in (cast.adjudicator, cast.lead):
        page = client_for(user).get(address("adjudication-item", scene.item.pk)).content.decode()
        assert "no entailment" not in page
    assert not Exposure.objects.exists()


@pytest.mark.parametrize(
    ("name", "who"), [("review", "rosa"), ("review", "lead"), ("adjudication", "adjudicator")]
)
def test_lists_take_the_same_number_of_queries(
    project: Project, cast: Cast, name: str, who: str
) -> None:
    """One row or many, the number of queries stays."""
    scene = open_scene(project, cast.lead, sets=3)
    client = client_for(getattr(cast, who))
    counts = []
    for item in (scene.items[0], *scene.items[1:]):
        judge(member(project, cast.rosa), item, refusing("entailment"))
        judge(member(project, cast.rui), item)
        if item in (scene.items[0], scene.items[2]):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address(name)).status_code == 200
            counts.append(len(queries))
    assert counts[0] == counts[1]


def test_every_refusing_answer_is_marked_on_the_desk(held: Assignment, rosa: Client) -> None:
    """The page unfolds a reason for exactly the answers that the rule takes as refusals."""
    page = rosa.get(address("desk", held.pk)).content.decode()
    for dimension in DIMENSIONS:
        for option in dimension.options:
            field = next(
                part.split(">")[0]
                for part in page.split("<input")
                if f'name="{dimension.key}" value="{option.key}"' in part
            )
            assert ("data-refuses" in field) == (option.stance is Stance.REFUSES)
