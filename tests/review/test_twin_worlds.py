"""Two worlds that differ in one secret look the same to whoever may not know it.

The project is crawled twice as the same reviewer: once as it is, once with another's sealed
judgement planted.
"""

from __future__ import annotations

import pytest

from adjudication.api.views import claims as api_claims
from adjudication.claims.actions import note_premise, record_contradiction
from adjudication.claims.models import (
    Contradiction,
)
from adjudication.claims.queries import conflicts_of
from adjudication.journal.actions import expose
from adjudication.journal.models import Exposure
from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.review.answers import MemberAnswer
from adjudication.review.models import Judgement, MemberJudgement
from adjudication.review.queries import records
from adjudication.review.queries.counts import Progress
from adjudication.review.queries.material import members_of
from adjudication.review.views import overview
from adjudication.review.visibility import Sight
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_user
from tests.review.crawling import API, NOWHERE, TOKEN, differing
from tests.review.scenes import Scene, judge, member, open_scene, refusing

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    """Two sets: Rui has the first in hand, and sealed the second."""
    scene = open_scene(project, cast.lead, sets=2)
    rui = member(project, cast.rui)
    actions.take(rui, scene.items[0].pk)
    judge(rui, scene.items[1])
    return scene


def test_what_another_does_changes_no_byte_before_ones_own_seal(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Rosa's sealed judgement on an item that Rui still holds is nowhere to be noticed.

    Nor what she adds to its claim: a smaller set, a contradiction, a premise note, a flag or a
    comment would say what she answered, and what a lead answers to a flag would say what he
    should.
    """
    rosa = member(project, cast.rosa)

    def accept() -> None:
        judge(rosa, scene.items[0])

    def refuse() -> None:
        judge(rosa, scene.items[0], refusing("entailment", "boundary"))

    def add() -> None:
        item = scene.items[0]
        flag = actions.flag(actions.take(rosa, item.pk), "wrong-claim", "Two claims in one.")
        actions.resolve_flag(flag, reason="It is one claim.", by=scene.lead)
        actions.comment(rosa, item, "The second member says otherwise.")
        actions.comment(member(project, cast.adjudicator), item, "Which of the two?")
        beside = MemberAnswer(MemberJudgement.Needed.NOT_NEEDED)
        answers = refusing("minimality").with_member(members_of(item)[-1].pk, beside)
        smaller = actions.propose_smaller(judge(rosa, item, answers))
        record_contradiction(
            smaller.claim,
            [one.span for one in smaller.members.all()],
            material=True,
            treatment=Contradiction.Treatment.UNRESOLVED,
            note="The second member says otherwise.",
            by=cast.rosa,
        )
        note_premise(
            members_of(item)[0].span.version,
            authority="Nobody knows.",
            basis="It should not be believed.",
            open_dispute=True,
            by=cast.rosa,
        )

    assert not differing(client_for(cast.rui), accept, refuse, add)


@pytest.mark.parametrize("role", [Role.LEAD, Role.ADJUDICATOR])
def test_what_the_next_version_would_hold_is_kept_from_who_may_still_judge(
    project: Project, cast: Cast, scene: Scene, role: Role
) -> None:
    """Decided without them, a set may come to them once it is reopened; another waits."""
    ulla = make_user("ulla")
    add_member(project, ulla, role, Role.REVIEWER)

    def decide() -> None:
        judge(member(project, cast.rosa), scene.items[1])

    assert "kept from you" in client_for(ulla).get("/p/film-study/releases/").text
    assert not differing(client_for(ulla), decide, under="releases/")


def test_last_seal_shows_only_that_all_have_sealed(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """On an item that Rui sealed, hers completes the round: his own page of it may say so."""
    rosa, mine = member(project, cast.rosa), Judgement.objects.get().pk
    found = differing(client_for(cast.rui), lambda: judge(rosa, scene.items[1]), under="review/")
    assert found == [f"/p/film-study/review/judgements/{mine}/"]


def test_a_count_of_others_is_caught(
    project: Project, cast: Cast, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted on purpose: a total that includes others' judgements makes the worlds differ."""

    def leaking(*_: object) -> Progress:
        return Progress(Judgement.objects.count(), 0, 0, 2)

    monkeypatch.setattr(overview.queries, "progress_of", leaking)
    rosa = member(project, cast.rosa)
    found = differing(client_for(cast.rui), lambda: judge(rosa, scene.items[0]), under="review/")
    assert "/p/film-study/review/" in found


@pytest.mark.slow
def test_a_record_of_another_reviewer_in_the_api_is_caught(
    project: Project, cast: Cast, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted on purpose: contradictions as the lead sees them tell Rui what Rosa recorded."""
    claim = scene.items[0].evidence_set.claim

    def record() -> None:
        record_contradiction(
            claim,
            [],
            material=True,
            treatment=Contradiction.Treatment.UNRESOLVED,
            note="Two dates.",
            by=cast.rosa,
        )

    viewer, lead = client_for(cast.rui), member(project, cast.lead)
    assert not differing(viewer, record, under=API)
    monkeypatch.setattr(api_claims, "conflicts_of", lambda _, claim: conflicts_of(lead, claim))
    found = differing(viewer, record, under=API)
    assert found == [f"/api/v1/projects/film-study/claims/{claim.pk}/contradictions"]


def test_judgements_shown_too_early_are_caught(
    project: Project, cast: Cast, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted on purpose: were the visibility service to grant them early, it would show."""
    monkeypatch.setattr(records, "may_see", lambda *_: Sight.NAMELESS)
    rosa, sealed = member(project, cast.rosa), scene.items[1]
    expose(
        cast.rui, [sealed], Exposure.Side.JUDGEMENT, project_id=project.pk, place="own judgement"
    )
    found = differing(client_for(cast.rui), lambda: judge(rosa, sealed), under="review/")
    assert found == [f"/p/film-study/review/judgements/{Judgement.objects.get().pk}/"]


def test_another_person_cannot_be_told_from_nobody_by_ids(
    project: Project, cast: Cast, scene: Scene
) -> None:
    """Foreign, sealed and missing ids of assignments and judgements answer the same."""
    theirs = judge(member(project, cast.rosa), scene.items[0])
    rui = client_for(cast.rui)
    for kind, key in (("desk", theirs.assignment_id), ("judgements", theirs.pk)):
        known = rui.get(f"/p/film-study/review/{kind}/{key}/")
        missing = rui.get(f"/p/film-study/review/{kind}/{NOWHERE}/")
        assert known.status_code == missing.status_code == 404
        assert TOKEN.sub(b"", known.content) == TOKEN.sub(b"", missing.content)
