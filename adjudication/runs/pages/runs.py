"""The list of runs, and the questions of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from adjudication.projects.models import Membership, Role
from adjudication.runs import queries
from adjudication.runs.actions import expose_outcomes
from adjudication.runs.models import Attempt, Run
from adjudication.runs.pages.question import error_of
from adjudication.runs.pages.standing import state_of
from adjudication.runs.rules import CAUSES
from adjudication.specifications.queries import sees_digests

SHOWN_STATES = ("certified", "abstained", "failed", "cancelled", "unfinished")
LIST_COLUMNS = [
    {"label": "Run"},
    {"label": "State"},
    {"label": "Started"},
    {"label": "Reader"},
    {"label": "Retriever"},
    {"label": "Entity check"},
    {"label": "Ended", "kind": "num"},
    {"label": "Certificates", "kind": "num"},
    {"label": "Abstentions", "kind": "num"},
    {"label": "Failures", "kind": "num"},
]
VERDICT_COLUMNS = ("Certificates", "Abstentions")
QUESTION_COLUMNS = [{"label": "Question"}, {"label": "Outcome"}, {"label": "Why"}]


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
    progress = queries.Progress(*counts, elapsed=None, twins_left=run.twins_left)
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
