"""When an auditor may read what runs found."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from adjudication.projects.models import Project, Role
from adjudication.projects.queries import member_named
from adjudication.releases.actions import release
from adjudication.runs.actions import start_run
from adjudication.runs.rules import Configuration
from tests.conftest import Cast, client_for
from tests.factories import add_member, make_question
from tests.review.scenes import Scene, judge, member, open_scene


@pytest.fixture
def scene(project: Project, cast: Cast) -> Scene:
    made = open_scene(project, cast.lead)
    start_run(made.specification, [make_question(project)], Configuration(), cast.lead)
    return made


def status(client: Client, name: str = "run") -> int:
    return client.get(reverse(name, args=["film-study", 1])).status_code


def test_auditor_reads_runs_after_the_release(project: Project, cast: Cast, scene: Scene) -> None:
    """Before it, what a machine found is hidden from the record's reader too."""
    auditor, lead = client_for(cast.auditor), client_for(cast.lead)
    assert (status(auditor), status(auditor, "run-progress")) == (403, 403)
    assert status(lead) == 200
    for reviewer in (cast.rosa, cast.rui):
        judge(member(project, reviewer), scene.item)
    release(
        scene.specification,
        requested_by=scene.lead,
        approved_by=member_named(project, cast.adjudicator.username),
    )
    assert (status(auditor), status(auditor, "run-progress")) == (200, 200)


def test_auditor_finds_no_outcomes_in_the_list(project: Project, cast: Cast, scene: Scene) -> None:
    """The list counts certificates for leads alone; a stranger finds nothing at all."""
    address = reverse("runs", args=["film-study"])
    assert "Certificates" in client_for(cast.lead).get(address).content.decode()
    assert "Certificates" not in client_for(cast.auditor).get(address).content.decode()
    assert status(client_for(cast.stranger)) == 404
    assert status(client_for(cast.reader)) == 403


def test_lead_who_audits_keeps_a_leads_view(project: Project, cast: Cast, scene: Scene) -> None:
    """Roles combine: what a lead may see, they see as an auditor too."""
    add_member(project, cast.auditor, Role.AUDITOR, Role.LEAD)
    assert status(client_for(cast.auditor)) == 200
