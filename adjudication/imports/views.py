"""Importing in the browser: send a file, look at what it holds, confirm, watch it go in."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.errors import Refused
from adjudication.imports import jobs, pages, queries
from adjudication.imports.formats import FORMATS
from adjudication.imports.forms import AnnouncementForm, ImportForm
from adjudication.imports.models import Import
from adjudication.imports.tasks import KEPT_PROBLEMS
from adjudication.imports.uploads import DiskFull, WrongOffset, receive
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, posted, posted_files, word

State = Import.State
COUNT_COLUMNS = [
    {"label": "What"},
    {"label": "New", "kind": "num"},
    {"label": "Already here", "kind": "num"},
]
PROBLEM_COLUMNS = [{"label": "Where"}, {"label": "Kind"}, {"label": "What was not used, and why"}]
LIST_COLUMNS = [
    {"label": "File"},
    {"label": "State"},
    {"label": "Format"},
    {"label": "Sent"},
    {"label": "Size", "kind": "num"},
    {"label": "New", "kind": "num"},
]
lead_page = member_page(Role.LEAD)


@require_http_methods(["GET", "HEAD", "POST"])
@lead_page
def new(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Choose a file. A post carries it whole, and hands it to the workers to be looked at."""
    project = membership.project
    form = ImportForm(posted(request), posted_files(request), project=project)
    if form.is_valid():
        try:
            with transaction.atomic():
                one = jobs.begin(project, request.user, form.whole())
                receive(one.pk, 0, form.cleaned_data["file"].chunks())
        except Refused as refusal:
            form.add_error("file", str(refusal))
        else:
            jobs.begin_check(one)
            return redirect("import", project.slug, one.pk)
    context = {
        "form": form,
        "formats": FORMATS.values(),
        "half_sent": queries.half_sent(membership),
        "limit": settings.IMPORT_LIMIT,
        "plain_limit": settings.UPLOAD_LIMIT,
        "crumbs": crumbs(project.slug, "sources", ("Import", "")),
    }
    return render(request, "imports/new.html", context, status=422 if form.is_bound else 200)


@require_POST
@lead_page
def announce(request: MemberRequest, membership: Membership) -> JsonResponse:
    """Begin, or go on with, a file that comes piece by piece: where to send it, from where on."""
    form = AnnouncementForm(request.POST, project=membership.project)
    if form.is_valid():
        try:
            one = jobs.begin(membership.project, request.user, form.announced())
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            return JsonResponse(_whereabouts(one))
    words = [str(message) for messages in form.errors.values() for message in messages]
    return JsonResponse({"problem": " ".join(words)}, status=422)


@require_http_methods(["PUT"])
@lead_page
def piece(request: MemberRequest, membership: Membership, import_id: UUID) -> JsonResponse:
    """Add the body to a file from ``?offset=`` on. Every answer says how much is here.

    With the last piece the file goes to the workers. 409 is an offset that is not the one
    of the answer, 413 a piece that is too long, 507 a full disk.
    """
    one = queries.own_import(membership, import_id)
    data = request.read(settings.PIECE_LIMIT + 1)
    if len(data) > settings.PIECE_LIMIT:
        return _told(one, f"A piece has at most {settings.PIECE_LIMIT} bytes.", 413)
    try:
        one = receive(one.pk, _offset(request), [data])
    except WrongOffset as wrong:
        one.received = wrong.received
        return _told(one, f"This piece does not go on at byte {wrong.received}.", 409)
    except DiskFull as full:
        return _told(one, str(full), 507)
    except Refused as refusal:
        return _told(one, str(refusal), 422)
    if one.is_whole:
        jobs.begin_check(one)
    return JsonResponse(_whereabouts(one))


def _offset(request: MemberRequest) -> int:
    """Where the piece begins; where nothing can begin, if the address does not say."""
    text = request.GET.get("offset", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1


def _told(one: Import, problem: str, status: int) -> JsonResponse:
    return JsonResponse(_whereabouts(one) | {"problem": problem}, status=status)


def _whereabouts(one: Import) -> dict[str, Any]:
    address = [one.project.slug, one.pk]
    return {
        "received": one.received,
        "size": one.size,
        "piece": settings.PIECE_LIMIT,
        "pieces": reverse("import-piece", args=address),
        "page": reverse("import", args=address),
    }


@require_safe
@lead_page
def imports(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The project's imports, newest first; a person opens their own."""
    slug = membership.project.slug
    page = page_of(request, queries.imports_of(membership))
    rows = [_row(membership, one) for one in page.object_list]
    import_step = ("Import", reverse("import-data", args=[slug]))
    context = {
        "page": page,
        "rows": rows,
        "columns": LIST_COLUMNS,
        "crumbs": crumbs(slug, "sources", import_step, ("All imports", "")),
    }
    return render(request, "imports/list.html", context)


def _row(membership: Membership, one: Import) -> dict[str, Any]:
    own = one.by_id == membership.user_id
    url = reverse("import", args=[membership.project.slug, one.pk])
    new = sum(count.new for count in pages.counts(one)) if one.state == State.DONE else None
    return {
        "import": one,
        "url": url if own else "",
        "badge": pages.BADGES[one.state],
        "size": f"{pages.in_unit(one.size, one.size)} {pages.unit_of(one.size)}",
        "new": new,
    }


@require_safe
@lead_page
def show(request: MemberRequest, membership: Membership, import_id: UUID) -> HttpResponse:
    """One import as it stands: on its way, to be confirmed, or ended."""
    one = queries.own_import(membership, import_id)
    slug = membership.project.slug
    code = word(request.GET, "code")
    shown = "" if code not in one.problems_by_code else code
    import_step = ("Import", reverse("import-data", args=[slug]))
    context = _standing(one) | {
        "counts": pages.counts(one),
        "changes": pages.changes(one),
        "count_columns": COUNT_COLUMNS,
        "problem_columns": PROBLEM_COLUMNS,
        "page": page_of(request, queries.problems_of(one, shown)),
        "problems": sum(one.problems_by_code.values()),
        "kept_problems": KEPT_PROBLEMS,
        "kinds": pages.kinds(one, shown),
        "query": urlencode({"code": shown}) if shown else "",
        "may_try_again": queries.may_try_again(one),
        "crumbs": crumbs(slug, "sources", import_step, (one.name, "")),
    }
    return render(request, "imports/import.html", context)


@require_safe
@lead_page
def progress(request: MemberRequest, membership: Membership, import_id: UUID) -> HttpResponse:
    """The moving part of an import's page; once the step has ended, the page is loaded anew."""
    one = queries.own_import(membership, import_id)
    response = render(request, "imports/_progress.html", _standing(one))
    if not one.is_working:
        response.headers["HX-Refresh"] = "true"
    return response


def _standing(one: Import) -> dict[str, Any]:
    return {
        "import": one,
        "badge": pages.BADGES[one.state],
        "standing": pages.standing(one),
        "slug": one.project.slug,
    }


@require_POST
@lead_page
def confirm(request: MemberRequest, membership: Membership, import_id: UUID) -> HttpResponse:
    """Import what was looked at. A second click changes nothing."""
    one = queries.own_import(membership, import_id)
    jobs.confirm(one)
    return redirect("import", membership.project.slug, one.pk)


@require_POST
@lead_page
def discard(request: MemberRequest, membership: Membership, import_id: UUID) -> HttpResponse:
    """Give the file up; nothing of it is kept."""
    one = queries.own_import(membership, import_id)
    if jobs.discard(one):
        messages.success(request, f"{one.name} was discarded; nothing was imported.")
    return redirect("import-data", membership.project.slug)


@require_POST
@lead_page
def retry(request: MemberRequest, membership: Membership, import_id: UUID) -> HttpResponse:
    """Look again at a file whose import failed."""
    one = queries.own_import(membership, import_id)
    jobs.try_again(one)
    return redirect("import", membership.project.slug, one.pk)
