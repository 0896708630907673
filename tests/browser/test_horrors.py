"""Every horror, selected in a browser, becomes exactly the span that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from adjudication.accounts.models import User
from adjudication.corpus.actions import Capture, capture_version
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.reading import WINDOW
from adjudication.imports.models import Import
from adjudication.imports.tasks import work_on
from adjudication.projects.models import Project, ReaderClass, Role
from tests.browser.conftest import SignIn
from tests.factories import OBSERVED, add_member, make_project, make_user, make_version
from tests.horrors import HORRORS, Horror
from tests.imports.test_horrors import contents

# Selects two places of the page, as dragging with the mouse does. A place is a run, and code
# points within it; what a browser counts are UTF-16 units.
DRAG = """([start, end]) => {
  const runs = [...document.querySelectorAll("[data-at]")];
  const at = (run) => Number(run.dataset.at);
  const point = (place, end) => {
    const run = runs.findLast((one) => end ? at(one) < place : at(one) <= place);
    const among = [...run.parentNode.childNodes].indexOf(run);
    if ("code" in run.dataset) return [run.parentNode, among + (end ? 1 : 0)];
    return [run.firstChild, [...run.firstChild.data].slice(0, place - at(run)).join("").length];
  };
  getSelection().setBaseAndExtent(...point(start, false), ...point(end, true));
  document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
  const { start: from, end: to, selected } = document.querySelector("[data-span-form]").elements;
  return [from.value, to.value, JSON.parse(selected.value)];
}"""


def store(project: Project, horror: Horror) -> SourceVersion:
    return capture_version(
        project,
        Capture(
            origin="test",
            key=horror.key,
            title=horror.name,
            snapshot=horror.data,
            encoding=horror.encoding,
            observed_at=OBSERVED,
        ),
        reader_classes=list(ReaderClass.objects.filter(project=project)),
        actor=None,
    )


@pytest.fixture
def rosa(site: str) -> User:
    return make_user("rosa")


@pytest.fixture
def study(rosa: User) -> Project:
    project = make_project("film-study")
    add_member(project, rosa, Role.REVIEWER)
    return project


def address(version: SourceVersion, query: str = "") -> str:
    return f"/p/film-study/corpus/versions/{version.pk}/{query}"


NASTY = {"joined family", "override", "mixed line breaks", "mark inside", "enormous line", "Greek"}


@pytest.mark.parametrize(
    "horrors",
    [
        pytest.param([one for one in HORRORS if one.name in NASTY], id="nasty"),
        pytest.param(HORRORS, id="all", marks=pytest.mark.slow),
    ],
)
def test_selecting_a_horror_makes_the_exact_span(
    study: Project, sign_in: SignIn, horrors: list[Horror]
) -> None:
    """With every hidden character marked and without; the server compares each code point."""
    page = sign_in("rosa")
    for number, horror in enumerate(horrors):
        version = store(study, horror)
        window = "&window=4" if horror.name == "enormous line" else ""
        window = "&window=2" if horror.name == "enormous word" else window
        page.goto(address(version, f"?hidden={'all' if number % 2 else ''}{window}"))
        places = zip(horror.places, horror.targets, strict=True)
        for (start, end), target in places:
            assert page.evaluate(DRAG, [start, end]) == [str(start), str(end), target], horror.name
        page.get_by_role("button", name="Make the span").click()
        page.wait_for_url("**span=*")
        span = Span.objects.get(version=version)
        assert span.exact == horror.targets[-1], horror.name
        assert page.locator("mark.chosen").first.is_visible()


@pytest.mark.slow
def test_horrors_travel_by_browser_from_one_project_to_another(
    study: Project, rosa: User, sign_in: SignIn, tmp_path: Path
) -> None:
    """Uploaded, cut, read as they stand, exported and imported again: the same bytes and places."""
    add_member(study, rosa, Role.LEAD)
    other = make_project("other-study")
    add_member(other, rosa, Role.LEAD)
    page = sign_in("rosa")
    for horror in HORRORS:
        upload(page, horror, tmp_path / "horror")
        version = SourceVersion.objects.latest("created_at")
        assert bytes(version.snapshot) == horror.data, horror.name
        for start, end in horror.places:
            page.goto(address(version))
            page.locator("[name=start]").fill(str(start))
            page.locator("[name=end]").fill(str(end))
            page.get_by_role("button", name="Make the span").click()
            page.wait_for_url("**span=*")
        # What is shown, hidden characters named, is what is stored.
        shown = page.evaluate(READ)
        if len(version.text) <= WINDOW:
            assert shown == version.text, horror.name
        assert horror.targets[-1] in shown, horror.name
        assert shown in version.text, horror.name
    page.goto("/p/film-study/corpus/bundle/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "study.jsonl")
    page.goto("/p/other-study/corpus/import/")
    page.locator("input[type=file]").set_input_files(tmp_path / "study.jsonl")
    page.locator("[name=format]").select_option("bundle")
    page.get_by_role("button", name="Look at it").click()
    page.wait_for_url("**/corpus/imports/**")
    work_on(Import.objects.get().pk)
    expect(page.get_by_role("heading", level=1)).to_have_text("What the file holds")
    page.get_by_role("button", name="Import", exact=True).click()
    work_on(Import.objects.get().pk)
    expect(page.get_by_role("heading", name="Imported")).to_be_visible()
    assert contents(other) == contents(study)


# Every run of the page's text as characters, a named one as what its name says.
READ = """() => [...document.querySelectorAll("[data-reading] [data-at]")].map((run) =>
  "code" in run.dataset ? String.fromCodePoint(Number.parseInt(run.dataset.code, 16))
                        : run.textContent).join("")"""


def upload(page: Page, horror: Horror, path: Path) -> None:
    """Capture a text as a person does: its file and its encoding."""
    path.write_bytes(horror.data)
    page.goto("/p/film-study/corpus/capture/")
    page.locator("[name=title]").fill(horror.name)
    page.locator("input[type=file]").set_input_files(path)
    page.locator("[name=encoding]").select_option(horror.encoding)
    page.get_by_role("button", name="Capture", exact=False).last.click()
    page.wait_for_url("**/corpus/versions/**")


# --- By keyboard -------------------------------------------------------------------------------

TEXT = "Log\nVat 8\u00a0is sealed. 👩🏽\u200d🚒 Ada\r\nsigned it.\nZoe\u0308 Vale did not."


def selected(page: Page) -> str:
    return page.locator("[data-selection]").inner_text()


def test_words_and_sentences_are_selected_by_keyboard(study: Project, sign_in: SignIn) -> None:
    """Arrows move by word and sentence, shift widens and narrows, Enter leads to the form."""
    version = make_version(study, TEXT)
    page = sign_in("rosa")
    page.goto(address(version))
    page.keyboard.press("t")
    for keys, words in (
        ("ArrowRight", "Log"),
        ("ArrowRight", "Vat"),
        ("Shift+ArrowRight", "Vat 8"),
        ("Shift+ArrowRight", "Vat 8\u00a0is"),
        ("Shift+ArrowLeft", "Vat 8"),
        ("ArrowDown", "👩🏽\u200d🚒 Ada"),
        ("ArrowUp", "Vat 8\u00a0is sealed."),
        ("Shift+ArrowDown", "Vat 8\u00a0is sealed. 👩🏽\u200d🚒 Ada"),
        ("Shift+ArrowUp", "Vat 8\u00a0is sealed."),
        ("Shift+ArrowUp", "Log\nVat 8\u00a0is sealed."),
    ):
        page.keyboard.press(keys)
        start = TEXT.index(words)
        end = f"characters {start}–{start + len(words)}."
        assert selected(page).replace("\n", " ") == f"Selected: “{words}”, {end}".replace("\n", " ")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url("**span=*")
    assert Span.objects.get().exact == "Log\nVat 8\u00a0is sealed."


def test_selection_that_splits_a_character_says_so(study: Project, sign_in: SignIn) -> None:
    """It is allowed; a person and whoever listens is told which character."""
    version = make_version(study, TEXT)
    page = sign_in("rosa")
    page.goto(address(version))
    start = TEXT.index("Zoe")
    page.evaluate(DRAG, [start, start + 3])
    assert "It splits the character “e\u0308” (U+0065 U+0308)." in selected(page)
    page.locator("[data-reading]").focus()
    page.keyboard.press("Escape")
    assert selected(page) == "Nothing is selected."
