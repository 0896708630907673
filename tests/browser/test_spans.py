"""Selecting words in a version's text makes exactly that span, hidden characters included."""

from __future__ import annotations

import pytest

from adjudication.corpus.models import Span
from adjudication.projects.models import Role
from tests.browser.conftest import SignIn
from tests.factories import add_member, make_project, make_user, make_version, span_of

TEXT = "Log\n👩🏽‍🚒 Ada: vat 8\u00a0sealed\r\n\u202eZoe\u0308 Vale: vat 9\u200b open\u2028end"

# Selects from one character to another of the page's text, as dragging with the mouse does.
SELECT = """([from, to]) => {
  const runs = [...document.querySelectorAll("[data-at]")];
  const point = (words, after) => {
    const run = runs.find((one) => one.textContent.includes(words));
    return [run.firstChild, run.textContent.indexOf(words) + (after ? words.length : 0)];
  };
  const range = document.createRange();
  range.setStart(...point(from, false));
  range.setEnd(...point(to, true));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  document.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
}"""


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("Ada", "vat 8", "Ada: vat 8"),
        ("vat 8", "open", TEXT[TEXT.index("vat 8") : TEXT.index("open") + 4]),
        ("U+202E", "U+200B", TEXT[TEXT.index("\u202e") : TEXT.index("\u200b") + 1]),
    ],
)
def test_selection_becomes_the_exact_span(
    site: str, sign_in: SignIn, first: str, last: str, words: str
) -> None:
    """Offsets of the browser are converted once, past emoji, CR LF, overrides and U+2028."""
    project = make_project("film-study")
    add_member(project, make_user("rosa"), Role.REVIEWER)
    version = make_version(project, TEXT)
    page = sign_in("rosa")
    page.goto(f"/p/film-study/corpus/versions/{version.pk}/")
    page.evaluate(SELECT, [first, last])
    page.get_by_role("button", name="Make the span").click()
    page.wait_for_url("**span=*")
    span = Span.objects.get()
    assert span.exact == words
    assert page.locator("mark.chosen").first.is_visible()


def test_marked_line_break_still_ends_its_line_within_a_span(site: str, sign_in: SignIn) -> None:
    """Where every hidden character is shown, lines end where the text has them end."""
    project = make_project("film-study")
    add_member(project, make_user("rosa"), Role.REVIEWER)
    version = make_version(project, "Log\nvat 8\nvat 9")
    span_of(version, "vat 8\nvat 9")
    page = sign_in("rosa")
    page.goto(f"/p/film-study/corpus/versions/{version.pk}/?hidden=all")
    tops = "(all) => all.map((one) => [...one.getClientRects()].at(-1).top)"
    heights = page.locator(".reading [data-at]:not(.unseen)").evaluate_all(tops)
    assert len(heights) == 3
    assert heights == sorted(set(heights))
