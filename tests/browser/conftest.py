"""Headless Chromium, signed in as any of the cast."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.factories import PASSWORD

# No background traffic: nothing but the page under test may open a connection.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

SignIn = Callable[[str], Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium. In CI it must be there; elsewhere its absence is a loud skip."""
    program = shutil.which("chromium")
    if program is None:
        message = "Chromium is not installed (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        # The driver's loop runs in this thread, where Django would refuse database work.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def sign_in(browser: Browser, site: str) -> Iterator[SignIn]:
    """A page of a fresh browser in which the named person has signed in by the form.

    The test fails if any page reported an error of script or style.
    """
    contexts = []
    errors: list[str] = []

    def enter(username: str, password: str = PASSWORD) -> Page:
        context = browser.new_context(base_url=site)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto("/sign-in/")
        page.get_by_label("Username").or_(page.locator("[name=username]")).first.fill(username)
        page.locator("[name=password]").fill(password)
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: "/sign-in/" not in url)
        return page

    yield enter
    for context in contexts:
        context.close()
    assert errors == []
