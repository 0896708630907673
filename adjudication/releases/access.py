"""What is open to auditors once its test is released: what runs found, how reviewers agree."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import membership_for
from adjudication.releases.models import AnnotationVersion
from adjudication.runs.models import Run
from adjudication.specifications.models import Specification

View = Callable[..., HttpResponseBase]


def auditors_after_release(view: View) -> View:
    """Keep auditors from a page of run ``number`` until its test has an annotation version.

    Runs lie below releases and cannot ask; the site map puts this around their pages.
    """
    return _after_release(
        view,
        lambda membership, number: Run.objects.filter(
            project=membership.project, number=number
        ).values("specification"),
        "What a run found is open to auditors once its specification has an annotation "
        "version. Until then reviewers judge without knowing, and so does the record.",
    )


def auditors_after_release_of_test(view: View) -> View:
    """Keep auditors from a page of specification ``number`` until it has an annotation version."""
    return _after_release(
        view,
        lambda membership, number: Specification.objects.filter(
            project=membership.project, number=number
        ).values("pk"),
        "How far reviewers agree is open to auditors once the specification has an annotation "
        "version. Until then judgements are still being made.",
    )


def _after_release(
    view: View, tests: Callable[[Membership, int], QuerySet[Any, Any]], why_not: str
) -> View:
    @functools.wraps(view)
    def page(request: HttpRequest, slug: str, number: int, **rest: Any) -> HttpResponseBase:
        membership = membership_for(cast(User, request.user), slug)
        released = AnnotationVersion.objects.filter(specification__in=tests(membership, number))
        if not membership.has(Role.LEAD) and not released.exists():
            raise Refused(why_not)
        return view(request, slug, number=number, **rest)

    return page
