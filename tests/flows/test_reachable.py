"""Whoever may open a page finds a link to it."""

from __future__ import annotations

import re

import pytest
from django.urls import URLPattern

from adjudication.projects.models import Project
from adjudication.review import actions
from adjudication.specifications.actions import start_draft
from adjudication.urls import project_pages
from tests.conftest import Cast, client_for
from tests.review.scenes import open_scene

pytestmark = pytest.mark.django_db
HOME = "/p/film-study/"
BY_BUTTON = HOME + "specification/freeze/"
"""Reached by saving the draft, so that what is typed there is not lost."""
AGREEMENT = HOME + "specification/1/agreement/"


def test_lead_reaches_every_page_by_links(project: Project, cast: Cast) -> None:
    """From the home of the project on, whatever needs no id in its address."""
    scene = open_scene(project, cast.lead)
    actions.publish_guidelines(scene.lead, "One.", reason="Asked for.")
    actions.publish_guidelines(scene.lead, "Two.", reason="Asked for.")
    start_draft(project, by=cast.lead)
    lead = client_for(cast.lead)
    wanted = {HOME + str(one.pattern) for one in project_pages if isinstance(one, URLPattern)}
    there = {url for url in wanted if "<" not in url and lead.get(url).status_code == 200}
    there = there - {BY_BUTTON} | {AGREEMENT}
    found, waiting = {HOME}, [HOME]
    while waiting:
        page = lead.get(waiting.pop())
        if page.headers["Content-Type"].startswith("text/html"):
            links = re.findall(r'<a [^>]*href="(/p/film-study/[^"?#]*)', page.text)
            new = set(links) & there - found
            found |= new
            waiting += new
    assert there - found == set()
