"""The decorator every project page wears: membership loaded, role checked, or no page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from adjudication.accounts.models import User
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role, membership_for

P = ParamSpec("P")  # what the address holds after the project
R = TypeVar("R", bound=HttpResponseBase)


class MemberRequest(HttpRequest):
    """A request by a signed-in member of the project in the address."""

    user: User
    membership: Membership


def member_page(
    *roles: Role,
) -> Callable[
    [Callable[Concatenate[MemberRequest, Membership, P], R]],
    Callable[Concatenate[HttpRequest, str, P], R],
]:
    """Load the membership for ``slug`` (a stranger gets 404) and require any of ``roles``.

    Without roles, every member may see the page. The view receives the membership after
    the request, in place of the slug.
    """

    def decorate(
        view: Callable[Concatenate[MemberRequest, Membership, P], R],
    ) -> Callable[Concatenate[HttpRequest, str, P], R]:
        @functools.wraps(view)
        def page(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> R:
            membership = membership_for(cast(User, request.user), slug)
            if roles:
                check_role(membership, *roles)
            member_request = cast(MemberRequest, request)
            member_request.membership = membership
            return view(member_request, membership, *args, **kwargs)

        # Django passes the slug by name, which Concatenate cannot express.
        return cast(Callable[Concatenate[HttpRequest, str, P], R], page)

    return decorate
