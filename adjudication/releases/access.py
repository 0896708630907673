"""When an auditor may read what runs found: after the release of its specification."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from adjudication.accounts.models import User
from adjudication.errors import Refused
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import membership_for
from adjudication.releases.models import AnnotationVersion
from adjudication.runs.models import Run

View = Callable[..., HttpResponseBase]


def auditors_after_release(view: View) -> View:
    """Keep auditors from a page of run ``number`` until its test has an annotation version.

    Runs lie below releases and cannot ask; the site map puts this around their pages.
    """

    @functools.wraps(view)
    def page(request: HttpRequest, slug: str, number: int, **rest: Any) -> HttpResponseBase:
        membership = membership_for(cast(User, request.user), slug)
        if not membership.has(Role.LEAD) and not _released(membership, number):
            raise Refused(
                "What a run found is open to auditors once its specification has an annotation "
                "version. Until then reviewers judge without knowing, and so does the record."
            )
        return view(request, slug, number=number, **rest)

    return page


def _released(membership: Membership, number: int) -> bool:
    tests = Run.objects.filter(project=membership.project, number=number).values("specification")
    return AnnotationVersion.objects.filter(specification__in=tests).exists()
