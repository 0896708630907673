"""What the pages of the corpus show, as plain values for their templates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import is_normalized
from uuid import UUID

from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.http import urlencode

from adjudication.corpus.clearance import readable
from adjudication.corpus.encodings import LABELS, MEDIA_TYPES
from adjudication.corpus.hidden import hidden_places
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.corpus.queries import Line, spans_of
from adjudication.corpus.reading import Mark, Window, parts_of, window_at, window_numbered
from adjudication.corpus.soundness import damage_of
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.corpus.times import UNESTABLISHED
from adjudication.projects.models import WRITERS, Membership, Role
from certify_core.sentences import sentences

SPANS = 50  # in the list beside a text
KEYS = [
    {"key": "→ ←", "does": "in the text: selects the next or previous word"},
    {"key": "↓ ↑", "does": "in the text: selects the next or previous sentence"},
    {"key": "Shift+→ ← ↓ ↑", "does": "widens or narrows the selection"},
    {"key": "Enter", "does": "takes the selection into the form"},
    {"key": "Esc", "does": "lets the selection go"},
    {"key": "t", "does": "goes to the text"},
]


def in_context(slug: str, span: Span) -> str:
    """The address of the page that shows ``span`` where it stands."""
    return f"{reverse('version', args=[slug, span.version_id])}?span={span.pk}#span-{span.pk}"


def corpus_tabs(membership: Membership, current: str) -> list[dict[str, Any]]:
    """The parts of the corpus, for tabs.html; ``current`` is the name of the page's address."""
    parts = [("sources", "Sources"), ("search", "Search")]
    if membership.has(Role.LEAD, Role.AUDITOR):
        parts.append(("integrity", "Integrity"))
    return [
        {
            "label": label,
            "url": reverse(name, args=[membership.project.slug]),
            "current": name == current,
            "count": None,
        }
        for name, label in parts
    ]


def source_step(slug: str, source: Source) -> tuple[str, str]:
    return source.title, reverse("source", args=[slug, source.pk])


def version_step(slug: str, version: SourceVersion) -> tuple[str, str]:
    return f"Version {version.number}", reverse("version", args=[slug, version.pk])


def facts_of(version: SourceVersion, readers: str, *, whole: bool) -> list[dict[str, Any]]:
    """The four times, digest, clearance and notes of a version, for facts.html.

    Who may not read the ``whole`` of it gets no digest: a short blocked range could be guessed.
    """
    digest = version.sha256 if whole else ""
    return [
        {"term": "Observed", "value": version.observed, "kind": "observed"},
        _partial("Published", version.published),
        _partial("In effect from", version.effective_from),
        _partial("In effect to", version.effective_to),
        {"term": "SHA-256", "value": digest, "kind": "digest", "absent": "withheld"},
        {"term": "Captured as", "value": captured_as(version)},
        {"term": "Readers", "value": readers},
        {"term": "Licence", "value": version.licence},
        {"term": "Authority", "value": version.authority},
    ]


def _partial(term: str, value: str) -> dict[str, Any]:
    known = "" if value == UNESTABLISHED else value
    return {"term": term, "value": known, "absent": "cannot be established"}


def captured_as(version: SourceVersion) -> str:
    kind = MEDIA_TYPES.get(version.media_type, version.media_type)
    return f"{kind}, {LABELS.get(version.encoding, version.encoding)}"


def integrity_of(version: SourceVersion) -> str:
    """ "intact" or "damaged": bytes, text and digest compared again now."""
    return "intact" if damage_of(version) is None else "damaged"


def cards_of(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """The versions in the list of their source."""
    stale = rechecks(line.version.pk for line in lines if line.version)
    return [_card(line, stale) for line in lines]


def _card(line: Line, stale: Mapping[UUID, Recheck]) -> dict[str, Any]:
    """A version as it is listed; of a blocked one only who may read it."""
    if line.version is None:
        return {"line": line}
    version = line.version
    return {
        "line": line,
        "facts": facts_of(version, line.readers, whole=line.whole),
        "state": integrity_of(version),
        "recheck": stale.get(version.pk),
    }


@dataclass(frozen=True, slots=True)
class Ask:
    """Which part of a text is asked for: the window with this number, else the one where
    ``chosen`` begins, else the first; whether every hidden character is to be marked; and the
    page of the list of spans."""

    chosen: Span | None = None
    window: int | None = None
    every: bool = False
    spans: str | None = None

    def query(self, window: int | None = None, *, every: bool | None = None) -> str:
        """The parameters of the page with another window, or other marks."""
        asked = {
            "span": str(self.chosen.pk) if self.chosen and window is None else "",
            "window": str(window or self.window or ""),
            "hidden": "all" if (self.every if every is None else every) else "",
        }
        return urlencode({name: value for name, value in asked.items() if value})


def reading(membership: Membership, version: SourceVersion, ask: Ask) -> dict[str, Any]:
    """One window of a version's text as this member may read it, with the spans in it marked."""
    read = readable(membership, version)
    window = _window(read.text, ask)
    text = read.text[window.start : window.end]
    near = spans_of(membership).filter(version=version)
    near = near.filter(start__lt=window.end, end__gt=window.start).order_by("start", "end")
    places = list(near.values_list("pk", "start", "end"))
    chosen = ask.chosen.pk if ask.chosen else None
    marks = [Mark(start, end, pk == chosen) for pk, start, end in places]
    here = {"start": window.start, "end": window.end}
    shown = sum(1 for _ in hidden_places(read.text, **here, every=ask.every))
    quiet = 0 if ask.every else sum(1 for _ in hidden_places(read.text, **here, every=True)) - shown
    before = next((n for n, (pk, *_) in enumerate(places) if pk == chosen), 0)
    return {
        "window": window,
        "ask": ask,
        "before": ask.query(window.number - 1) if window.number > 1 else "",
        "after": ask.query(window.number + 1) if window.number < window.count else "",
        "here": ask.query(),
        "toggle": ask.query(every=not ask.every),
        "spans": Paginator(near, SPANS).get_page(ask.spans or before // SPANS + 1),
        "chosen": ask.chosen,
        "parts": parts_of(read.text, marks, read.blocked, **here, every=ask.every, exact=True),
        "quiet": quiet,
        "composed": is_normalized("NFC", text),
        "sentences": _sentences(text, window.start),
        "whole": read.whole,
    }


def _sentences(text: str, start: int) -> str:
    """Where the sentences of a window begin and end, as JSON for the script that selects them."""
    return json.dumps([[begin + start, end + start] for begin, end in sentences(text)])


def _window(text: str, ask: Ask) -> Window:
    if ask.window is not None:
        return window_numbered(text, ask.window)
    return window_at(text, ask.chosen.start if ask.chosen else 0)


def member_excerpt(
    membership: Membership,
    span: Span,
    readers: str,
    number: int | None = None,
    recheck: Recheck | None = None,
    *,
    whole: bool,
    damaged: bool,
) -> dict[str, Any]:
    """A span for excerpt.html. ``span.version.source`` must be loaded."""
    version = span.version
    slug = membership.project.slug
    return {
        "number": number,
        "span": span,
        "parts": [] if damaged else parts_of(span.exact),
        "damaged": damaged,
        "source": version.source.title,
        "source_url": reverse("source", args=[slug, version.source_id]),
        "version": version.sha256 if whole else "",
        "observed": version.observed,
        "reader": readers,
        "context_url": in_context(slug, span),
        "recheck": recheck,
        "again_url": _again_url(membership, span, recheck),
    }


def _again_url(membership: Membership, span: Span, recheck: Recheck | None) -> str:
    """Where somebody who may cut spans looks for the words of a stale one; "" for others."""
    if recheck is None or not recheck.newest or not membership.has(*WRITERS):
        return ""
    return reverse("span-again", args=[membership.project.slug, span.pk])
