"""The whole path in a browser: from an empty site to a verified export."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn
from tests.conftest import ROOT, CommittedDatabase
from tests.factories import make_user

# Two questions in the dialect of MuSiQue: the evidence for the second is not in the corpus.
PAGES = {
    "The Glass Orchard": "The Glass Orchard is a 2011 drama film directed by Mirela Vance.",
    "Mirela Vance": "Mirela Vance (born 14 March 1969) is a film director and glass blower.",
    "Salt Harbour": "Salt Harbour is a 2004 drama film directed by Ines Calloway.",
    "Ines Calloway": "Ines Calloway is a film director who works with amateur actors.",
}


def record(number: int, film: str, director: str, born: str) -> dict[str, object]:
    paragraphs = [
        {
            "idx": index,
            "title": title,
            "paragraph_text": text,
            "is_supporting": title in {film, director},
        }
        for index, (title, text) in enumerate(PAGES.items())
    ]
    place = {title: index for index, title in enumerate(PAGES)}
    return {
        "id": f"2hop__{number}",
        "question": f"When was the director of {film} born?",
        "answer": born,
        "answer_aliases": [],
        "answerable": True,
        "paragraphs": paragraphs,
        "question_decomposition": [
            {
                "id": 1,
                "question": f"Who is the director of {film}?",
                "answer": director,
                "paragraph_support_idx": place[film],
            },
            {
                "id": 2,
                "question": "When was #1 born?",
                "answer": born,
                "paragraph_support_idx": place[director],
            },
        ],
    }


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    path = tmp_path / "films.json"
    questions = [
        record(1, "The Glass Orchard", "Mirela Vance", "14 March 1969"),
        record(2, "Salt Harbour", "Ines Calloway", "7 May 1933"),
    ]
    path.write_text(json.dumps(questions))
    return path


@pytest.fixture
def worker(committed: CommittedDatabase) -> Iterator[None]:
    """A real worker process on the database of this test."""
    command = [sys.executable, "-m", "celery", "-A", "adjudication", "worker", "-c", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=committed.environment)
    yield
    process.terminate()
    process.wait()


@pytest.mark.slow
def test_from_an_empty_site_to_a_verified_export(
    committed: CommittedDatabase, worker: None, sign_in: SignIn, data_file: Path, tmp_path: Path
) -> None:
    """Every step of the path works in the browser, and each hands over to the next."""
    make_user("lena", is_operator=True)
    for name in ("rosa", "rui", "ada"):
        make_user(name)

    lena = sign_in("lena")
    open_project(lena)
    add_people(lena, {"rosa": ["reviewer"], "rui": ["reviewer"], "ada": ["adjudicator"]})
    import_file(lena, data_file)
    freeze(lena)
    run_certify(lena)
    open_review(lena)

    # Three sets: the reference sets of both questions and the certificate of one.
    judge_everything_by_keyboard(sign_in("rosa"))
    dispute_everything(sign_in("rui"))
    settle_everything(sign_in("ada"))

    release(lena, sign_in("ada"))
    export = download(lena, tmp_path)
    assert verdict_of_check(lena, export) == "intact"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(export.read_bytes().replace(b"Mirela", b"Mirelb", 1))
    assert verdict_of_check(lena, damaged) == "damaged"


def open_project(lena: Page) -> None:
    lena.goto("/projects/new/")
    lena.locator("[name=slug]").fill("films")
    lena.locator("[name=title]").fill("Film study")
    lena.locator("main form").get_by_role("button").last.click()
    expect(lena).to_have_url(re.compile("/p/films/"))


def add_people(lena: Page, people: dict[str, list[str]]) -> None:
    for username, roles in people.items():
        lena.goto("/p/films/people/add/")
        lena.locator("[name=username]").fill(username)
        for role in roles:
            lena.locator(f"[name=roles][value={role}]").check()
        lena.locator("main form .button-main").click()
    lena.goto("/p/films/people/")
    expect(lena.locator("main tbody tr")).to_have_count(4)


def import_file(lena: Page, path: Path) -> None:
    lena.goto("/p/films/corpus/import/")
    lena.locator("input[type=file]").set_input_files(path)
    lena.locator("[name=format]").select_option("musique")
    lena.get_by_role("button", name="Look at it").click()
    expect(lena.get_by_role("heading", level=1)).to_have_text("What the file holds", timeout=60_000)
    lena.get_by_role("button", name="Import", exact=True).click()
    expect(lena.get_by_role("heading", name="Imported")).to_be_visible(timeout=60_000)
    lena.goto("/p/films/claims/")
    expect(lena.locator("main")).to_contain_text("When was the director of Salt Harbour born?")


def freeze(lena: Page) -> None:
    lena.goto("/p/films/specification/")
    lena.get_by_role("button", name="Start the first specification").click()
    lena.get_by_role("button", name="Save and look it over").click()
    lena.get_by_role("button", name="Freeze for good").click()
    expect(lena.locator("main .badge").first).to_contain_text("frozen")


def run_certify(lena: Page) -> None:
    lena.goto("/p/films/runs/new/")
    lena.get_by_role("button", name="Start the run").click()
    expect(lena.locator("main")).to_contain_text(re.compile("2 of 2"), timeout=60_000)
    lena.reload()
    expect(lena.locator("main")).to_contain_text("certified")
    expect(lena.locator("main")).to_contain_text("abstained")


def open_review(lena: Page) -> None:
    lena.goto("/p/films/review/")
    for box in lena.locator("form[action$='/review/open/'] input[type=checkbox]").all():
        box.check()
    lena.get_by_role("button", name="Open for review").click()
    waiting = lena.locator(".tallies div", has_text="awaiting a first reviewer")
    expect(waiting.locator("dd")).not_to_have_text("0")


def next_item(page: Page) -> bool:
    """Take the next item; False when nothing waits any more."""
    page.goto("/p/films/review/")
    with page.expect_navigation():
        page.locator("form[action$='/review/next/'] button").click()
    return "/review/desk/" in page.url


def judge_everything_by_keyboard(rosa: Page) -> None:
    """Seven keystrokes an item and no click: six answers and the seal."""
    judged = 0
    while "/review/desk/" in rosa.url or next_item(rosa):
        for digit in "111111":
            rosa.keyboard.press(digit)
        with rosa.expect_navigation():
            rosa.keyboard.press("Control+Enter")
        judged += 1
        assert judged < 10
    assert judged >= 2


def dispute_everything(rui: Page) -> None:
    """The second reviewer misses a step, so every set goes to the adjudicator."""
    while "/review/desk/" in rui.url or next_item(rui):
        rui.locator("[name=entailment][value=does-not]").check()
        rui.locator("[name=entailment-reason][value=missing-step]").check()
        for name, value in (
            ("minimality", "minimal"),
            ("admissibility", "admissible"),
            ("alternatives", "on-its-own"),
            ("contradiction", "none"),
            ("boundary", "within"),
        ):
            rui.locator(f"[name={name}][value={value}]").check()
        with rui.expect_navigation():
            rui.get_by_role("button", name="Seal judgement").click()


def settle_everything(ada: Page) -> None:
    settled = 0
    while True:
        ada.goto("/p/films/adjudication/")
        disputes = ada.locator("main tbody a, main article a").all()
        if not disputes:
            break
        with ada.expect_navigation():
            disputes[0].click()
        ada.locator("[name=decision][value=accepted]").check()
        ada.locator("form[action$='/verdict/'] [name=reason]").fill("The sentence names her.")
        with ada.expect_navigation():
            ada.get_by_role("button", name="Decide").click()
        settled += 1
        assert settled < 10
    assert settled >= 2


def release(lena: Page, ada: Page) -> None:
    lena.goto("/p/films/releases/")
    lena.get_by_role("button", name="Ask for a release").click()
    ada.goto("/p/films/releases/")
    ada.get_by_role("button", name="Approve and release version 1").click()
    lena.goto("/p/films/releases/1/")
    expect(lena.get_by_role("heading", level=1)).to_contain_text("1")


def download(lena: Page, folder: Path) -> Path:
    lena.goto("/p/films/releases/1/")
    with lena.expect_download() as waiting:
        lena.locator("a[href*='/export/public/']").first.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def verdict_of_check(lena: Page, path: Path) -> str:
    lena.goto("/verify/")
    lena.locator("input[type=file]").set_input_files(path)
    lena.get_by_role("button", name="Check").click()
    return lena.locator("main .badge").first.inner_text().strip()
