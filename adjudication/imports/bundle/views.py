"""The page of bundles: choose for whom, and download."""

from __future__ import annotations

from itertools import chain

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from adjudication.imports.bundle.export import bundle_lines, bundle_name
from adjudication.imports.bundle.forms import BundleForm
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role


@require_safe
@member_page(Role.LEAD)
def page(request: MemberRequest, membership: Membership) -> HttpResponse:
    """For whom, and of what."""
    return _form(request, BundleForm(membership=membership))


def _form(request: MemberRequest, form: BundleForm) -> HttpResponse:
    membership = request.membership
    context = {
        "form": form,
        "clears": membership.reader_classes.exists(),
        "crumbs": crumbs(membership.project.slug, "sources", ("Export a bundle", "")),
    }
    return render(request, "imports/bundle.html", context, status=422 if form.is_bound else 200)


@require_safe
@member_page(Role.LEAD)
def download(request: MemberRequest, membership: Membership) -> HttpResponseBase:
    """The bundle. All of it is checked before its first byte goes out."""
    form = BundleForm(request.GET, membership=membership)
    if not form.is_valid():
        return _form(request, form)
    scope = form.scope()
    lines = bundle_lines(scope, actor=request.user)
    header = next(lines)
    return StreamingHttpResponse(
        chain([header], lines),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="{bundle_name(scope)}"'},
    )
