"""A file is sent in pieces; what is lost on the way is sent again, and nothing twice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from adjudication.imports.models import Import
from adjudication.imports.tasks import work_on
from adjudication.projects.models import Role
from tests.browser.conftest import SignIn
from tests.claims.samples import json_lines, musique_record
from tests.factories import add_member, make_project, make_user

DATA = json_lines(*(musique_record(f"2hop__{n}") for n in range(8)))
PIECES = re.compile("/pieces/.offset=")


@pytest.fixture
def lena(site: str, sign_in: SignIn, settings: Any) -> Page:
    """A lead's browser at the form."""
    settings.PIECE_LIMIT = 1000
    add_member(make_project("film-study"), make_user("lena"), Role.LEAD)
    page = sign_in("lena")
    page.goto("/p/film-study/corpus/import/")
    return page


def choose(page: Page, path: Path) -> None:
    path.write_bytes(DATA)
    page.locator("input[type=file]").set_input_files(path)
    page.locator("[name=format]").select_option("musique")
    page.get_by_role("button", name="Look at it").click()


def finish(page: Page) -> None:
    """Let the worker look at the file, which is whole and as it was; then the page."""
    page.wait_for_url("**/corpus/imports/**")
    one = Import.objects.get()
    assert (one.received, one.size) == (len(DATA), len(DATA))
    work_on(one.pk)
    expect(page.get_by_role("heading", level=1)).to_have_text("What the file holds")
    expect(page.locator("main tbody tr").first).to_contain_text("3")


@pytest.mark.slow
def test_lost_piece_is_sent_again(lena: Page, tmp_path: Path) -> None:
    """The connection fails twice, once after the piece had arrived; the file is whole."""
    attempts: list[str] = []

    def unreliable(route: Route) -> None:
        attempts.append(route.request.url)
        if len(attempts) == 2:
            route.abort("connectionreset")
        elif len(attempts) == 4:
            route.fetch()
            route.abort("connectionreset")
        else:
            route.continue_()

    lena.route(PIECES, unreliable)
    choose(lena, tmp_path / "data.jsonl")
    finish(lena)
    assert len(attempts) >= len(DATA) / 1000 + 2


@pytest.mark.slow
def test_file_goes_on_after_the_browser_was_closed(
    lena: Page, sign_in: SignIn, tmp_path: Path
) -> None:
    """Stopped half-way; the same file chosen again in another browser is sent from there on."""
    path = tmp_path / "data.jsonl"
    sent: list[str] = []

    def two(route: Route) -> None:
        sent.append(route.request.url)
        route.continue_() if len(sent) <= 2 else route.abort("connectionreset")

    lena.route(PIECES, two)
    choose(lena, path)
    expect(lena.locator("[data-sent]")).to_contain_text("connection was lost")
    lena.get_by_role("button", name="Stop").click()
    expect(lena.locator("[data-sent]")).to_contain_text("choose the same file to go on")
    assert Import.objects.get().received == 2000
    modified = path.stat()
    lena.close()

    again = sign_in("lena")
    again.goto("/p/film-study/corpus/import/")
    expect(again.locator("main")).to_contain_text("half sent")
    offsets: list[str] = []
    again.on("request", lambda one: offsets.append(one.url) if PIECES.search(one.url) else None)
    assert path.stat() == modified
    again.locator("input[type=file]").set_input_files(path)
    again.locator("[name=format]").select_option("musique")
    again.get_by_role("button", name="Look at it").click()
    finish(again)
    assert offsets[0].endswith("offset=2000")


def test_form_works_without_script(lena: Page, tmp_path: Path) -> None:
    """A plain post is enough."""
    lena.evaluate(
        "document.querySelector('form[data-upload]').addEventListener('submit', "
        "(event) => event.stopImmediatePropagation(), true)"
    )
    choose(lena, tmp_path / "data.jsonl")
    finish(lena)
