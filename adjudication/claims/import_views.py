"""Importing a data set in the browser: look at what a file holds, then confirm."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from adjudication.claims.forms import ConfirmForm, ImportForm
from adjudication.claims.imports import Report, import_batch, plan_import, read_batch
from adjudication.corpus.uploads import keep, kept, sweep_uploads
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, posted, posted_files

COUNT_COLUMNS = [
    {"label": "What"},
    {"label": "New", "kind": "num"},
    {"label": "Already here", "kind": "num"},
]
PROBLEM_COLUMNS = [{"label": "Where"}, {"label": "Kind"}, {"label": "What was not used, and why"}]


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def upload(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Take a file and keep it for the preview; nothing is imported yet."""
    sweep_uploads()
    project = membership.project
    form = ImportForm(posted(request), posted_files(request), project=project)
    if form.is_valid():
        data = form.cleaned_data["file"].read()
        try:
            plan_import(project, read_batch(form.cleaned_data["dialect"], data))
        except Refused as error:
            form.add_error("file", str(error))
        else:
            address = reverse("import-preview", args=[project.slug, keep(project, data)])
            return redirect(f"{address}?{_choices(form)}")
    context = {"form": form, "crumbs": crumbs(project.slug, "sources", ("Import", ""))}
    return render(request, "claims/import.html", context, status=422 if form.is_bound else 200)


def _choices(form: ImportForm) -> str:
    """What was chosen beside the file, for the address of the preview."""
    query = QueryDict(mutable=True)
    query["dialect"], query["licence"] = form.cleaned_data["dialect"], form.cleaned_data["licence"]
    query.setlist("reader_classes", [str(one.pk) for one in form.cleaned_data["reader_classes"]])
    return query.urlencode()


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def preview(request: MemberRequest, membership: Membership, sha256: str) -> HttpResponse:
    """What a kept file would add, and its problems; on confirming, the import."""
    project = membership.project
    form = ConfirmForm(request.POST if request.method == "POST" else request.GET, project=project)
    if not form.is_valid():
        return redirect("import-data", project.slug)
    data = kept(project, sha256)
    batch = read_batch(form.cleaned_data["dialect"], data)
    if request.method != "POST":
        return _preview(request, form, sha256, plan_import(project, batch).report())
    report = import_batch(
        project,
        batch,
        sha256=sha256,
        observed_at=timezone.now(),
        reader_classes=list(form.cleaned_data["reader_classes"]),
        licence=form.cleaned_data["licence"],
        actor=request.user,
    )
    messages.success(request, _done(report))
    return redirect("sources", project.slug)


def _preview(
    request: MemberRequest, form: ConfirmForm, sha256: str, report: Report
) -> HttpResponse:
    slug = request.membership.project.slug
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "sha256": sha256,
        "report": report,
        "page": page_of(request, report.problems),
        "query": query.urlencode(),
        "count_columns": COUNT_COLUMNS,
        "problem_columns": PROBLEM_COLUMNS,
        "crumbs": crumbs(
            slug, "sources", ("Import", reverse("import-data", args=[slug])), ("Preview", "")
        ),
    }
    return render(request, "claims/import_preview.html", context)


def _done(report: Report) -> str:
    if not report.changes:
        return "Nothing changed: all of this file is here already."
    added = ", ".join(f"{count.new} {count.what}" for count in report.counts if count.new)
    return f"Imported: {added}."
