"""Pages of annotation versions: what is released, what would be next, how to check it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from typing import IO, Any
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of
from adjudication.releases import actions, queries
from adjudication.releases.exports import export_name
from adjudication.releases.forms import VerifyForm
from adjudication.releases.models import AnnotationVersion
from adjudication.releases.narrowing import Narrowing
from adjudication.releases.reading import Excerpt, ReadItem, classes_of, read_item
from adjudication.releases.sealing import body_from
from adjudication.releases.verification import verify
from adjudication.review.queries import audited_discussion
from adjudication.specifications.queries import current

VERSION_COLUMNS = [
    {"label": "Version"},
    {"label": "Released"},
    {"label": "Specification"},
    {"label": "By"},
    {"label": "Digest"},
]
ITEM_COLUMNS = [
    {"label": "No.", "kind": "num"},
    {"label": "Question and claim"},
    {"label": "Verdict"},
    {"label": "By"},
    {"label": "Members", "kind": "num"},
]


@require_safe
@member_page()
def releases(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Every released version; for leads and adjudicators also what the next would hold."""
    return _list(request, membership)


def _list(request: MemberRequest, membership: Membership, refusal: str = "") -> HttpResponse:
    context = {
        "page": page_of(request, queries.versions_of(membership.project)),
        "columns": VERSION_COLUMNS,
        "refusal": refusal,
        **_next(membership),
    }
    return render(request, "releases/list.html", context, status=422 if refusal else 200)


def _next(membership: Membership) -> dict[str, Any]:
    """The next version, for those who release. Its counts rest on others' judgements."""
    if not membership.has(*queries.APPROVERS):
        return {}
    waiting = queries.waiting_request(membership.project)
    specification = waiting.specification if waiting else current(membership.project)
    kept = specification is not None and queries.keeps_contents(membership, specification)
    return {
        "draft": queries.draft_of(specification) if specification and not kept else None,
        "kept": kept,
        "waiting": waiting,
        "may_approve": waiting is not None and queries.may_approve(membership, waiting),
        "may_request": membership.has(*queries.REQUESTERS),
        "releases_here": True,
    }


@require_POST
@member_page(*queries.REQUESTERS)
def ask(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Ask for a release."""
    try:
        actions.request_release(membership)
    except Refused as refusal:
        return _list(request, membership, str(refusal))
    messages.success(request, "The release waits for a second person to approve it.")
    return redirect("releases", membership.project.slug)


@require_POST
@member_page(*queries.REQUESTERS)
def withdraw(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Take the waiting request back."""
    waiting = queries.waiting_request(membership.project)
    if waiting is not None:
        actions.withdraw_request(waiting, by=membership)
        messages.success(request, "The request is withdrawn.")
    return redirect("releases", membership.project.slug)


@require_POST
@member_page(*queries.APPROVERS)
def approve(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Release what the waiting request asks for."""
    waiting = queries.waiting_request(membership.project)
    if waiting is None:
        # A second press of the button finds the request approved already.
        return redirect("releases", membership.project.slug)
    try:
        version = actions.approve_request(
            waiting, by=membership, contents=request.POST.get("contents", "")
        )
    except Refused as refusal:
        return _list(request, membership, str(refusal))
    messages.success(request, f"{str(version).capitalize()} is released.")
    return redirect("release", membership.project.slug, version.number)


@require_safe
@member_page()
def release(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """One version: what it holds, how it differs from its parent, downloads."""
    version = queries.version_for(membership, number)
    context = {
        "version": version,
        "crumbs": crumbs(membership.project.slug, "releases", _step(membership, version)),
    }
    if waiting := queries.still_to_judge(membership, version).count():
        return render(request, "releases/aside.html", context | {"waiting": waiting})
    return render(request, "releases/version.html", context | _contents(request, version))


def _contents(request: MemberRequest, version: AnnotationVersion) -> dict[str, Any]:
    membership = request.membership
    page = page_of(request, queries.items_of(version))
    classes, narrowing = classes_of(membership), Narrowing.of(version)
    head = body_from(version.body)["shown"]
    return {
        "page": page,
        "rows": [read_item(row, classes, narrowing) for row in page.object_list],
        "columns": ITEM_COLUMNS,
        "counts": head["counts"],
        "total": head["counts"]["accepted"] + head["counts"]["rejected"],
        "changes": queries.changes_in(version) if version.parent else None,
        "reader_classes": membership.reader_classes.order_by("key"),
    }


@require_safe
@member_page()
def item(request: MemberRequest, membership: Membership, number: int, ordinal: int) -> HttpResponse:
    """One decided set as it was frozen."""
    version = queries.version_for(membership, number)
    queries.check_may_read(membership, version)
    row = queries.item_for(version, ordinal)
    found = read_item(row, classes_of(membership), Narrowing.of(version))
    context = {
        "version": version,
        "item": found,
        "members": _with_rechecks(found),
        "discussion": audited_discussion(membership, row.verdict.item, version.released_at),
        "crumbs": crumbs(
            membership.project.slug,
            "releases",
            _step(membership, version),
            (f"item {ordinal}", ""),
        ),
    }
    return render(request, "releases/item.html", context)


def _with_rechecks(found: ReadItem) -> list[tuple[Excerpt, Recheck | None]]:
    """Each member as it was released, and why it is to be checked again today, if it is."""
    versions = {
        one.span: UUID(one.content["version"]["id"]) for one in found.members if one.content
    }
    stale = rechecks(versions.values())
    return [(one, stale.get(versions[one.span]) if one.content else None) for one in found.members]


@require_POST
@member_page(Role.REVIEWER)
def step_aside(request: MemberRequest, membership: Membership, number: int) -> HttpResponse:
    """Give up judging what the version decided, in order to read it."""
    version = queries.version_for(membership, number)
    actions.step_aside(membership, version)
    return redirect("release", membership.project.slug, number)


@require_safe
@member_page()
def download(
    request: MemberRequest, membership: Membership, number: int, reader_class: str
) -> FileResponse:
    """The export for one of the member's own reader classes.

    The file is whole before its first byte is sent, and the headers of a partial or
    conditional request change nothing: every answer is the whole file, after the same check.
    """
    version = queries.version_for(membership, number)
    found = queries.reader_class_for(membership, reader_class)
    queries.check_may_read(membership, version)
    return FileResponse(
        _whole_file(actions.export_for(version, found, actor=request.user)),
        as_attachment=True,
        filename=export_name(version, found.key),
        content_type="application/jsonl",
    )


def _whole_file(lines: Iterable[bytes]) -> IO[bytes]:
    """A nameless file with all ``lines``, at its start; whoever gets it closes it."""
    with ExitStack() as closing:
        file = closing.enter_context(tempfile.TemporaryFile())
        file.writelines(lines)
        file.seek(0)
        closing.pop_all()
    return file


@require_http_methods(["GET", "HEAD", "POST"])
def verify_page(request: HttpRequest) -> HttpResponse:
    """Check an export that somebody uploads. Nothing of it is kept."""
    form = VerifyForm(request.POST or None, request.FILES or None)
    report = None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        report = verify(file, expected=form.cleaned_data["digest"])
    context = {"form": form, "report": report, "name": report and form.cleaned_data["file"].name}
    return render(request, "releases/verify.html", context, status=422 if form.errors else 200)


def _step(membership: Membership, version: AnnotationVersion) -> tuple[str, str]:
    return str(version), reverse("release", args=[membership.project.slug, version.number])
