"""What the pages about a later version show, as plain values for their templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.urls import reverse

from adjudication.corpus.clearance import Readable, readable
from adjudication.corpus.diffing import Comparison, Hunk, Piece, compare, hunks_of
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.corpus.newer import successors_of
from adjudication.corpus.pages import captured_as, in_context, member_excerpt
from adjudication.corpus.queries import premises, visible_to
from adjudication.corpus.reading import Mark, parts_of, window_at
from adjudication.corpus.rules import first_difference, places_of
from adjudication.corpus.soundness import damage_of
from adjudication.corpus.times import UNESTABLISHED
from adjudication.projects.models import Membership
from adjudication.projects.requests import page_of

SHOWN_WHOLE = 100_000  # code points of a text that can be shown without folding
ON_A_PAGE = 40_000  # code points of changes on one page, about
OF_A_PIECE = 5_000  # code points of one long piece; the rest is read in the version
AROUND = 150  # code points around an occurrence


def versions_to_compare(membership: Membership, source: Source) -> list[int]:
    """The numbers of the versions of ``source`` that this member may read, newest first."""
    versions = visible_to(membership).filter(source=source).order_by("-number")
    return list(versions.values_list("number", flat=True))


# --- What changed --------------------------------------------------------------------------------


def diff_context(
    membership: Membership,
    old: SourceVersion,
    new: SourceVersion,
    *,
    everything: bool,
    page: str | None,
) -> dict[str, Any]:
    """The comparison of two versions in words, and one page of its hunks.

    Somebody who may not read all of both is told so and shown none: what changed beside a
    blocked range would tell of it.
    """
    read = readable(membership, old), readable(membership, new)
    context: dict[str, Any] = {"old": old, "new": new, "facts": _changed_facts(old, new)}
    if damaged := [one.number for one in (old, new) if damage_of(one) is not None]:
        return context | {"damaged": damaged}
    if not (read[0].whole and read[1].whole):
        return context | {"closed": True}
    found = compare(old.text, new.text)
    may_show = max(len(old.text), len(new.text)) <= SHOWN_WHOLE
    everything = everything and may_show
    hunks, rest = ([Hunk(found.pieces, 0)], 0) if everything else hunks_of(found.pieces)
    shown = _Shown(membership.project.slug, old, new)
    pages = Paginator(list(_pages(hunks)), 1).get_page(page)
    return context | {
        "found": found,
        "words": list(_in_words(found)),
        "everything": everything,
        "may_show": may_show and bool(rest or any(hunk.folded for hunk in hunks)),
        "page": pages,
        "hunks": [shown.hunk(hunk) for hunks in pages for hunk in hunks],
        "rest": rest,
    }


class _Shown:
    """Hunks as the template shows them, with links to where they stand in both versions."""

    def __init__(self, slug: str, old: SourceVersion, new: SourceVersion) -> None:
        self.slug, self.old, self.new = slug, old, new

    def hunk(self, hunk: Hunk) -> dict[str, Any]:
        first = next((piece for piece in hunk.pieces if piece.kind), hunk.pieces[0])
        return {
            "folded": hunk.folded,
            "old": self._place(self.old, first.old),
            "new": self._place(self.new, first.new),
            "pieces": [self._piece(piece) for piece in hunk.pieces],
        }

    def _piece(self, piece: Piece) -> dict[str, Any]:
        more = max(0, len(piece.text) - OF_A_PIECE) if piece.kind else 0
        version, place = (self.new, piece.new) if piece.kind == "new" else (self.old, piece.old)
        return {
            "kind": piece.kind,
            "parts": parts_of(piece.text[: len(piece.text) - more]),
            "why": piece.why,
            "more": more,
            "at": self._place(version, place) if more else None,
        }

    def _place(self, version: SourceVersion, place: int) -> dict[str, Any]:
        url = reverse("version", args=[self.slug, version.pk])
        window = window_at(version.text, place).number
        return {"place": place, "number": version.number, "url": f"{url}?window={window}"}


def _pages(hunks: Iterable[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks in lists of about ``ON_A_PAGE`` code points."""
    page: list[Hunk] = []
    size = 0
    for hunk in hunks:
        more = sum(min(len(piece.text), OF_A_PIECE) for piece in hunk.pieces)
        if page and size + more > ON_A_PAGE:
            yield page
            page, size = [], 0
        page.append(hunk)
        size += more
    if page:
        yield page


def _in_words(found: Comparison) -> Iterator[str]:
    """What changed, in sentences."""
    gone = sum(len(piece.text) for piece in found.pieces if piece.kind == "gone")
    new = sum(len(piece.text) for piece in found.pieces if piece.kind == "new")
    if gone or new:
        yield (
            f"{gone:,} character{pluralize(gone, ' is,s are')} gone, "
            f"{new:,} {pluralize(new, 'is,are')} new."
        )
    if found.breaks:
        kinds = (f"{count:,} {kind}" for kind, count in sorted(found.breaks.items()))
        yield f"Line breaks changed: {', '.join(kinds)}. They are not shown one by one."
    if found.composed:
        yield (
            f"{_words_differ(found.composed)} only in how letters and marks are composed: "
            "what looks the same is other characters."
        )
    if found.hidden:
        yield f"{_words_differ(found.hidden)} only in hidden characters or blanks."
    if found.coarse:
        yield (
            "The texts are too long or too different to compare word by word everywhere: some "
            "passages are shown as replaced as a whole, though parts of them may be the same."
        )
    if found.same:
        yield "The text is the same, character by character."


def _words_differ(number: int) -> str:
    return "1 word differs" if number == 1 else f"{number:,} words differ"


def _changed_facts(old: SourceVersion, new: SourceVersion) -> list[tuple[str, str, str]]:
    """What is recorded otherwise about the two versions: label, old, new."""
    both = [
        ("Observed", old.observed.stated, new.observed.stated),
        ("Published", old.published, new.published),
        ("In effect from", old.effective_from, new.effective_from),
        ("In effect to", old.effective_to, new.effective_to),
        ("Captured as", captured_as(old), captured_as(new)),
        ("Licence", old.licence, new.licence),
        ("Authority", old.authority, new.authority),
    ]
    return [(label, _stated(one), _stated(other)) for label, one, other in both if one != other]


def _stated(value: str) -> str:
    return "cannot be established" if value == UNESTABLISHED else value or "not recorded"


# --- The same words again ------------------------------------------------------------------------


def again_context(
    request: HttpRequest, membership: Membership, span: Span, newer: SourceVersion | None
) -> dict[str, Any]:
    """The span, and each place of its words in ``newer``; without any, how far they stand."""
    premise = premises(membership, [span.pk])[span.pk]
    context: dict[str, Any] = {
        "excerpt": member_excerpt(
            membership,
            span,
            premise.readers,
            recheck=premise.recheck,
            whole=premise.whole,
            damaged=premise.damaged,
        )
    }
    if newer is None:
        return context
    read = readable(membership, newer)
    places = places_of(read.text, span.exact)
    known = successors_of(membership, [span.pk]).get(span.pk)
    confirmed = known if known and known.version_id == newer.pk else None
    page = page_of(request, places)
    return context | {
        "page": page,
        "places": [_place(read, start, len(span.exact), confirmed) for start in page],
        "confirmed_url": in_context(membership.project.slug, confirmed) if confirmed else "",
        "difference": "" if places else first_difference(read.text, span.exact),
    }


def _place(read: Readable, start: int, length: int, confirmed: Span | None) -> dict[str, Any]:
    begin, end = max(0, start - AROUND), min(len(read.text), start + length + AROUND)
    marks = [Mark(start, start + length)]
    return {
        "start": start,
        "end": start + length,
        "parts": parts_of(read.text, marks, read.blocked, start=begin, end=end),
        "confirmed": confirmed is not None and confirmed.start == start,
    }
