"""Pages of questions and claims, and what people record on a claim."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from adjudication.claims.actions import (
    note_premise,
    propose_evidence_set,
    record_contradiction,
)
from adjudication.claims.forms import ContradictionForm, PremiseForm, RouteForm
from adjudication.claims.models import Claim, EvidenceSet
from adjudication.claims.pages import (
    QUESTION_COLUMNS,
    claim_step,
    tabs,
    to_tick,
)
from adjudication.claims.queries import (
    candidates,
    claim_for,
    notes_of,
    questions_of,
    routes_of,
    sees_proposals,
    sets_of,
)
from adjudication.corpus.pages import source_step, version_step
from adjudication.corpus.queries import listed, sources_of, version_for
from adjudication.errors import Refused
from adjudication.projects.access import MemberRequest, member_page
from adjudication.projects.context import crumbs
from adjudication.projects.models import WRITERS, Membership
from adjudication.projects.requests import page_of, posted, word

FOUND = 20  # sources that a search by title lists beside the form


@require_safe
@member_page()
def claims(request: MemberRequest, membership: Membership) -> HttpResponse:
    """The questions of the project with their claims."""
    words, show = word(request.GET, "words"), word(request.GET, "show")
    context = {
        "page": page_of(request, questions_of(membership, words=words, show=show)),
        "words": words,
        "show": show,
        "query": urlencode(
            {key: value for key, value in (("words", words), ("show", show)) if value}
        ),
        "columns": QUESTION_COLUMNS,
        "tabs": tabs(membership, show),
        "sees_proposals": sees_proposals(membership),
    }
    return render(request, "claims/claims.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(*WRITERS)
def propose(request: MemberRequest, membership: Membership, claim_id: UUID) -> HttpResponse:
    """Choose spans that jointly entail a claim. The button "find" only looks for more spans."""
    found = claim_for(membership, claim_id)
    form = RouteForm(posted(request), membership=membership)
    if form.is_valid() and "find" not in request.POST:
        try:
            return _proposed(request, membership, found, form)
        except Refused as error:
            form.add_error(None, str(error))
    return _propose_page(request, membership, found, form)


def _proposed(
    request: MemberRequest, membership: Membership, found: Claim, form: RouteForm
) -> HttpResponse:
    # As this member sees them: whether another reviewer proposed the same is not for them.
    before = set(sets_of(membership).filter(claim=found).values_list("pk", flat=True))
    made = propose_evidence_set(
        found,
        form.picked(),
        origin=EvidenceSet.Origin.PERSON,
        author=request.user,
        rules=list(form.cleaned_data["rules"]),
    )
    done = "This route is here already." if made.pk in before else "Proposed. It waits for review."
    messages.success(request, done)
    return redirect(f"{reverse('claim', args=[membership.project.slug, found.pk])}#route-{made.pk}")


@require_POST
@member_page(*WRITERS)
def propose_again(
    request: MemberRequest, membership: Membership, claim_id: UUID, set_id: UUID
) -> HttpResponse:
    """Propose a route over the same words in later versions; the old route stays."""
    found = claim_for(membership, claim_id)
    route = next((r for r in routes_of(membership, found) if r.evidence_set.pk == set_id), None)
    if route is None:
        raise Http404("no such route")
    made = route.evidence_set
    if route.renewed:
        made = propose_evidence_set(
            found,
            route.renewed,
            origin=EvidenceSet.Origin.PERSON,
            author=request.user,
            rules=route.rules,
        )
        messages.success(request, "Proposed over the later versions. It waits for review.")
    else:
        messages.warning(request, "Nothing to propose: find the same words again first.")
    return redirect(f"{reverse('claim', args=[membership.project.slug, found.pk])}#route-{made.pk}")


def _propose_page(
    request: MemberRequest, membership: Membership, found: Claim, form: RouteForm
) -> HttpResponse:
    slug = membership.project.slug
    title = word(request.POST, "title")
    searching = "find" in request.POST
    context = {
        "claim": found,
        "form": form,
        "title": title,
        "searching": searching,
        "sources": listed(membership, sources_of(membership, title)[:FOUND] if title else ()),
        "spans": to_tick(membership, form, candidates(membership, found, title)),
        "crumbs": crumbs(slug, "claims", claim_step(slug, found), ("Propose a route", "")),
    }
    wrong = form.is_bound and not searching
    return render(request, "claims/propose.html", context, status=422 if wrong else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(*WRITERS)
def contradict(request: MemberRequest, membership: Membership, claim_id: UUID) -> HttpResponse:
    """Record conflicting evidence on a claim, and how it is treated."""
    found = claim_for(membership, claim_id)
    slug = membership.project.slug
    form = ContradictionForm(posted(request), claim=found, membership=membership)
    if form.is_valid():
        try:
            record_contradiction(found, form.picked(), by=request.user, **form.record())
        except Refused as error:
            form.add_error(None, str(error))
        else:
            address = reverse("claim", args=[slug, found.pk])
            return redirect(f"{address}#contradictions")
    context = {
        "claim": found,
        "form": form,
        "spans": to_tick(membership, form, candidates(membership, found)),
        "crumbs": crumbs(slug, "claims", claim_step(slug, found), ("Record a contradiction", "")),
    }
    return render(request, "claims/contradict.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(*WRITERS)
def premise_notes(request: MemberRequest, membership: Membership, version_id: UUID) -> HttpResponse:
    """The notes on whether a version should be believed, and a form for one more."""
    slug = membership.project.slug
    version = version_for(membership, version_id)
    form = PremiseForm(posted(request))
    if form.is_valid():
        note_premise(version, by=request.user, **form.cleaned_data)
        return redirect("version", slug, version.pk)
    steps = (source_step(slug, version.source), version_step(slug, version))
    context = {
        "version": version,
        "form": form,
        "notes": notes_of(membership, [version.pk]).select_related("by"),
        "crumbs": crumbs(slug, "sources", *steps, ("Premise notes", "")),
    }
    return render(
        request, "claims/premise_notes.html", context, status=422 if form.is_bound else 200
    )
