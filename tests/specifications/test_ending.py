"""What ends with the test in force is said before a later one takes its place."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from adjudication.projects.models import Project, Role
from adjudication.review import actions
from adjudication.specifications.actions import start_draft
from tests.conftest import Cast, client_for
from tests.factories import add_member
from tests.review.crawling import differing
from tests.review.scenes import Scene, judge, member, open_scene, refusing

pytestmark = pytest.mark.django_db
FREEZE = "specification/freeze/"
SAYS = "with 2 sets waiting for a judgement and 1 for adjudication"


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    """Of four sets one is decided, one is disputed, one in hand, and one waits."""
    scene = open_scene(project, cast.lead, sets=4)
    rosa, rui = member(project, cast.rosa), member(project, cast.rui)
    for person, answers in ((rosa, None), (rui, refusing("entailment"))):
        judge(person, scene.items[0])
        judge(person, scene.items[1], answers)
    actions.take(rosa, scene.items[2].pk)
    start_draft(project, by=cast.lead)
    return scene


def test_lead_is_told_what_nobody_finishes(project: Project, cast: Cast, scene: Scene) -> None:
    """On the page before the button, and by the command."""
    page = client_for(cast.lead).get(f"/p/film-study/{FREEZE}").text
    assert SAYS in page
    assert "1 of them is in somebody’s hands" in page
    out = StringIO()
    call_command("freeze", "film-study", "--by", "lena", stdout=out)
    assert SAYS in out.getvalue()


def test_nothing_is_said_where_nothing_waits(project: Project, cast: Cast) -> None:
    """Neither before the first test nor once every set is decided."""
    start_draft(project, by=cast.lead)
    lead = client_for(cast.lead)
    assert "Reviewing under" not in lead.get(f"/p/film-study/{FREEZE}").text
    scene = open_scene(project, cast.lead)
    for user in (cast.rosa, cast.rui):
        judge(member(project, user), scene.item)
    start_draft(project, by=cast.lead)
    assert "Reviewing under" not in lead.get(f"/p/film-study/{FREEZE}").text


def test_lead_who_reviews_learns_no_count(project: Project, cast: Cast, scene: Scene) -> None:
    """What others sealed changes no byte of the page."""
    add_member(project, cast.lead, Role.LEAD, Role.REVIEWER)
    lead = client_for(cast.lead)
    assert "is kept from you" in lead.get(f"/p/film-study/{FREEZE}").text
    rui = member(project, cast.rui)
    assert not differing(lead, lambda: judge(rui, scene.items[2]), under=FREEZE)
