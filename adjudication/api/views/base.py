"""What every address of the API shares: who asks, in which project, and what may be asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, cast

from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.views import APIView

from adjudication.accounts.models import User
from adjudication.api.reading import JSON_PARSERS, check_query
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role, membership_for


class Address(APIView):
    """One address. ``parameters`` are the words that it takes, other than with a POST."""

    parameters: ClassVar[Collection[str]] = ()

    parser_classes = JSON_PARSERS

    @property
    def person(self) -> User:
        return cast(User, self.request.user)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.enter(**kwargs)
        check_query(request, self.parameters if request.method != "POST" else ())

    def enter(self, **kwargs: Any) -> None:
        """Check who asks, before anything is said of what they ask."""


class ProjectAddress(Address):
    """One address in a project. ``roles`` says who may use a verb; every member, if it is not
    named."""

    roles: ClassVar[Mapping[str, tuple[Role, ...]]] = {}

    membership: Membership

    def enter(self, **kwargs: Any) -> None:
        self.membership = membership_for(self.person, kwargs["slug"])
        verb = self.request.method or ""
        needed = self.roles.get("GET" if verb == "HEAD" else verb, ())
        if not needed:
            return
        try:
            check_role(self.membership, *needed)
        except Refused as error:
            raise PermissionDenied(str(error)) from error


class Nowhere(Address):
    """Every address below ``/api/`` that is not another one."""

    def enter(self, **kwargs: Any) -> None:
        raise Http404
