"""The projects of a person, and what a script needs to know of one."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from adjudication.api import bodies
from adjudication.api.views.base import Address, ProjectAddress
from adjudication.projects.queries import memberships_of
from adjudication.specifications.queries import (
    frozen_for,
    sees_digests,
    specifications_of,
)


class Projects(Address):
    def get(self, request: Request) -> Response:
        """Those in which one takes part, by title."""
        classes = ("reader_classes", "project__reader_classes")
        found = memberships_of(self.person).prefetch_related(*classes)
        return Response({"items": [bodies.project(one) for one in found], "next": None})


class Project(ProjectAddress):
    def get(self, request: Request, slug: str) -> Response:
        """One's roles and clearances in it, and the reader classes there are."""
        return Response(bodies.project(self.membership))


class Rules(ProjectAddress):
    def get(self, request: Request, slug: str) -> Response:
        """The inference rules, by key."""
        rules = self.membership.project.inference_rules.order_by("key")
        return Response({"items": [bodies.rule(one) for one in rules], "next": None})


class Specifications(ProjectAddress):
    def get(self, request: Request, slug: str) -> Response:
        """Every specification, the newest first; a draft without its settings."""
        found = specifications_of(self.membership)
        return Response({"items": [bodies.specification_line(one) for one in found], "next": None})


class Specification(ProjectAddress):
    def get(self, request: Request, slug: str, number: int) -> Response:
        """A frozen specification, with the canonical JSON that its digest covers."""
        found = frozen_for(self.membership, number)
        digests = sees_digests(self.membership, found)
        return Response(bodies.specification(found, digests=digests))
