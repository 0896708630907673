"""Pages of claims: blocked members, hidden origins, and what people record."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from adjudication.claims.actions import claim_for_answer, propose_evidence_set
from adjudication.claims.graphs import to_json
from adjudication.claims.models import (
    Claim,
    EvidenceSet,
    RequirementGraph,
)
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from certify_core.canonical import digest
from certify_core.model import Requirement
from certify_core.model import RequirementGraph as Graph
from tests.claims.records import contradict, proposed_claim
from tests.conftest import Cast, client_for
from tests.corpus.browsing import address, page
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


def certified(claim: Claim, text: str = "Cedar is mapped to R99.") -> EvidenceSet:
    span = span_of(make_version(claim.question.project, f"Run\n{text}"), text)
    return propose_evidence_set(claim, [span], origin=EvidenceSet.Origin.CERTIFY, author=None)


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
    assert client.get(address("claim", other.pk)).status_code == 404
    urls = (address("claim", claim.pk), address("claims"))
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


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ADJUDICATOR, Role.ANNOTATOR])
def test_auditor_who_also_judges_sees_no_proposals(
    project: Project, cast: Cast, role: Role
) -> None:
    """Reading the whole record waits for whoever may still have to judge."""
    claim = claim_for_answer(make_question(project), "Entity Q")
    auditor = client_for(cast.auditor)
    shown = (address("claims"), address("claim", claim.pk))
    assert all("badge-proposed" in page(auditor, one) for one in shown)
    add_member(project, cast.auditor, Role.AUDITOR, role)
    assert "Entity Q" not in page(auditor, shown[0])
    assert auditor.get(shown[1]).status_code == 404


def without_token(found: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]+"', "", found)


def test_certificate_adds_nothing_to_what_a_reviewer_sees(project: Project, cast: Cast) -> None:
    """Comparing pages before and after a run would tell which questions it answered."""
    claim = make_claim(project)
    make_evidence_set(claim)
    rosa = client_for(cast.rosa)
    urls = (address("claim", claim.pk), address("claims"), address("claims") + "?show=with-sets")
    before = [without_token(page(rosa, url)) for url in urls]
    certified(claim, "R17 belongs to R.")
    proposed_claim(claim)
    assert [without_token(page(rosa, url)) for url in urls] == before
    assert "R17 belongs to R." in page(client_for(cast.lead), urls[0])


def test_claim_on_hidden_sources_alone_is_withheld(project: Project, cast: Cast) -> None:
    """The answer would tell what a source says that its reader may not see."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project, value="Odile Okonkwo")
    make_evidence_set(claim, "Odile Okonkwo signs for R.", reader_classes=["legal"])
    remy = client_for(cast.reader)
    for url in (address("claims"), address("claim", claim.pk)):
        assert "Odile" not in page(remy, url)
        assert "withheld" in page(remy, url)
    make_evidence_set(claim, "The signatory of R is Odile Okonkwo.")
    assert "Odile Okonkwo" in page(remy, address("claim", claim.pk))


def test_order_of_routes_does_not_tell_who_came_first(project: Project, rosa: Client) -> None:
    """Sets are in the order of their digests, which nobody chooses."""
    claim = make_claim(project)
    sets = [make_evidence_set(claim, f"R{n}.") for n in range(5)]
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
