"""Who may read what, to the character: the one place that decides it.

A reader class may read a version that it was cleared for, unless that was tightened; of the
version, every character that no tightening of the class covers. A person may read a character
if one of their classes may, and a range if they may read each of its characters. Somebody with
two classes is shown what either of them may read, so to refuse a range of which each class
reads one half would withhold nothing from them; and only so do marks in a text, lists of spans
and refusals say the same. A reader class, to which exports are made, is one reader: it must
read the whole range itself.

In a text as somebody may read it, each blocked character is replaced by NUL, which no stored
text holds. Positions stay those of the stored text; lengths can be told from them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from adjudication.corpus.models import Clearance, SourceVersion, Tightening
from adjudication.corpus.reading import BLOCKED, NOBODY, Blocked
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Project, ReaderClass
from adjudication.statements import Statement

Classes: TypeAlias = Collection[UUID] | Collection[ReaderClass] | QuerySet[ReaderClass]

# --- As conditions of queries ------------------------------------------------------------------


def may_open(classes: Classes) -> Exists:
    """On source versions: those of which somebody with ``classes`` may read anything at all."""
    closed = Tightening.objects.filter(
        span=None, version=OuterRef("version"), reader_class=OuterRef("reader_class")
    )
    cleared = Clearance.objects.filter(version=OuterRef("pk"), reader_class__in=classes)
    return Exists(cleared.filter(~Exists(closed)))


def may_read(classes: Classes, span: str = "") -> Q:
    """On spans, or on rows with their span at the path ``span`` (such as "span__"): those whose
    every character somebody with ``classes`` may read.

    A run of blocked characters in a span begins with the span or with a tightened span in it,
    so it is enough to look at those places.
    """
    begins = Tightening.objects.filter(
        version=OuterRef(f"{span}version"),
        span__start__gt=OuterRef(f"{span}start"),
        span__start__lt=OuterRef(f"{span}end"),
    )
    return _open_at(classes, f"{span}version", f"{span}start") & _never_closed(classes, begins)


def may_read_whole(classes: Classes) -> Q:
    """On source versions: those whose every character somebody with ``classes`` may read."""
    begins = Tightening.objects.filter(version=OuterRef("pk"), span__isnull=False)
    return Q(may_open(classes)) & _never_closed(classes, begins)


def may_read_every(classes: Classes, versions: QuerySet[SourceVersion]) -> bool:
    """Whether somebody with ``classes`` may read every one of ``versions`` whole.

    As ``may_read_whole`` of each, asked in two questions that stay quick for a large corpus.
    """
    begins = Tightening.objects.filter(version__in=versions, span__isnull=False)
    partly = begins.filter(~_open_at(classes, "version", "span__start"))
    return not partly.exists() and not versions.filter(~may_open(classes)).exists()


def _open_at(classes: Classes, version: str, place: str) -> Q:
    """Whether one of ``classes`` may read the character at ``place``."""
    here = OuterRef(OuterRef(place))
    closed = Tightening.objects.filter(
        Q(span=None) | Q(span__start__lte=here, span__end__gt=here),
        version=OuterRef("version"),
        reader_class=OuterRef("reader_class"),
    )
    cleared = Clearance.objects.filter(version=OuterRef(version), reader_class__in=classes)
    return Q(Exists(cleared.filter(~Exists(closed))))


def _never_closed(classes: Classes, begins: QuerySet[Tightening]) -> Q:
    """Whether somebody with ``classes`` may read the first character of each of ``begins``."""
    return ~Q(Exists(begins.filter(~_open_at(classes, "version", "span__start"))))


# --- Of versions at hand -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Closing:
    """Characters of a version, half open, that a reader class may not read."""

    reader_class: ReaderClass
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Openings:
    """The classes that may open a version, and what of it is closed to which of them."""

    classes: frozenset[ReaderClass] = frozenset()
    closings: tuple[Closing, ...] = ()

    def readers(self, start: int, end: int) -> frozenset[ReaderClass]:
        """The classes each of which may read all of ``start``–``end``."""
        closed = {one.reader_class for one in self.closings if one.start < end and start < one.end}
        return self.classes - closed

    @property
    def whole(self) -> frozenset[ReaderClass]:
        """The classes each of which may read all of the version."""
        return self.classes - {one.reader_class for one in self.closings}

    def whole_to(self, held: Collection[ReaderClass]) -> bool:
        """Whether somebody who holds the classes ``held`` may read all of the version."""
        last = max((one.end for one in self.closings), default=0)
        stretches = [readers for _, _, readers in self.stretches(last)]
        return not any(readers.isdisjoint(held) for readers in (self.classes, *stretches))

    def stretches(self, end: int) -> Iterator[tuple[int, int, frozenset[ReaderClass]]]:
        """Each stretch of ``0``–``end`` with the classes that may read its characters."""
        cuts = {place for one in self.closings for place in (one.start, one.end)}
        for here, there in pairwise(sorted({0, end, *cuts})):
            yield here, there, self.readers(here, there)


def openings_of(version_ids: Iterable[UUID]) -> dict[UUID, Openings]:
    """What is open of each of these versions, to whom."""
    wanted = set(version_ids)
    cleared: dict[UUID, set[ReaderClass]] = {pk: set() for pk in wanted}
    for one in _CLEARANCES(tuple(wanted)):
        cleared[one.version_id].add(one.reader_class)
    closings: dict[UUID, list[Closing]] = defaultdict(list)
    for tight in _TIGHTENINGS(tuple(wanted)):
        if tight.span is None:
            cleared[tight.version_id].discard(tight.reader_class)
        else:
            place = tight.span.start, tight.span.end
            closings[tight.version_id].append(Closing(tight.reader_class, *place))
    return {pk: Openings(frozenset(cleared[pk]), tuple(closings[pk])) for pk in wanted}


_CLEARANCES = Statement(
    lambda versions: Clearance.objects.filter(version__in=versions).select_related("reader_class")
)
_TIGHTENINGS = Statement(
    lambda versions: Tightening.objects.filter(version__in=versions).select_related(
        "reader_class", "span"
    )
)


def changes_in(project: Project) -> int:
    """How often clearance changed in ``project`` since its versions were captured: it only grows,
    and what was remembered at another number is out of date."""
    later = Clearance.objects.filter(by__isnull=False, version__source__project=project)
    tightened = Tightening.objects.filter(version__source__project=project)
    return later.count() + tightened.count()


def in_words(classes: Iterable[ReaderClass]) -> str:
    """The titles of reader classes: those who may read something."""
    return ", ".join(sorted(one.title for one in classes)) or NOBODY


# --- A text as somebody may read it ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Readable:
    """The text of a version as somebody may read it, as long as the stored one."""

    text: str
    blocked: tuple[Blocked, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.blocked

    def check(self, start: int, end: int) -> None:
        """Refuse the range ``start``–``end`` if a character of it is blocked."""
        for one in self.blocked:
            if one.start < end and start < one.end:
                raise Refused(
                    f"The characters {one.start}–{one.end} are blocked for you: "
                    f"{one.who} may read them. No span can be made across them."
                )


def readable(membership: Membership, version: SourceVersion) -> Readable:
    """The text of ``version``, which this member may open, as far as they may read it."""
    held = frozenset(membership.reader_classes.all())
    return as_read(version.text, openings_of([version.pk])[version.pk], held)


def as_read(text: str, openings: Openings, held: Collection[ReaderClass]) -> Readable:
    """``text`` as somebody who holds the classes ``held`` may read it."""
    blocked = tuple(
        Blocked(start, end, in_words(readers))
        for start, end, readers in openings.stretches(len(text))
        if readers.isdisjoint(held)
    )
    if not blocked:
        return Readable(text)
    edges = [0, *(edge for one in blocked for edge in (one.start, one.end)), len(text)]
    pieces = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    gaps = [BLOCKED * (one.end - one.start) for one in blocked]
    return Readable(
        "".join(piece + gap for piece, gap in zip(pieces, [*gaps, ""], strict=True)), blocked
    )
