"""Importing a data set in the browser: look at what a file holds, then confirm."""

from __future__ import annotations

from io import BytesIO

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from adjudication.errors import Refused
from adjudication.imports.actions import import_file
from adjudication.imports.formats import format_named
from adjudication.imports.forms import ConfirmForm, ImportForm
from adjudication.imports.reports import Collected, Options, Report
from adjudication.imports.uploads import keep, kept, sweep_uploads
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of, posted, posted_files
from certify_core.datasets.records import Problem

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
            layout = format_named(form.cleaned_data["dialect"])
            layout.check(project, BytesIO(data), Collected())
        except Refused as error:
            form.add_error("file", str(error))
        else:
            address = reverse("import-preview", args=[project.slug, keep(project, data)])
            return redirect(f"{address}?{_choices(form)}")
    context = {"form": form, "crumbs": crumbs(project.slug, "sources", ("Import", ""))}
    return render(request, "imports/new.html", context, status=422 if form.is_bound else 200)


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
    layout, watch = format_named(form.cleaned_data["dialect"]), Collected()
    if request.method != "POST":
        report = layout.check(project, BytesIO(data), watch)
        return _preview(request, form, sha256, report, watch.problems)
    options = Options(
        observed_at=timezone.now(),
        reader_classes=list(form.cleaned_data["reader_classes"]),
        licence=form.cleaned_data["licence"],
        actor=request.user,
    )
    report = import_file(project, layout, BytesIO(data), options, watch, sha256=sha256)
    messages.success(request, _done(report))
    return redirect("sources", project.slug)


def _preview(
    request: MemberRequest,
    form: ConfirmForm,
    sha256: str,
    report: Report,
    problems: list[Problem],
) -> HttpResponse:
    slug = request.membership.project.slug
    query = request.GET.copy()
    query.pop("page", None)
    context = {
        "form": form,
        "sha256": sha256,
        "report": report,
        "problems": problems,
        "page": page_of(request, problems),
        "query": query.urlencode(),
        "count_columns": COUNT_COLUMNS,
        "problem_columns": PROBLEM_COLUMNS,
        "crumbs": crumbs(
            slug, "sources", ("Import", reverse("import-data", args=[slug])), ("Preview", "")
        ),
    }
    return render(request, "imports/preview.html", context)


def _done(report: Report) -> str:
    if not report.changes:
        return "Nothing changed: all of this file is here already."
    added = ", ".join(f"{count.new} {count.what}" for count in report.counts if count.new)
    return f"Imported: {added}."
