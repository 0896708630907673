"""Two people judge blind, in a browser; a third settles it. By keyboard, and without script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from adjudication.projects.models import Project
from adjudication.review.models import Assignment, Draft, Item, Judgement, Verdict
from tests.conftest import Cast, make_cast
from tests.factories import PASSWORD, make_project
from tests.review.scenes import Scene, judge, member, open_scene

Stage = tuple[str, Project, Cast, Scene]


@pytest.fixture
def stage(site: str, browser: Browser) -> Iterator[Stage]:
    """The project's address, and two sets under review in it."""
    project = make_project("film-study")
    cast = make_cast(project)
    yield f"{site}/p/film-study/", project, cast, open_scene(project, cast.lead, sets=2)
    # An open connection of a browser would keep one to the database open.
    for context in browser.contexts:
        context.close()


def signed_in(browser: Browser, stage: Stage, name: str, **kind: Any) -> Page:
    """A page of ``name``'s own browser, on the project's home."""
    page = browser.new_context(**kind).new_page()
    page.set_default_timeout(10_000)
    page.goto(stage[0])
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    return page


def take_next(page: Page, stage: Stage) -> None:
    page.goto(stage[0] + "review/")
    page.get_by_role("button", name="Next item").click()
    page.wait_for_url("**/desk/**")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_six_digits_and_a_chord_seal_a_judgement(browser: Browser, stage: Stage) -> None:
    """Seven keystrokes, no click; the next item comes at once."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    first = page.url
    press(page, "1", "1", "1", "1", "1", "1", "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()
    assert page.url != first
    assert "/desk/" in page.url
    judgement = Judgement.objects.get()
    assert (judgement.entailment, judgement.boundary) == ("entails", "within")
    assert judgement.minimality_basis == "asserted"


def test_refusing_asks_for_the_member_and_the_reason_in_turn(
    browser: Browser, stage: Stage
) -> None:
    """A refusal unfolds what it needs, and the mark goes through it by digits alone."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "1", "2", "1", "2", "1")  # entails; not minimal: 1 needed, 2 not, a repetition
    press(page, "1", "1", "1", "1", "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()
    judgement = Judgement.objects.get()
    assert judgement.reasons["minimality"]["choice"] == "repeats"
    said = judgement.members.order_by("member__ordinal").values_list("needed", flat=True)
    assert list(said) == ["needed", "not-needed"]


def test_undo_takes_the_last_answers_back(browser: Browser, stage: Stage) -> None:
    """`u` restores the answer before and marks its question."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "1", "3", "u")
    expect(page.locator("#minimality-3")).not_to_be_checked()
    expect(page.locator("#question-minimality")).to_have_attribute("data-keys-current", "")
    press(page, "u")
    expect(page.locator("#entailment-1")).not_to_be_checked()


def test_hiding_by_key_measures_each_member(browser: Browser, stage: Stage) -> None:
    """`h`, then one digit per member; the set is then minimal by measure."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "h")
    page.wait_for_url("**hide=1**")
    expect(page.get_by_text("Member 1 is hidden")).to_be_visible()
    press(page, "1")
    page.wait_for_url("**hide=2**")
    press(page, "1")
    expect(page.locator("#minimality-1")).to_be_checked()
    press(page, "1", "1", "1", "1", "1", "1", "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()
    assert Judgement.objects.get().minimality_basis == "measured"


def test_drafts_save_themselves_and_survive_a_reload(browser: Browser, stage: Stage) -> None:
    """The receipt is the server's; nothing typed is lost, and keys rest while typing."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "2", "6")
    page.keyboard.type("u and h are letters here")
    expect(page.locator("#kept .receipt").first).to_contain_text("saved")
    for _ in range(40):
        if "letters here" in str(Draft.objects.get().answers):
            break
        page.wait_for_timeout(100)
    page.reload()
    expect(page.locator("#entailment-2")).to_be_checked()
    expect(page.locator("textarea[name=entailment-words]")).to_have_value(
        "u and h are letters here"
    )


def test_other_layouts_answer_by_the_place_of_the_key(browser: Browser, stage: Stage) -> None:
    """On a Cyrillic layout the key at `u` still undoes, and digits are digits."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "1")
    expect(page.locator("#entailment-1")).to_be_checked()
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
        " {key: 'г', code: 'KeyU', bubbles: true, cancelable: true}))"
    )
    expect(page.locator("#entailment-1")).not_to_be_checked()


def test_lost_connection_says_so_and_keeps_the_desk(browser: Browser, stage: Stage) -> None:
    """What could not be saved is said, stays on the page, and is saved with the next change."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    page.context.set_offline(True)
    press(page, "1")
    expect(page.get_by_text("the connection failed")).to_be_visible()
    page.context.set_offline(False)
    press(page, "1")
    expect(page.locator("#kept .receipt").first).to_contain_text("saved")
    given = Draft.objects.get().answers["given"]
    assert given == {"entailment": "entails", "minimality": "minimal"}


def test_two_tabs_make_one_judgement(browser: Browser, stage: Stage) -> None:
    """The second tab, with other answers, is told that one stands."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    second = page.context.new_page()
    second.goto(page.url)
    press(page, "1", "1", "1", "1", "1", "1", "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()
    press(second, "1", "1", "1", "1", "1", "3", "Control+Enter")
    expect(second.get_by_role("heading", name="Not sealed")).to_be_visible()
    assert Judgement.objects.get().boundary == "within"


def test_two_judge_without_script_and_a_third_settles_it(browser: Browser, stage: Stage) -> None:
    """The whole path with plain forms: refuse with a reason, disagree, adjudicate."""
    url, project, _, scene = stage
    judge(member(project, stage[2].rosa), scene.items[0])
    judge(member(project, stage[2].rosa), scene.items[1])
    rui = signed_in(browser, stage, "rui", java_script_enabled=False)
    take_next(rui, stage)
    rui.get_by_role("button", name="Seal judgement").click()
    expect(rui.get_by_text("Not sealed yet")).to_be_visible()
    for dimension in ("minimality", "admissibility", "alternatives", "contradiction", "boundary"):
        rui.locator(f"#{dimension}-1").check(force=True)
    rui.locator("#entailment-2").check(force=True)
    rui.locator("#question-entailment").get_by_text("about another entity").click()
    rui.get_by_role("button", name="Seal judgement").click()
    expect(rui.get_by_text("Sealed, saved")).to_be_visible()
    item = Item.objects.get(state="disputed")

    ada = signed_in(browser, stage, "ada", java_script_enabled=False)
    ada.goto(url + "adjudication/")
    ada.get_by_role("link", name=item.evidence_set.claim.text).click()
    expect(ada.get_by_text("about another entity")).to_be_visible()
    expect(ada.get_by_text("Rui", exact=True)).to_have_count(0)
    ada.get_by_label("reject the set").check()
    ada.get_by_label("Reason", exact=True).first.fill("It is about the other Cedar.")
    ada.get_by_role("button", name="Decide").click()
    expect(ada.get_by_text("The set is rejected.")).to_be_visible()
    assert Verdict.objects.get().reason == "It is about the other Cedar."


def test_lease_is_renewed_by_its_key(browser: Browser, stage: Stage) -> None:
    """`r` renews; what was answered before is kept."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    before = Assignment.objects.get().lease_until
    press(page, "1", "r")
    expect(page.locator("#entailment-1")).to_be_checked()
    for _ in range(40):
        if Assignment.objects.get().lease_until > before:
            break
        page.wait_for_timeout(100)
    assert Assignment.objects.get().lease_until > before
