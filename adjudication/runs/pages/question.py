"""One question of a run: its attempts, and how it ended."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.http import urlencode

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.soundness import is_sound
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.projects.models import Membership
from adjudication.runs import queries
from adjudication.runs.models import Attempt, Outcome, ReadAnswer, Run
from adjudication.runs.pages.passages import passages_of
from adjudication.runs.pages.picture import draw
from adjudication.runs.pages.trace import Trace
from adjudication.runs.rules import WITHOUT_PASSAGES
from adjudication.specifications.queries import sees_digests

LOOKUPS = 20  # on one page


def tries(membership: Membership, run: Run, attempts: list[Attempt]) -> list[dict[str, Any]]:
    """Every attempt at a question, each with why it failed."""
    whole = sees_digests(membership, run.specification)
    return [{"attempt": one, "error": error_of(one, whole=whole)} for one in attempts]


def error_of(attempt: Attempt, *, whole: bool) -> str:
    """Why an attempt failed; of an error whose words may repeat any passage only the name, for
    who may not read the ``whole`` corpus."""
    name, *words = attempt.error.split(":", 1)
    if whole or not words or name in WITHOUT_PASSAGES:
        return attempt.error
    return f"{name} (its words are withheld from you)"


def told(membership: Membership, outcome: Outcome, wanted: str | None = None) -> dict[str, Any]:
    """How a question ended: certificate or abstention, steps, and the page ``wanted`` of what
    was searched and found."""
    trace = Trace.of(membership, outcome)
    if trace.closed:
        return {"trace": trace}
    slug = membership.project.slug
    page = Paginator(trace.lookups, LOOKUPS).get_page(wanted)
    return {
        "trace": trace,
        "picture": draw(trace),
        "read_answers": _read_answers(trace),
        "members": _members(slug, list(queries.members_of(outcome))),
        "lookups_page": page,
        "lookups": passages_of(slug, list(page.object_list)),
        "slug": slug,
    }


def _read_answers(trace: Trace) -> list[ReadAnswer]:
    """What the model answered from passages alone. Any that was found can have given it the one
    from everything retrieved, so that is for those who may read them all."""
    answers = trace.outcome.read_answers.order_by("context")
    if not trace.reads_all_found:
        answers = answers.filter(context=ReadAnswer.Context.CERTIFICATE)
    return list(answers)


def _members(slug: str, members: list[EvidenceMember]) -> list[dict[str, Any]]:
    stale = rechecks(member.span.version_id for member in members)
    return [_member(slug, member, stale.get(member.span.version_id)) for member in members]


def _member(slug: str, member: EvidenceMember, recheck: Recheck | None) -> dict[str, Any]:
    """A member for the component of an excerpt."""
    version = member.span.version
    damaged = not is_sound(member.span)
    url = reverse("version", args=[slug, version.pk])
    return {
        "number": member.ordinal,
        "title": version.source.title,
        "text": "" if damaged else member.span.exact,
        "damaged": damaged,
        "version": version.sha256,
        "observed": version.observed,
        "recheck": recheck,
        "url": f"{url}?{urlencode({'span': str(member.span_id)})}",
    }
