"""Questions, claims, evidence sets and contradictions, as ``claims.queries`` gives them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.paging import PAGING, part
from adjudication.api.reading import Kinds, as_form, by_key, checked, given, one_of
from adjudication.api.views.base import ProjectAddress
from adjudication.claims.actions import propose_evidence_set, record_contradiction
from adjudication.claims.forms import ContradictionForm, RouteForm
from adjudication.claims.models import EvidenceSet, Question
from adjudication.claims.pages import SHOWS
from adjudication.claims.queries import (
    claim_for,
    conflicts_of,
    questions_of,
    requirements_of,
    routes_of,
)
from adjudication.projects.models import WRITERS, Membership
from adjudication.projects.requests import word


class Questions(ProjectAddress):
    parameters = PAGING | {"words", "show"}

    def get(self, request: Request, slug: str) -> Response:
        """Questions by text, each with its claims; those that hold ``words``."""
        show = one_of(request, "show", [key for key, _ in SHOWS], "")
        found = questions_of(self.membership, words=word(request.GET, "words"), show=show)
        return Response(part(request, found, ("text", "id"), self._bodies))

    def _bodies(self, rows: list[Question]) -> list[bodies.Body]:
        return [bodies.question(self.membership, one) for one in rows]


class OneQuestion(ProjectAddress):
    def get(self, request: Request, slug: str, question_id: UUID) -> Response:
        """A question with its claims, and the requirement graphs recorded for it."""
        found = questions_of(self.membership).filter(pk=question_id).first()
        if found is None:
            raise Http404
        graphs = [
            {"number": graph.number, "origin": graph.origin, "sha256": graph.sha256}
            | {"body": graph.body}
            for graph, _ in requirements_of(found)
        ]
        return Response(bodies.question(self.membership, found) | {"requirement_graphs": graphs})


class OneClaim(ProjectAddress):
    def get(self, request: Request, slug: str, claim_id: UUID) -> Response:
        """A claim with its question, qualifiers and time."""
        return Response(bodies.claim(self.membership, claim_for(self.membership, claim_id)))


class EvidenceSets(ProjectAddress):
    roles = {"POST": WRITERS}

    def get(self, request: Request, slug: str, claim_id: UUID) -> Response:
        """The evidence sets of a claim that one may see, by digest."""
        found = routes_of(self.membership, claim_for(self.membership, claim_id))
        return Response({"items": [bodies.evidence_set(one) for one in found], "next": None})

    def post(self, request: Request, slug: str, claim_id: UUID) -> Response:
        """Propose that spans jointly entail the claim. The same members and rules are one set.

        The answer is the same whether it was there before or not: that another person had
        proposed it may not be known.
        """
        claim = claim_for(self.membership, claim_id)
        values = given(request, {"spans": list, "rules": list})
        form = RouteForm(as_form(values), membership=self.membership)
        by_key(form, "rules")
        spans = checked(form).picked()
        rules = sorted(form.cleaned_data["rules"], key=lambda rule: rule.key)
        made = propose_evidence_set(
            claim, spans, origin=EvidenceSet.Origin.PERSON, author=self.person, rules=rules
        )
        body = {
            "id": str(made.pk),
            "claim": str(claim.pk),
            "sha256": made.sha256,
            "members": [str(one.pk) for one in spans],
            "rules": [rule.key for rule in rules],
        }
        return Response(body, status=201)


class Contradictions(ProjectAddress):
    roles = {"POST": WRITERS}

    def get(self, request: Request, slug: str, claim_id: UUID) -> Response:
        """What one may see of what is recorded against a claim, the newest first."""
        claim = claim_for(self.membership, claim_id)
        return Response({"items": _contradictions(self.membership, claim), "next": None})

    def post(self, request: Request, slug: str, claim_id: UUID) -> Response:
        """Record conflicting evidence; the last record once more changes nothing."""
        claim = claim_for(self.membership, claim_id)
        kinds: Kinds = {
            "spans": list,
            "material": bool,
            "treatment": str,
            "note": str,
            "supersedes": str,
        }
        values = given(request, kinds)
        if "material" in values:
            values["material"] = "yes" if values["material"] else "no"
        form = ContradictionForm(as_form(values), claim=claim, membership=self.membership)
        picked = checked(form).picked()
        made = record_contradiction(claim, picked, by=self.person, **form.record())
        known = {body["id"]: body for body in _contradictions(self.membership, claim)}
        return Response(known[str(made.pk)], status=201)


def _contradictions(membership: Membership, claim: Any) -> list[bodies.Body]:
    found = {one.record.pk: one for one in conflicts_of(membership, claim)}
    return [bodies.contradiction(one, found) for one in found.values()]
