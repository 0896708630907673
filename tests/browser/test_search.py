"""Searching in a browser: by keyboard, and while a worker still builds the index."""

from __future__ import annotations

import pytest

from adjudication import celery_app
from adjudication.projects.models import Role
from adjudication.search import actions
from adjudication.search.tasks import build_index
from tests.browser.conftest import SignIn
from tests.factories import add_member, make_project, make_user, make_version


def test_search_by_keyboard_and_wait_for_the_index(
    site: str, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slash leads to the words, Enter asks; results come by themselves once they are there."""
    asked: list[list[object]] = []
    monkeypatch.setattr(actions, "AT_ONCE", 0)
    monkeypatch.setattr(celery_app, "send_task", lambda name, args, **_: asked.append(args))
    project = make_project("film-study")
    add_member(project, make_user("remy"), Role.READER)
    make_version(project, "東京\n東京は日本の首都です。 🌲")
    page = sign_in("remy")
    page.goto("/p/film-study/corpus/search/")
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("首都")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The index is being built").wait_for()
    build_index(*asked[0])
    mark = page.locator("mark", has_text="首都")
    mark.wait_for(timeout=10_000)
    page.get_by_role("link", name="東京").click()
    page.wait_for_url("**/corpus/versions/**")
