"""Markdown becomes blocks and runs of words; nothing that a person writes becomes markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudication.review.markdown import Block, Run, blocks_of, runs_of
from adjudication.review.pages import guidelines_html


def plain(text: str) -> tuple[Run, ...]:
    return (Run("", text),)


def paragraph(text: str) -> Block:
    return Block("paragraph", (plain(text),))


def code(text: str) -> Block:
    return Block("code", ((Run("code", text),),))


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", ()),
        ("## Before you judge ##", (Block("heading", (plain("Before you judge"),), 2),)),
        ("one\ntwo\n\nthree", (paragraph("one two"), paragraph("three"))),
        ("- a\n- b\n  goes on", (Block("bullets", (plain("a"), plain("b goes on"))),)),
        ("3. c\n4) d", (Block("numbers", (plain("c"), plain("d")), 3),)),
        ("> said\nso", (Block("quote", (plain("said so"),)),)),
        ("```\n# a\n\n*b*\n```\nc", (code("# a\n\n*b*"), paragraph("c"))),
        ("```\nopen", (code("open"),)),
        ("a\n# b", (paragraph("a"), Block("heading", (plain("b"),)))),
    ],
)
def test_blocks(text: str, blocks: tuple[Block, ...]) -> None:
    assert blocks_of(text) == blocks


def test_runs() -> None:
    """Marks in pairs stand out; one without its partner is a character."""
    assert [(run.kind, run.text) for run in runs_of("**A** and *b*, `*c*` 2 * 3")] == [
        ("strong", "A"),
        ("", " and "),
        ("em", "b"),
        ("", ", "),
        ("code", "*c*"),
        ("", " 2 * 3"),
    ]


ELEMENT = re.compile(
    r"</?(?:p|ul|ol|li|blockquote|pre|strong|em|code)"
    r'(?: start="\d+"| dir="auto"| class="guidelines-head"| role="heading"| aria-level="\d")*>'
)


@given(st.text("ab *`#->1.\n[](){}<&\"'", max_size=60))
def test_no_word_is_lost_and_none_becomes_markup(text: str) -> None:
    """Only our own elements stand in the page, with attributes that no text fills."""
    html = guidelines_html.__wrapped__(text)
    assert all(ELEMENT.fullmatch(element) for element in re.findall(r"<[^>]*>", html))
    shown = "".join(run.text for block in blocks_of(text) for line in block.lines for run in line)
    assert [c for c in shown if c in "ab"] == [c for c in text if c in "ab"]


def test_addresses_and_elements_stay_text() -> None:
    """What other readers of Markdown make a link or an element of is shown as it was typed."""
    html = guidelines_html('[here](javascript:alert(1)) <img src=x onerror="alert(1)">')
    assert "<img" not in html
    assert "<a" not in html
    assert "[here](javascript:alert(1))" in html


def test_a_long_hostile_text_is_read_at_once() -> None:
    """The time grows with the length alone; a text of marks would otherwise hold up every desk."""
    for mark in ("*", "`", "**", "*a ", "** a ", "- \n", "a\n", "> ", "```\n", "1. ", "# #"):
        blocks_of.__wrapped__(mark * (50_000 // len(mark)))
