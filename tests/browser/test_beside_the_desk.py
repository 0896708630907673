"""Guidelines, a comment and a flag beside the desk, by keyboard alone."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from adjudication.review import actions
from adjudication.review.discussion import Comment, Flag
from adjudication.review.models import Judgement
from tests.browser.test_two_blind_reviews import Stage, press, signed_in, stage, take_next
from tests.review.scenes import member

__all__ = ["stage"]  # a fixture


def test_one_key_opens_each_and_nothing_typed_is_lost(browser: Browser, stage: Stage) -> None:
    """They unfold where the next key should go; changed guidelines are told before the seal."""
    _, project, cast, _ = stage
    lead = member(project, cast.lead)
    actions.publish_guidelines(lead, "# How\n\nRead **every** member.", reason="First.")
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    expect(page.get_by_text("Read every member.")).to_be_hidden()
    press(page, "g")
    expect(page.get_by_text("Read every member.")).to_be_visible()
    press(page, "g", "f")
    expect(page.get_by_text("Read every member.")).to_be_hidden()
    expect(page.locator("[name=flag]")).to_be_focused()
    page.keyboard.type("the claim")
    press(page, "Tab")
    page.keyboard.type("Two claims in one.")
    press(page, "Tab", "Enter")
    shown_anew(page, "Flagged: a lead is told")
    assert Flag.objects.get().words == "Two claims in one."
    press(page, "c")
    expect(page.locator("[name=comment]")).to_be_focused()
    page.keyboard.type("1 2 3")  # no answers: keys rest in a field
    press(page, "Tab", "Enter")
    shown_anew(page, "Comment saved")
    assert Comment.objects.get().text == "1 2 3"
    newer = actions.publish_guidelines(lead, "# How\n\nRead **each** member.", reason="Clearer.")
    press(page, "1", "1", "1", "1", "1", "1")
    expect(page.get_by_text("your judgement will name version 2")).to_be_visible()
    press(page, "Control+Enter")
    shown_anew(page, "Not sealed yet")
    press(page, "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()
    assert Judgement.objects.get().guideline == newer


def test_the_chord_sends_the_comment_that_is_typed_and_seals_nothing(
    browser: Browser, stage: Stage
) -> None:
    """Whoever ends a comment as comments are ended does not seal for good by it."""
    page = signed_in(browser, stage, "rosa")
    take_next(page, stage)
    press(page, "1", "1", "1", "1", "1", "1", "c")
    expect(page.locator("[name=comment]")).to_be_focused()
    page.keyboard.type("Long-winded.")
    press(page, "Control+Enter")
    shown_anew(page, "Comment saved")
    assert Comment.objects.get().text == "Long-winded."
    assert not Judgement.objects.exists()
    press(page, "Control+Enter")
    expect(page.get_by_text("Sealed, saved")).to_be_visible()


def shown_anew(page: Page, words: str) -> None:
    """The desk came back with ``words``, and its keys work."""
    expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
