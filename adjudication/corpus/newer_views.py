"""Pages about a later version of a source: what changed, and the same words again."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from adjudication.corpus.actions import confirm_successor
from adjudication.corpus.clearance import readable
from adjudication.corpus.models import Source, SourceVersion, Span
from adjudication.corpus.newer import newest_for, version_numbered
from adjudication.corpus.newer_pages import again_context, diff_context, versions_to_compare
from adjudication.corpus.pages import in_context, source_step, version_step
from adjudication.corpus.queries import source_for, spans_of
from adjudication.corpus.rules import places_of
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import WRITERS, Membership
from adjudication.projects.requests import word


@require_safe
@member_page()
def diff(request: MemberRequest, membership: Membership, source_id: UUID) -> HttpResponse:
    """What changed from one version of a source to another; the last two unless named."""
    source = source_for(membership, source_id)
    numbers = versions_to_compare(membership, source)
    first, second = numbers[:2] if len(numbers) > 1 else numbers * 2
    old = _asked_for(request, membership, source, "from", second)
    new = _asked_for(request, membership, source, "to", first)
    context = {
        "source": source,
        "numbers": numbers,
        "crumbs": crumbs(
            membership.project.slug,
            "sources",
            source_step(membership.project.slug, source),
            ("What changed", ""),
        ),
        **diff_context(
            membership,
            old,
            new,
            everything=word(request.GET, "all") == "yes",
            page=request.GET.get("page"),
        ),
    }
    return render(request, "corpus/diff.html", context)


def _asked_for(
    request: MemberRequest, membership: Membership, source: Source, name: str, otherwise: int
) -> SourceVersion:
    number = word(request.GET, name) or str(otherwise)
    if not (number.isascii() and number.isdecimal() and len(number) < 9):
        raise Http404("no such source version")
    return version_numbered(membership, source, int(number))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(*WRITERS)
def again(request: MemberRequest, membership: Membership, span_id: UUID) -> HttpResponse:
    """Where the words of a span stand in the newest version; a post confirms one place."""
    span = spans_of(membership).filter(pk=span_id).first()
    if span is None:
        raise Http404("no such span")
    newer = newest_for(membership, span.version)
    refusal = ""
    if request.method == "POST" and newer:
        try:
            return _confirmed(request, membership, span, newer)
        except Refused as error:
            refusal = str(error)
    slug = membership.project.slug
    context = {
        "span": span,
        "newer": newer,
        "refusal": refusal,
        "crumbs": crumbs(
            slug,
            "sources",
            source_step(slug, span.version.source),
            version_step(slug, span.version),
            ("The same words again", ""),
        ),
        **again_context(request, membership, span, newer),
    }
    return render(request, "corpus/again.html", context, status=422 if refusal else 200)


def _confirmed(
    request: MemberRequest, membership: Membership, span: Span, newer: SourceVersion
) -> HttpResponse:
    start = word(request.POST, "start")
    # Only where this member can read that the words stand.
    if start not in map(str, places_of(readable(membership, newer).text, span.exact)):
        raise Refused("These words do not stand at that place.")
    made = confirm_successor(span, newer, int(start), by=membership)
    messages.success(
        request, "A span with the same words. Propose anew what you want to rest on it."
    )
    return redirect(in_context(membership.project.slug, made))
