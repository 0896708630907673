"""What the pages of runs show, as plain values for their templates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.http import urlencode

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.soundness import is_sound
from adjudication.corpus.staleness import Recheck, rechecks
from adjudication.projects.models import Membership, Role
from adjudication.runs import queries
from adjudication.runs.actions import expose_outcomes
from adjudication.runs.models import Attempt, Outcome, ReadAnswer, Run
from adjudication.runs.passages import passages_of
from adjudication.runs.picture import draw
from adjudication.runs.rules import CAUSES
from adjudication.runs.standing import state_of
from adjudication.runs.trace import Trace
from adjudication.specifications.queries import sees_digests

SHOWN_STATES = ("certified", "abstained", "failed", "cancelled", "unfinished")
LIST_COLUMNS = [
    {"label": "Run"},
    {"label": "State"},
    {"label": "Started"},
    {"label": "Reader"},
    {"label": "Entity check"},
    {"label": "Ended", "kind": "num"},
    {"label": "Certificates", "kind": "num"},
    {"label": "Abstentions", "kind": "num"},
    {"label": "Failures", "kind": "num"},
]
VERDICT_COLUMNS = ("Certificates", "Abstentions")
QUESTION_COLUMNS = [{"label": "Question"}, {"label": "Outcome"}, {"label": "Why"}]
LOOKUPS = 20  # on one page
PLAIN_ERRORS = {"Budget spent", "Endpoint down", "Given up"}
"""Ends that a question may come to with nothing broken here; their words hold no passage."""


def run_step(slug: str, number: int) -> tuple[str, str]:
    return f"Run {number}", reverse("run", args=[slug, number])


# --- The list of runs ------------------------------------------------------------------------


def list_columns(membership: Membership) -> list[dict[str, str]]:
    """Without what tells how questions ended, for who may have to judge them."""
    hidden = () if lists_verdicts(membership) else VERDICT_COLUMNS
    return [column for column in LIST_COLUMNS if column["label"] not in hidden]


def lists_verdicts(membership: Membership) -> bool:
    """The list spans specifications released and not, so an auditor opens a run to see more."""
    return membership.has(Role.LEAD) and not membership.judges


def listed(runs: Iterable[Any]) -> list[dict[str, Any]]:
    """Runs as ``queries.runs_of`` counts them, each with its state."""
    return [_listed(run) for run in runs]


def _listed(run: Any) -> dict[str, Any]:
    counts = (run.questions, run.certified, run.abstained, run.failed, run.cancelled)
    progress = queries.Progress(*counts, elapsed=None)
    return {"run": run, "progress": progress, "state": state_of(progress, run.control)}


# --- Questions of a run ----------------------------------------------------------------------


def rows(membership: Membership, run: Run, attempts: list[Attempt]) -> list[dict[str, Any]]:
    """Questions with their outcomes, as far as this person may be shown them unasked."""
    ended = [a.question_id for a in attempts if a.state in ("certified", "abstained")]
    shown = queries.open_questions(membership, ended)
    expose_outcomes(membership, shown, f"list of run {run.number}")
    causes = {key: CAUSES[cause] for key, cause in queries.first_causes(run, shown).items()}
    whole = sees_digests(membership, run.specification)
    return [
        {
            "attempt": attempt,
            "url": reverse(
                "run-question", args=[membership.project.slug, run.number, attempt.question_id]
            ),
            "hidden": attempt.question_id in set(ended) - shown,
            "why": error_of(attempt, whole=whole) or causes.get(attempt.question_id, ""),
        }
        for attempt in attempts
    ]


def error_of(attempt: Attempt, *, whole: bool) -> str:
    """Why an attempt failed; of an error whose words may repeat any passage only the name, for
    who may not read the ``whole`` corpus."""
    name, *words = attempt.error.split(":", 1)
    if whole or not words or name in PLAIN_ERRORS:
        return attempt.error
    return f"{name} (its words are withheld from you)"


def tabs(progress: queries.Progress, chosen: str) -> list[dict[str, Any]]:
    counts = {"": progress.questions} | {s: getattr(progress, s) for s in SHOWN_STATES}
    if not progress.cancelled:
        del counts["cancelled"]
    return [
        {
            "label": (state or "all").capitalize(),
            "url": f"?state={state}" if state else "?",
            "current": state == chosen,
            "count": count,
        }
        for state, count in counts.items()
    ]


# --- One question ----------------------------------------------------------------------------


def tries(membership: Membership, run: Run, attempts: list[Attempt]) -> list[dict[str, Any]]:
    """Every attempt at a question, each with why it failed."""
    whole = sees_digests(membership, run.specification)
    return [{"attempt": one, "error": error_of(one, whole=whole)} for one in attempts]


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
