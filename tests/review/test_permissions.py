"""What a specification lets reviewers see before their seal, and what it leaves hidden."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.test import Client

from adjudication.claims.actions import decide_claim
from adjudication.claims.models import ClaimDecision, EvidenceSet
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project
from adjudication.review import actions
from adjudication.review.models import Assignment, Item
from adjudication.review.visibility import PERMISSIBLE, Phase, Relation, Side, Sight, may_see
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from adjudication.specifications.actions import change_draft, freeze, start_draft
from tests.conftest import Cast, client_for
from tests.factories import make_question, make_version
from tests.review.scenes import member, seal
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS


@dataclass(frozen=True)
class Desk:
    """Rosa has a certificate in hand, on a test that shows reviewers what it shows."""

    rosa: Client
    assignment: Assignment

    def page(self, rest: str = "") -> str:
        return f"/p/film-study/review/desk/{self.assignment.pk}/{rest}"


def desk(project: Project, cast: Cast, **settings: bool) -> Desk:
    for text in (*FILMS, *BIRTHS):
        make_version(project, text)
    question = make_question(project, BIRTHPLACE)
    specification = freeze(change_draft(start_draft(project, by=None), settings, by=None), by=None)
    run = start_run(specification, [question], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    proposed = EvidenceSet.objects.get()
    claim = proposed.claim
    lead = member(project, cast.lead)
    decide_claim(claim, ClaimDecision.Decision.ACCEPTED, by=cast.lead)
    actions.open_items(specification, EvidenceSet.objects.all(), by=lead)
    held = actions.take(member(project, cast.rosa), Item.objects.get().pk)
    return Desk(client_for(cast.rosa), held)


def test_by_default_a_reviewer_learns_neither_proposer_nor_derivation(
    project: Project, cast: Cast
) -> None:
    """Not on the desk, and the page of the derivation is as missing."""
    shown = desk(project, cast)
    found = shown.rosa.get(shown.page()).text
    assert "certificate of a run" not in found
    assert "What a run found" not in found
    assert shown.rosa.get(shown.page("machine/")).status_code == 404


def test_permitted_proposer_is_a_line_on_the_desk_and_nothing_more(
    project: Project, cast: Cast
) -> None:
    """One permission does not grant the other."""
    shown = desk(project, cast, shows_proposer=True)
    found = shown.rosa.get(shown.page()).text
    assert "Proposed as: certificate of a run" in found
    assert shown.rosa.get(shown.page("machine/")).status_code == 404


def test_permitted_derivation_opens_as_part_and_as_page_without_exposure(
    project: Project, cast: Cast
) -> None:
    """What the test shows everybody takes nobody's item away, and the seal still counts."""
    shown = desk(project, cast, shows_machine=True)
    found = shown.rosa.get(shown.page()).text
    assert shown.page("machine/") in found
    assert "certificate of a run" not in found
    page = shown.rosa.get(shown.page("machine/")).text
    part = shown.rosa.get(shown.page("machine/"), headers={"HX-Request": "true"}).text
    assert "<html" in page
    assert "<html" not in part
    assert all("Derivation" in one and "Searched and read" in one for one in (page, part))
    assert not Exposure.objects.exists()
    sealed = seal(shown.assignment)
    assert not sealed.after_exposure
    assert not sealed.surplus


def test_permitted_derivation_is_the_reviewers_own_page(project: Project, cast: Cast) -> None:
    """Another reviewer's assignment is as missing as one of nobody."""
    shown = desk(project, cast, shows_machine=True)
    for person in (cast.rui, cast.adjudicator, cast.reader, cast.lead, cast.stranger):
        assert client_for(person).get(shown.page("machine/")).status_code in {403, 404}
    assert client_for(cast.rui).get(shown.page("machine/")).status_code == 404


@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("relation", Relation)
def test_permission_shows_reviewers_more_and_nobody_else(relation: Relation, side: Side) -> None:
    """Nor does it ever open judgements or the class of an audited link."""
    for phase in Phase:
        plain = may_see(relation, phase, side)
        permitted = may_see(relation, phase, side, frozenset(Side))
        if relation is Relation.REVIEWER and side in PERMISSIBLE:
            assert permitted is Sight.FULL
        else:
            assert permitted is plain
