"""Who takes part in a project: pages of its leads. A new project: a page of operators."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects import actions, queries
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.forms import AddPersonForm, MemberForm, ProjectForm, ReaderClassForm
from adjudication.projects.models import Membership, Role
from adjudication.projects.requests import page_of

COLUMNS = [
    {"label": "Person"},
    {"label": "Signs in as"},
    {"label": "Roles"},
    {"label": "Cleared for"},
    {"label": "State"},
]


@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """An operator opens a project and is its first lead."""
    user = cast(User, request.user)
    if not user.is_operator:
        raise Refused("Only an operator of this installation opens projects.")
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        project = actions.create_project(**form.cleaned_data, lead=user, actor=user)
        messages.success(request, f"{project} is open, and you lead it.")
        return redirect("project-home", project.slug)
    return render(request, "projects/new.html", {"form": form}, status=_status(form.errors))


@require_safe
@member_page(Role.LEAD, Role.AUDITOR)
def people(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The members with their roles and clearances, and the reader classes there are."""
    context = {
        "page": page_of(request, queries.people_of(membership)),
        "columns": COLUMNS,
        "reader_classes": membership.project.reader_classes.order_by("title"),
        "may_change": membership.has(Role.LEAD),
    }
    return render(request, "projects/people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def add_person(request: MemberRequest, membership: Membership) -> HttpResponse:
    """Add somebody with an account, or invite a new person by a link to hand over."""
    form = AddPersonForm(request.POST or None, project=membership.project)
    if request.method == "POST" and form.is_valid():
        return _add(request, membership, form)
    context = {
        "form": form,
        "crumbs": crumbs(membership.project.slug, "people", ("Add a person", "")),
    }
    return render(request, "projects/add_person.html", context, status=_status(form.errors))


def _add(request: MemberRequest, membership: Membership, form: AddPersonForm) -> HttpResponse:
    values, project = form.cleaned_data, membership.project
    given = {"roles": values["roles"], "reader_classes": values["reader_classes"]}
    if form.known is not None:
        actions.set_membership(project, form.known, **given, actor=request.user)
        messages.success(request, f"{form.known} takes part now.")
        return redirect("people", project.slug)
    added = actions.invite(
        project,
        username=values["username"],
        display_name=values["display_name"],
        **given,
        actor=request.user,
    )
    return _link_page(request, added)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def person(request: MemberRequest, membership: Membership, member_id: UUID) -> HttpResponse:
    """Change somebody's roles and clearances; who had left takes part again by it."""
    member = queries.member_for(membership, member_id)
    form = MemberForm(request.POST or None, project=membership.project, membership=member)
    if request.method == "POST" and form.is_valid():
        try:
            actions.set_membership(
                membership.project, member.user, **form.cleaned_data, actor=request.user
            )
        except Refused as refusal:
            form.add_error("roles", str(refusal))
        else:
            messages.success(request, f"The roles and clearances of {member.user} are set.")
            # Who gives up leading may not see the list of people any more.
            page = "project-home" if member == membership else "people"
            return redirect(page, membership.project.slug)
    context = {
        "form": form,
        "member": member,
        "crumbs": crumbs(membership.project.slug, "people", (str(member.user), "")),
    }
    return render(request, "projects/person.html", context, status=_status(form.errors))


@require_POST
@member_page(Role.LEAD)
def deactivate(request: MemberRequest, membership: Membership, member_id: UUID) -> HttpResponse:
    """End somebody's part in the project; nothing they did goes away."""
    member = queries.member_for(membership, member_id)
    try:
        actions.deactivate(member, actor=request.user)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", membership.project.slug, member.pk)
    messages.success(request, f"{member.user} does not take part any more.")
    if member == membership:
        return redirect("home")
    return redirect("people", membership.project.slug)


@require_POST
@member_page(Role.LEAD)
def password_link(request: MemberRequest, membership: Membership, member_id: UUID) -> HttpResponse:
    """Make a link by which somebody chooses a new password."""
    return _link_page(request, queries.member_for(membership, member_id))


def _link_page(request: MemberRequest, member: Membership) -> HttpResponse:
    """Shown in the answer itself: a link that is stored to be shown later could be stolen."""
    try:
        link = actions.hand_password_link(member, by=request.user)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return redirect("person", member.project.slug, member.pk)
    context = {
        "link": link,
        "member": member,
        "crumbs": crumbs(member.project.slug, "people", (str(member.user), "")),
    }
    return render(request, "projects/password_link.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Role.LEAD)
def add_reader_class(request: MemberRequest, membership: Membership) -> HttpResponse:
    """A further group of people who may be cleared for source versions."""
    form = ReaderClassForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            made = actions.add_reader_class(
                membership.project, **form.cleaned_data, actor=request.user
            )
        except Refused as refusal:
            form.add_error("key", str(refusal))
        else:
            messages.success(request, f"{made} is added. Nobody is cleared for it yet.")
            return redirect("people", membership.project.slug)
    context = {
        "form": form,
        "crumbs": crumbs(membership.project.slug, "people", ("Add a reader class", "")),
    }
    return render(request, "projects/add_reader_class.html", context, status=_status(form.errors))


def _status(errors: object) -> int:
    return 422 if errors else 200
