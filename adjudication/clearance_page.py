"""The page on who may read a version: what is closed to whom, and changing it.

It says what a change does to spans, evidence sets and open items, and so stands above the apps
that hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from adjudication.claims.models import EvidenceMember
from adjudication.claims.queries import sets_of
from adjudication.corpus.clearance import may_read, openings_of, readable
from adjudication.corpus.clearing import open_to, tighten
from adjudication.corpus.forms import OpenForm, TightenForm
from adjudication.corpus.models import Clearance, SourceVersion, Span, Tightening
from adjudication.corpus.pages import source_step, version_step
from adjudication.corpus.queries import spans_of, version_for, visible_to
from adjudication.corpus.rules import places_of
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, ReaderClass, Role
from adjudication.review.queries import short_of_reviewers
from adjudication.specifications.queries import current

STANDING_COLUMNS = [{"label": "Reader class"}, {"label": "May read"}]
EFFECT_COLUMNS = [
    {"label": "Reader class"},
    {"label": "Spans", "kind": "num"},
    {"label": "Whole sets", "kind": "num"},
]


@require_safe
@member_page()
def clearance(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """Who may read a version, or the one span of it in ``?span=``, and how that came to be."""
    version = version_for(membership, version_id)
    span = _span_in(membership, version, request.GET.get("span", ""))
    return _page(request, membership, version, span)


@require_POST
@member_page(Role.LEAD)
def close(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """Close a version or a span to reader classes, after saying what that will do."""
    version = version_for(membership, version_id)
    span = _span_in(membership, version, request.POST.get("span", ""))
    form = TightenForm(request.POST, classes=_may_lose(version, span))

    def act() -> None:
        data = form.cleaned_data
        tighten(version, span, data["reader_classes"], reason=data["reason"], by=membership)

    return _change(request, membership, version, span, form, act)


@require_POST
@member_page(Role.LEAD)
def widen(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """Open a version to one more reader class, after saying what that will do."""
    version = version_for(membership, version_id)
    form = OpenForm(request.POST, classes=_may_gain(version))

    def act() -> None:
        data = form.cleaned_data
        open_to(version, data["reader_class"], reason=data["reason"], by=membership)

    return _change(request, membership, version, None, form, act)


def _change(
    request: MemberRequest,
    membership: Membership,
    version: SourceVersion,
    span: Span | None,
    form: TightenForm | OpenForm,
    act: Callable[[], None],
) -> HttpResponse:
    """First what the change would do, and with ``sure`` the change itself."""
    slug = membership.project.slug
    if form.is_valid():
        try:
            if "sure" not in request.POST:
                effects = effects_of(membership, version, act)
                return _page(request, membership, version, span, sure=form, effects=effects)
            act()
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Changed. It counts from now on, everywhere.")
            if not visible_to(membership).filter(pk=version.pk).exists():
                return redirect("sources", slug)
            return redirect("version-clearance", slug, version.pk)
    return _page(request, membership, version, span, form=form)


def _span_in(membership: Membership, version: SourceVersion, wanted: str) -> Span | None:
    if not wanted:
        return None
    try:
        span_id = UUID(wanted)
    except ValueError as error:
        raise Http404("no such span") from error
    return get_object_or_404(spans_of(membership), version=version, pk=span_id)


def _may_lose(version: SourceVersion, span: Span | None) -> frozenset[ReaderClass]:
    openings = openings_of([version.pk])[version.pk]
    return openings.readers(span.start, span.end) if span else openings.classes


def _may_gain(version: SourceVersion) -> frozenset[ReaderClass]:
    """The classes that were never cleared; one that was closed is never opened again."""
    known = Clearance.objects.filter(version=version).values("reader_class")
    closed = Tightening.objects.filter(version=version, span=None).values("reader_class")
    classes = version.source.project.reader_classes
    return frozenset(classes.exclude(pk__in=known).exclude(pk__in=closed))


# --- What the page shows -----------------------------------------------------------------------


def _page(
    request: MemberRequest,
    membership: Membership,
    version: SourceVersion,
    span: Span | None,
    *,
    form: TightenForm | OpenForm | None = None,
    sure: TightenForm | OpenForm | None = None,
    effects: Effects | None = None,
) -> HttpResponse:
    slug = membership.project.slug
    lead = membership.has(Role.LEAD)
    losing, gaining = _may_lose(version, span), _may_gain(version)
    context: dict[str, Any] = {
        "version": version,
        "span": span,
        "standing": _standing(version),
        "standing_columns": STANDING_COLUMNS,
        "history": _history(version),
        "sure": sure,
        "opens": isinstance(sure, OpenForm),
        "effects": effects,
        "elsewhere": _elsewhere(membership, span, sure) if isinstance(sure, TightenForm) else [],
        "effect_columns": EFFECT_COLUMNS,
        "crumbs": crumbs(
            slug,
            "sources",
            source_step(slug, version.source),
            version_step(slug, version),
            ("Who may read this", ""),
        ),
    }
    if lead and sure is None:
        close_form = form if isinstance(form, TightenForm) else TightenForm(classes=losing)
        open_form = form if isinstance(form, OpenForm) else OpenForm(classes=gaining)
        context["close_form"] = close_form if losing or close_form.is_bound else None
        context["open_form"] = open_form if gaining or open_form.is_bound else None
    return render(request, "corpus/clearance.html", context, status=422 if form else 200)


def _standing(version: SourceVersion) -> list[dict[str, Any]]:
    """Each reader class of the project with what it may read of ``version``."""
    openings = openings_of([version.pk])[version.pk]
    stretches = list(openings.stretches(len(version.text)))

    def row(one: ReaderClass) -> dict[str, Any]:
        closed = sum(end - start for start, end, readers in stretches if one not in readers)
        return {"title": one.title, "opens": one in openings.classes, "closed": closed}

    return [row(one) for one in version.source.project.reader_classes.order_by("title")]


def _elsewhere(membership: Membership, span: Span | None, sure: TightenForm) -> list[SourceVersion]:
    """The other versions of the source in which the classes of ``sure`` read the words of
    ``span`` too, as far as this person does."""
    if span is None:
        return []
    losing = frozenset(sure.cleaned_data["reader_classes"])
    others = (
        visible_to(membership).filter(source=span.version.source_id).exclude(pk=span.version_id)
    )
    openings = openings_of(one.pk for one in others)
    return [
        one
        for one in others.order_by("number")
        if any(
            losing & openings[one.pk].readers(place, place + len(span.exact))
            for place in places_of(readable(membership, one).text, span.exact)
        )
    ]


def _history(version: SourceVersion) -> list[dict[str, Any]]:
    """What was closed and opened since the version was captured, newest first."""
    closed = version.tightenings.select_related("span", "reader_class", "by")
    opened = version.clearances.filter(by__isnull=False).select_related("reader_class", "by")
    entries = [
        *(_entry(one.at, one, f"closed {_what(one.span)} to {one.reader_class}") for one in closed),
        *(_entry(one.created_at, one, f"opened it to {one.reader_class}") for one in opened),
    ]
    return sorted(entries, key=lambda entry: (entry["at"], entry["what"]), reverse=True)


def _entry(at: datetime, change: Tightening | Clearance, what: str) -> dict[str, Any]:
    return {"at": at, "who": change.by, "what": what, "note": change.reason}


def _what(span: Span | None) -> str:
    return f"characters {span.start}–{span.end}" if span else "it"


# --- What a change would do --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reach:
    """What a reader class may read: spans of a version, and whole sets with a member in it."""

    spans: int
    sets: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A reader class of which something changes, before and after."""

    title: str
    before: Reach
    after: Reach


@dataclass(frozen=True, slots=True)
class Effects:
    """What a change would do: to classes, to open items that too few people are cleared for (as
    before and after, for who may know), and to what this person may read themselves."""

    moved: tuple[Moved, ...]
    short: tuple[int, int] | None
    loses: bool


@dataclass(frozen=True, slots=True)
class _Now:
    reach: dict[ReaderClass, Reach]
    short: int | None
    blocked: int


def effects_of(membership: Membership, version: SourceVersion, act: Callable[[], None]) -> Effects:
    """What ``act`` would do, found by doing it and taking it back.

    Raises:
        Refused: what ``act`` refuses.
    """
    with transaction.atomic():
        before = _now(membership, version)
        act()
        after = _now(membership, version)
        transaction.set_rollback(True)
    moved = tuple(
        Moved(one.title, before.reach[one], after.reach[one])
        for one in sorted(before.reach, key=lambda one: one.title)
        if before.reach[one] != after.reach[one]
    )
    told = before.short is not None and after.short is not None
    short = (before.short or 0, after.short or 0) if told else None
    return Effects(moved, short, after.blocked > before.blocked)


def _now(membership: Membership, version: SourceVersion) -> _Now:
    classes = membership.project.reader_classes.all()
    read = readable(membership, version)
    return _Now(
        {one: _reach(membership, version, [one]) for one in classes},
        _short(membership),
        sum(gap.end - gap.start for gap in read.blocked),
    )


def _reach(
    membership: Membership, version: SourceVersion, classes: Collection[ReaderClass]
) -> Reach:
    members = EvidenceMember.objects.filter(span__version=version)
    hidden = EvidenceMember.objects.filter(
        ~may_read(classes, "span__"), evidence_set=OuterRef("pk")
    )
    sets = sets_of(membership).filter(pk__in=members.values("evidence_set"))
    return Reach(
        Span.objects.filter(may_read(classes), version=version).count(),
        sets.filter(~Exists(hidden)).count(),
    )


def _short(membership: Membership) -> int | None:
    """Open items that too few are cleared for. What is open tells a reviewer what is decided."""
    specification = current(membership.project)
    if specification is None or membership.has(Role.REVIEWER):
        return None
    return short_of_reviewers(specification).count()
