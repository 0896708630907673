"""The parts of a page keep what the whole product relies on."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.template.loader import render_to_string
from django.utils.text import slugify

from tests.design.samples import DIGEST, STATES, context

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
COMPONENTS = sorted(path.name for path in (TEMPLATES / "components").glob("*.html"))


class Tags(HTMLParser):
    """All start tags of a page as (name, attributes)."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def page() -> str:
    return render_to_string("styleguide.html", context())


def component(name: str, **values: object) -> str:
    return render_to_string(f"components/{name}.html", values)


def test_page_without_inline_code(page: str) -> None:
    """The content policy forbids inline style and script, so no part may need them."""
    for tag, attributes in Tags(page).found:
        assert tag != "style"
        assert tag != "script" or attributes["src"]
        assert not [name for name in attributes if name == "style" or name.startswith("on")]


def test_page_asks_no_other_host(page: str) -> None:
    """Nothing loads from elsewhere: every address of the page is its own."""
    for _, attributes in Tags(page).found:
        for name in ("src", "href", "action"):
            assert not re.match(r"(?:[a-z]+:)?//", attributes.get(name) or "")


def test_page_refers_only_to_ids_it_has_once(page: str) -> None:
    """Labels, descriptions and dialogs point at exactly one element."""
    tags = Tags(page).found
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert [one for one in ids if ids.count(one) > 1] == []
    for _, attributes in tags:
        for name in ("for", "aria-labelledby", "popovertarget"):
            assert name not in attributes or attributes[name] in ids
        for described in (attributes.get("aria-describedby") or "").split():
            assert described in ids


@pytest.mark.parametrize("name", COMPONENTS)
def test_component_shown_in_style_guide(name: str) -> None:
    """A part that the style guide does not show is never looked at."""
    shown = "".join(path.read_text() for path in TEMPLATES.glob("*.html"))
    nested = "".join(path.read_text() for path in (TEMPLATES / "components").glob("*.html"))
    assert f"components/{name}" in shown + nested


@pytest.mark.parametrize("state", sorted({word for words in STATES.values() for word in words}))
def test_state_has_a_shape(state: str) -> None:
    """A state is told by word and shape, never by colour alone."""
    badge = component("badge", state=state)
    assert f"#state-{slugify(state)}" in badge
    assert f'id="state-{slugify(state)}"' in (ROOT / "static" / "icons.svg").read_text()
    assert re.search(rf"</svg>{state}</span>", badge)


def test_excerpt_keeps_hostile_text_as_text() -> None:
    """Markup and htmx attributes inside evidence stay letters, and white space stays as it is."""
    text = 'a\r\n  <b hx-get="/x">b</b> </textarea>\u202e'
    excerpt = component("excerpt", number=1, title="<i>t</i>", text=text)
    escaped = text.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    assert f'dir="auto" hx-disable>{escaped}</div>' in excerpt
    assert "<i>" not in excerpt


def test_hidden_excerpt_shows_nothing_of_its_text() -> None:
    """Blind removal: the member is out of the page, not only out of sight."""
    excerpt = component(
        "excerpt", number=2, title="Ilse", text="born 1961", source="S", hidden=True
    )
    assert not re.search("Ilse|1961|S</", excerpt)


def test_digest_holds_its_whole_value() -> None:
    """Short for the eye, whole for whoever hears or copies it."""
    digest = component("digest", digest=DIGEST)
    assert re.sub("<[^>]+>", "", digest).strip() == DIGEST
    assert f'title="{DIGEST}"' in digest


def test_time_in_utc() -> None:
    """A moment is shown in UTC whatever zone it came in; an absent one has words."""
    at = datetime(2024, 3, 14, 1, 30, tzinfo=timezone(timedelta(hours=3)))
    assert "2024-03-13 22:30 UTC</time>" in component("time", at=at)
    assert "not recorded" in component("time")


def test_rate_without_denominator_is_undefined() -> None:
    """An empty denominator never reads as 0 or 1."""
    rate = component("rate", numerator=0, denominator=0, reason="nothing judged")
    assert "undefined: nothing judged" in rate
    assert "%" not in rate


@pytest.mark.parametrize("name", ["404.html", "403.html", "403_csrf.html", "500.html"])
def test_error_page_without_any_context(name: str) -> None:
    """An error page must not fail itself: Django renders it with next to nothing."""
    assert "<h1>" in render_to_string(name)


@pytest.mark.parametrize("name", ["closed", "count", "digest", "observed", "time"])
def test_parts_of_a_sentence_end_where_they_end(name: str) -> None:
    """A full stop or a comma follows them, and no blank stands before it."""
    assert (TEMPLATES / f"components/{name}.html").read_text()[-1] != "\n"


def test_what_a_full_stop_follows_is_part_of_a_sentence() -> None:
    """Every part that a page puts before a punctuation mark is one of those above."""
    before = re.compile(r'include "([^"]+)"[^%]*%\}[.,:;)]')
    for path in TEMPLATES.rglob("*.html"):
        for name in before.findall(path.read_text()):
            assert (TEMPLATES / name).read_text()[-1] != "\n", path
