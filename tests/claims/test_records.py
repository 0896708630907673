"""What people record on a claim: routes, contradictions, decisions, premise notes."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from adjudication.claims.models import (
    Claim,
    ClaimDecision,
    Contradiction,
    EvidenceSet,
    InferenceRule,
    PremiseNote,
)
from adjudication.corpus.models import Span
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.claims.records import contradict, proposed_claim
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
from tests.factories import (
    make_claim,
    make_version,
    span_of,
)


@pytest.fixture
def spans(project: Project) -> list[Span]:
    return [
        span_of(make_version(project, f"Ledger {n}\nEntry {n} holds."), f"Entry {n} holds.")
        for n in (1, 2)
    ]


def test_route_is_proposed_from_ticks_and_ids(
    project: Project, rosa: Client, cast: Cast, spans: list[Span]
) -> None:
    """Members in the order given, with the rules chosen, by that person; twice is one."""
    claim = make_claim(project)
    rule = InferenceRule.objects.create(
        project=project, key="join", kind="join", statement="Joined by the record."
    )
    data = {"spans": [str(spans[1].pk)], "ids": f"{spans[0].pk}\n", "rules": [str(rule.pk)]}
    for _ in range(2):
        response = rosa.post(address("propose-route", claim.pk), data)
    made = EvidenceSet.objects.get()
    assert response.headers["Location"].endswith(f"#route-{made.pk}")
    assert [member.span for member in made.members.all()] == [spans[1], spans[0]]
    assert (made.origin, made.author, list(made.rules.all())) == ("person", cast.rosa, [rule])


def test_search_finds_spans_and_keeps_what_was_ticked(
    project: Project, rosa: Client, spans: list[Span]
) -> None:
    """Looking for more writes nothing and loses nothing."""
    claim = make_claim(project)
    data = {"find": "yes", "title": "ledger 2", "spans": [str(spans[0].pk)]}
    response = rosa.post(address("propose-route", claim.pk), data)
    found = response.content.decode()
    assert response.status_code == 200
    assert f'value="{spans[0].pk}" id="tick-{spans[0].pk}" checked' in found
    assert f'value="{spans[1].pk}" id="tick-{spans[1].pk}">' in found
    assert not EvidenceSet.objects.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "Choose at least one span"),
        ({"ids": "x"}, "You may read no span with the id x"),
        ({"spans": [str(uuid4())]}, "You may read no span"),
        ({"ids": "a\0"}, "Null characters"),
    ],
)
def test_route_without_readable_members_is_refused(
    project: Project, rosa: Client, data: dict[str, object], said: str
) -> None:
    """The form says why, and no set is made."""
    response = rosa.post(address("propose-route", make_claim(project).pk), data)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not EvidenceSet.objects.exists()


def test_blocked_span_cannot_be_proposed_nor_found(project: Project, rosa: Client) -> None:
    """Its id is answered as an unknown one, its title finds nothing."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project)
    hidden = span_of(make_version(project, "Vault\nsecret", reader_classes=["legal"]), "secret")
    url = address("propose-route", claim.pk)
    assert "no span" in rosa.post(url, {"ids": str(hidden.pk)}).content.decode()
    found = rosa.post(url, {"find": "yes", "title": "Vault"}).content.decode()
    assert "secret" not in found
    assert str(hidden.pk) not in found


@pytest.mark.parametrize("who", ["auditor", "reader"])
def test_readers_record_nothing(project: Project, cast: Cast, who: str) -> None:
    """No form is offered, and a post is refused."""
    claim, client = make_claim(project), client_for(getattr(cast, who))
    found = page(client, address("claim", claim.pk))
    for name in ("propose-route", "contradict"):
        assert address(name, claim.pk) not in found
        assert client.post(address(name, claim.pk)).status_code == 403
    notes = address("premise-notes", make_version(project).pk)
    assert client.post(notes).status_code == 403


# --- Contradictions, decisions, premises -------------------------------------------------------


def test_contradiction_is_recorded_once_and_superseded_by_name(
    project: Project, rosa: Client, spans: list[Span]
) -> None:
    """A second click adds nothing; a resolution names what it replaces."""
    claim = make_claim(project)
    for _ in range(2):
        assert contradict(rosa, claim, *spans).status_code == 302
    first = Contradiction.objects.get()
    assert set(first.spans.all()) == set(spans)
    resolved = {"treatment": "resolved", "note": "Ledger 2 is newer.", "supersedes": str(first.pk)}
    for _ in range(2):
        assert contradict(rosa, claim, *spans, **resolved).status_code == 302
    assert Contradiction.objects.count() == 2
    found = page(rosa, address("claim", claim.pk))
    assert "badge-superseded" in found
    assert "badge-resolved" in found
    late = contradict(rosa, claim, **resolved | {"note": "Too late."})
    assert late.status_code == 422
    assert "superseded before" in late.content.decode()


def test_contradiction_hides_its_author_from_reviewers(
    project: Project, cast: Cast, rosa: Client, lead: Client
) -> None:
    """A colleague's name must not weigh on a judgement."""
    claim = make_claim(project)
    contradict(client_for(cast.rui), claim)
    assert "by Rui" in page(lead, address("claim", claim.pk))
    assert "Rui" not in page(rosa, address("claim", claim.pk))


@pytest.mark.parametrize("missing", ["material", "treatment", "note"])
def test_contradiction_lacking_a_part_is_refused(
    project: Project, rosa: Client, missing: str
) -> None:
    """Whether it matters, how it is treated and why are all needed."""
    response = contradict(rosa, make_claim(project), **{missing: " "})
    assert response.status_code == 422
    assert not Contradiction.objects.exists()


def decide(client: Client, claim: Claim, decision: str, **data: object) -> Any:
    return client.post(address("decide-claim", claim.pk), {"decision": decision} | data)


def test_proposed_claim_is_merged_into_another(project: Project, lead: Client) -> None:
    """The decision names the other claim; a second click changes nothing."""
    claim = make_claim(project)
    proposed = proposed_claim(claim)
    assert "Is this a claim of the question?" in page(lead, address("claim", proposed.pk))
    for _ in range(2):
        response = decide(lead, proposed, "merged", into=str(claim.pk), reason="Same entity.")
        assert response.status_code == 302
    decision = ClaimDecision.objects.get()
    assert (decision.into, decision.reason) == (claim, "Same entity.")
    assert "Is this a claim of the question?" not in page(lead, address("claim", proposed.pk))
    assert decide(lead, proposed, "accepted").status_code == 422


@pytest.mark.parametrize(
    ("decision", "said"),
    [("merged", "Say with which claim"), ("refused", "Say why"), ("x", "Select a valid choice")],
)
def test_decision_lacking_a_part_is_refused(
    project: Project, lead: Client, decision: str, said: str
) -> None:
    """A refusal needs its reason, a merger the other claim."""
    response = decide(lead, proposed_claim(make_claim(project)), decision)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert not ClaimDecision.objects.exists()


def test_claim_of_another_question_is_no_merger(project: Project, lead: Client) -> None:
    """It is not offered, and not taken."""
    elsewhere = make_claim(project, "Entity Z")
    response = decide(lead, proposed_claim(make_claim(project)), "merged", into=str(elsewhere.pk))
    assert response.status_code == 422


def test_reference_claim_is_not_decided(project: Project, lead: Client) -> None:
    """Only what a run proposed waits for a decision."""
    claim = make_claim(project)
    assert "Is this a claim of the question?" not in page(lead, address("claim", claim.pk))
    assert decide(lead, claim, "accepted").status_code == 422


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "auditor", "reader"])
def test_only_a_lead_decides(project: Project, cast: Cast, who: str) -> None:
    """Others are refused."""
    claim = proposed_claim(make_claim(project))
    assert decide(client_for(getattr(cast, who)), claim, "accepted").status_code == 403


def test_premise_note_stands_beside_the_version(project: Project, rosa: Client) -> None:
    """It is shown with source and version; the same note again is one note."""
    version = make_version(project)
    data = {"authority": "The registrar", "basis": "Kept by law.", "open_dispute": "on"}
    for _ in range(2):
        assert rosa.post(address("premise-notes", version.pk), data).status_code == 302
    assert PremiseNote.objects.count() == 1
    for url in (address("version", version.pk), address("premise-notes", version.pk)):
        found = page(rosa, url)
        assert "Kept by law." in found
        assert "open dispute" in found
    assert rosa.post(address("premise-notes", version.pk), {"authority": "A"}).status_code == 422
