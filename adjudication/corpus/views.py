"""Pages of the corpus: sources, versions in full, and the making of spans."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from adjudication.corpus.actions import capture_version, invalidate, make_span_as
from adjudication.corpus.clearance import readable
from adjudication.corpus.forms import CaptureForm, InvalidationForm, SpanForm
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.newer import newest_for
from adjudication.corpus.pages import (
    KEYS,
    Ask,
    cards_of,
    corpus_tabs,
    facts_of,
    in_context,
    integrity_of,
    reading,
    source_step,
    version_step,
)
from adjudication.corpus.queries import (
    is_captured,
    lines_of,
    listed,
    readers_of,
    source_for,
    sources_of,
    spans_of,
    version_for,
    visible_to,
)
from adjudication.corpus.staleness import rechecks
from adjudication.corpus.units import splits_character
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import WRITERS, Membership, Role
from adjudication.projects.queries import other_reviewers
from adjudication.projects.requests import page_of, posted, posted_files, word

SOURCE_COLUMNS = [
    {"label": "Source"},
    {"label": "From"},
    {"label": "Versions", "kind": "num"},
    {"label": "Spans", "kind": "num"},
]


@require_safe
@member_page()
def sources(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The sources this member may read, by title."""
    title = word(request.GET, "title")
    page = page_of(request, sources_of(membership, title))
    query = urlencode({"title": title}) if title else ""
    context = {
        "page": page,
        "rows": listed(membership, page),
        "title": title,
        "query": query,
        "columns": SOURCE_COLUMNS,
        "tabs": corpus_tabs(membership, "sources"),
    }
    return render(request, "corpus/sources.html", context)


@require_safe
@member_page()
def source(request: MemberRequest, membership: Membership, source_id: UUID) -> HttpResponse:
    """One source: every version with its times, clearance and integrity."""
    found = source_for(membership, source_id)
    slug = membership.project.slug
    lines = lines_of(membership, found)
    context = {
        "source": found,
        "cards": cards_of(lines),
        "comparable": sum(line.version is not None for line in lines) > 1,
        "crumbs": crumbs(slug, "sources", source_step(slug, found)),
    }
    return render(request, "corpus/source.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def capture(
    request: MemberRequest, membership: Membership, source_id: UUID | None = None
) -> HttpResponse:
    """Store a text as a new source, or as the next version of a known one."""
    slug = membership.project.slug
    known = source_for(membership, source_id) if source_id else None
    form = CaptureForm(
        posted(request), posted_files(request), project=membership.project, source=known
    )
    if form.is_valid():
        try:
            return _captured(request, membership, form)
        except Refused as error:
            form.add_error(None, str(error))
    steps = [source_step(slug, known)] if known else []
    context = {
        "form": form,
        "source": known,
        "crumbs": crumbs(slug, "sources", *steps, ("Capture", "")),
    }
    return render(request, "corpus/capture.html", context, status=422 if form.is_bound else 200)


def _captured(request: MemberRequest, membership: Membership, form: CaptureForm) -> HttpResponse:
    capture = form.capture()
    before = is_captured(
        membership.project, capture.origin, capture.key, capture.sha256, capture.encoding
    )
    made = capture_version(
        membership.project,
        capture,
        reader_classes=list(form.cleaned_data["reader_classes"]),
        actor=request.user,
    )
    done = "Nothing changed: these bytes are here already, as" if before else "Stored as"
    messages.success(request, f"{done} version {made.number}.")
    target = reverse("version", args=[membership.project.slug, made.pk])
    if not visible_to(membership).filter(pk=made.pk).exists():
        messages.warning(request, "Your own clearance does not open it.")
        target = reverse("sources", args=[membership.project.slug])
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(target)
    return redirect(target)


@require_safe
@member_page()
def version(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """A version's text, its spans marked, and the one in ``?span=`` brought into view."""
    found = version_for(membership, version_id)
    return _version_page(request, membership, found, chosen=_chosen(request, membership, found))


def _chosen(request: MemberRequest, membership: Membership, version: SourceVersion) -> Span | None:
    wanted = request.GET.get("span")
    if not wanted:
        return None
    try:
        span_id = UUID(wanted)
    except ValueError as error:
        raise Http404("no such span") from error
    return get_object_or_404(spans_of(membership), version=version, pk=span_id)


def _asked(request: MemberRequest, chosen: Span | None) -> Ask:
    number = word(request.GET, "window")
    return Ask(
        chosen=chosen,
        window=int(number) if number.isdecimal() and len(number) < 9 else None,
        every=word(request.GET, "hidden") == "all",
        spans=request.GET.get("spans"),
    )


def _version_page(
    request: MemberRequest,
    membership: Membership,
    version: SourceVersion,
    *,
    chosen: Span | None = None,
    span_form: SpanForm | None = None,
    invalidation_form: InvalidationForm | None = None,
) -> HttpResponse:
    slug = membership.project.slug
    text = reading(membership, version, _asked(request, chosen))
    context: dict[str, Any] = {
        "version": version,
        "state": integrity_of(version),
        "facts": facts_of(version, readers_of([version.pk])[version.pk], whole=text["whole"]),
        "recheck": rechecks([version.pk]).get(version.pk),
        "newer": newest_for(membership, version),
        "notes": version.notes.exclude(by__in=other_reviewers(membership).values("user"))
        .select_related("by")
        .order_by("-at"),
        "may_write": membership.has(*WRITERS),
        "may_invalidate": membership.has(Role.LEAD) and not hasattr(version, "invalidation"),
        "span_form": span_form or SpanForm(),
        "invalidation_form": invalidation_form or InvalidationForm(),
        "keys": KEYS if membership.has(*WRITERS) else None,
        "crumbs": crumbs(
            slug, "sources", source_step(slug, version.source), version_step(slug, version)
        ),
        **text,
    }
    failed = span_form is not None or invalidation_form is not None
    return render(request, "corpus/version.html", context, status=422 if failed else 200)


@require_POST
@member_page(*WRITERS)
def cut(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """Make a span from a quotation, from positions, or from what was selected."""
    found = version_for(membership, version_id)
    form = SpanForm(request.POST)
    if form.is_valid():
        try:
            start, end = form.place_in(readable(membership, found).text)
            quoted = form.cleaned_data["selected"]
            span = make_span_as(membership, found, start, end, quoted=quoted)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            _warn_of_split_characters(request, found.text, span)
            return redirect(in_context(membership.project.slug, span))
    return _version_page(request, membership, found, span_form=form)


def _warn_of_split_characters(request: MemberRequest, text: str, span: Span) -> None:
    for place, edge in ((span.start, "begins"), (span.end, "ends")):
        if splits_character(text, place):
            messages.warning(
                request,
                f"The span {edge} inside of what people see as one character. That is allowed: "
                "what is exact is the code points.",
            )


@require_POST
@member_page(Role.LEAD)
def invalidation(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """Record that a version is no longer to be used, and why."""
    found = version_for(membership, version_id)
    form = InvalidationForm(request.POST)
    if form.is_valid():
        try:
            invalidate(found, reason=form.cleaned_data["reason"], by=membership)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("version", membership.project.slug, found.pk)
    return _version_page(request, membership, found, invalidation_form=form)
