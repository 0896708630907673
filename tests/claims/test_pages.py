"""Pages of claims: blocked members, hidden origins, and what people record."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from adjudication.claims.actions import claim_for_answer, propose_evidence_set
from adjudication.claims.graphs import to_json
from adjudication.claims.models import (
    Claim,
    ClaimDecision,
    Contradiction,
    EvidenceSet,
    InferenceRule,
    PremiseNote,
    RequirementGraph,
)
from adjudication.corpus.models import Span
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from certify_core.canonical import digest
from certify_core.model import Requirement
from certify_core.model import RequirementGraph as Graph
from tests.conftest import Cast, client_for
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_question,
    make_version,
    span_of,
)

# What only a lead or an auditor may read of who proposed what.
ORIGINS = (
    "certificate of a run",
    "proposed by a run",
    "reference set of the data set",
    "reference answer",
    "proposed by a person",
    "written by a person",
)


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client_for(cast.lead)


@pytest.fixture
def rosa(cast: Cast) -> Client:
    return client_for(cast.rosa)


def address(name: str, *args: object) -> str:
    return reverse(name, args=["film-study", *args])


def page(client: Client, url: str, status: int = 200) -> str:
    response = client.get(url)
    assert response.status_code == status
    return response.content.decode()


def certified(claim: Claim, text: str = "Cedar is mapped to R99.") -> EvidenceSet:
    span = span_of(make_version(claim.question.project, f"Run\n{text}"), text)
    return propose_evidence_set(claim, [span], origin=EvidenceSet.Origin.CERTIFY, author=None)


def proposed_claim(claim: Claim, value: str = "Entity Q") -> Claim:
    return claim_for_answer(claim.question, value)


# --- Reading -----------------------------------------------------------------------------------


def test_claim_page_shows_routes_word_for_word(project: Project, rosa: Client) -> None:
    """Each member with its source and the way to its place."""
    claim = make_claim(project)
    evidence_set = make_evidence_set(claim, "Cedar is R17.", "R holds R17.")
    found = page(rosa, address("claim", claim.pk))
    for member in evidence_set.members.all():
        assert member.span.exact in found
        assert f"?span={member.span.pk}#span-{member.span.pk}" in found


def test_blocked_member_shows_only_that_it_exists_and_for_whom(
    project: Project, rosa: Client
) -> None:
    """Neither words, nor source, nor digest of what clearance does not open."""
    add_reader_class(project, key="legal", title="Counsel", actor=None)
    claim = make_claim(project)
    evidence_set = make_evidence_set(claim, "Hidden words of R17.", reader_classes=["legal"])
    span = evidence_set.members.get().span
    found = page(rosa, address("claim", claim.pk))
    assert "Readers: Counsel." in found
    for secret in ("Hidden words", str(span.pk), str(span.version_id), span.version.sha256[:8]):
        assert secret not in found


@pytest.mark.parametrize("who", ["rosa", "adjudicator", "reader"])
def test_origin_is_hidden_from_who_may_judge(project: Project, cast: Cast, who: str) -> None:
    """No page tells a reviewer which set or claim a machine proposed."""
    claim = make_claim(project)
    make_evidence_set(claim)
    certified(claim)
    other = proposed_claim(claim)
    certified(other, "Q holds R17.")
    client = client_for(getattr(cast, who))
    urls = (address("claim", claim.pk), address("claim", other.pk), address("claims"))
    for url in (*urls, address("claims") + "?show=proposed"):
        found = page(client, url)
        assert not [word for word in ORIGINS if word in found]
        assert "badge-proposed" not in found


def test_filter_for_proposals_tells_a_reviewer_nothing(project: Project, rosa: Client) -> None:
    """Asking for them by address lists every question, as if the filter were not there."""
    question = make_claim(project).question
    claim_for_answer(make_question(project, "Another?"), "Entity Q")
    found = page(rosa, address("claims") + "?show=proposed")
    assert question.text in found
    assert "Another?" in found


def test_lead_and_auditor_see_origins(project: Project, cast: Cast) -> None:
    """Who decides or audits must know."""
    claim = make_claim(project)
    certified(claim)
    for user in (cast.lead, cast.auditor):
        assert "certificate of a run" in page(client_for(user), address("claim", claim.pk))


def test_lead_who_also_reviews_sees_no_origin_of_sets(project: Project, cast: Cast) -> None:
    """Roles combine; judging still wants not knowing."""
    claim = make_claim(project)
    certified(claim)
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    assert "certificate of a run" not in page(client_for(cast.lead), address("claim", claim.pk))


def test_order_of_routes_does_not_tell_who_came_first(project: Project, rosa: Client) -> None:
    """Sets are in the order of their digests, which nobody chooses."""
    claim = make_claim(project)
    sets = [make_evidence_set(claim), *(certified(claim, f"R{n}.") for n in range(4))]
    found = page(rosa, address("claim", claim.pk))
    places = [found.index(f'id="route-{one.pk}"') for one in sorted(sets, key=lambda s: s.sha256)]
    assert places == sorted(places)


def test_refused_claim_is_gone_for_reviewers(project: Project, cast: Cast, lead: Client) -> None:
    """Only a run's proposals are decided, so a decision would tell its origin."""
    claim = proposed_claim(make_claim(project))
    lead.post(address("decide-claim", claim.pk), {"decision": "refused", "reason": "Wrong."})
    page(client_for(cast.rosa), address("claim", claim.pk), 404)
    assert "Wrong." in page(lead, address("claim", claim.pk))


def test_requirements_are_listed_as_steps(project: Project, rosa: Client) -> None:
    """Lookups and reasoning steps with what each needs."""
    claim = make_claim(project)
    body = to_json(
        Graph(
            (
                Requirement(1, "lookup", "The Salt Road >> director", expect="person"),
                Requirement(2, "lookup", "When was #1 born?", expect="date"),
                Requirement(3, "reasoning", "", op="select-earlier", args=("a", "#1", "b", "#2")),
            )
        )
    )
    RequirementGraph.objects.create(
        question=claim.question, number=1, origin="test", body=body, sha256=digest(body)
    )
    found = page(rosa, address("claim", claim.pk))
    assert "The Salt Road &gt;&gt; director" in found
    assert "select-earlier of a, #1, b, #2" in found
    assert 'needs <span class="figure">#1</span>' in found


def test_claims_are_found_and_filtered(project: Project, lead: Client) -> None:
    """By words of the question, by having routes, by waiting for a decision."""
    with_set = make_claim(project)
    make_evidence_set(with_set)
    proposed = claim_for_answer(make_question(project, "Which river is it?"), "Orrin")
    url = address("claims")
    assert str(proposed.pk) not in page(lead, f"{url}?words=CEDAR")
    assert str(with_set.pk) in page(lead, f"{url}?words=CEDAR")
    assert str(proposed.pk) not in page(lead, f"{url}?show=with-sets")
    shown = page(lead, f"{url}?show=proposed")
    assert str(proposed.pk) in shown
    assert str(with_set.pk) not in shown


def test_list_and_page_ask_a_fixed_number_of_queries(project: Project, lead: Client) -> None:
    """Three questions, routes and contradictions cost as much as one."""
    claim = make_claim(project)
    sizes = []
    for n in (1, 2):
        for _ in range(n):
            evidence_set = make_evidence_set(claim, f"Text {uuid4()}", f"Text {uuid4()}")
            contradict(lead, claim, evidence_set.members.all()[0].span, note=str(uuid4()))
            make_evidence_set(make_claim(project))
        counted = []
        for url in (address("claims"), address("claim", claim.pk)):
            with CaptureQueriesContext(connection) as queries:
                page(lead, url)
            counted.append(len(queries))
        sizes.append(counted)
    assert sizes[0] == sizes[1]


NAMES = ["claims", "claim", "propose-route", "contradict", "decide-claim", "premise-notes"]


@pytest.mark.parametrize("name", NAMES)
def test_stranger_finds_nothing(project: Project, cast: Cast, name: str) -> None:
    """Reading and writing alike."""
    client = client_for(cast.stranger)
    url = address(name, *([] if name == "claims" else [make_claim(project).pk]))
    answers = {client.get(url).status_code, client.post(url).status_code}
    # Where a method is refused, it is so for every address, of this project or of none.
    assert 404 in answers
    assert answers <= {404, 405}


@pytest.mark.parametrize("name", NAMES[1:])
def test_unknown_id_is_missing(lead: Client, project: Project, name: str) -> None:
    """An id of nothing is 404, and so is one of another project."""
    assert lead.post(address(name, uuid4())).status_code == (405 if name == "claim" else 404)
    assert lead.get(address(name, uuid4())).status_code == (405 if name == "decide-claim" else 404)


# --- Proposing a route -------------------------------------------------------------------------


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


def contradict(client: Client, claim: Claim, *spans: Span, **data: object) -> Any:
    given = {"material": "yes", "treatment": "unresolved", "note": "The ledgers disagree."}
    ids = {"spans": [str(span.pk) for span in spans]}
    return client.post(address("contradict", claim.pk), given | ids | data)


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
    for url in (address("version", version.pk), address("source", version.source_id)):
        found = page(rosa, url)
        assert "Kept by law." in found
        assert "open dispute" in found
    assert rosa.post(address("premise-notes", version.pk), {"authority": "A"}).status_code == 422
