"""How a run stands, for its page: progress, what came out, what was bought, what was chosen."""

from __future__ import annotations

from typing import Any

from adjudication.projects.models import Membership, Role
from adjudication.runs import queries, vectors
from adjudication.runs.lengths import length_only_auroc
from adjudication.runs.models import Attempt, ReadAnswer, Run, RunControl
from adjudication.runs.rules import CAUSES, CHECKS, Configuration, in_words
from adjudication.runs.spending import spending
from adjudication.runs.summary import twin_summary
from adjudication.specifications.queries import sees_digests
from certify_core.metrics.rates import Rate

READERS = {
    "offline": "offline: no model is asked",
    "endpoint": "a model at the endpoint",
    "recorded": "recorded: the stored answers of another run",
}
RETRIEVERS = {
    "bm25": "words (BM25)",
    "dense": "meaning (dense)",
    "hybrid": "words and meaning together (hybrid)",
}
CONFLICTS = {"strict": "abstain", "lenient": "keep the best ranked, and say so"}
ANSWER_COLUMNS = [
    {"label": "Read from"},
    {"label": "Right"},
    {"label": "Not stated", "kind": "num"},
    {"label": "Passages", "kind": "num"},
]
TWIN_COLUMNS = [{"label": "Measure"}, {"label": "Value"}]
PARTS = 4  # into which progress is cut for being read aloud


def standing(membership: Membership, run: Run) -> dict[str, Any]:
    """How far a run is; how its questions ended only for who need not judge them."""
    progress = queries.progress(run)
    control = run.control
    leads = membership.has(Role.LEAD)
    moving = progress.moving
    return {
        "run": run,
        "slug": membership.project.slug,
        "progress": progress,
        "control": control,
        "state": state_of(progress, control),
        "rate": speed(progress.rate),
        "left": _left(progress, control),
        "took": in_words(progress.elapsed) if progress.elapsed and not moving else "",
        "part": PARTS * progress.ended // progress.questions,
        "way": vectors.way(run) if moving else "",
        "said": f"{progress.ended} of {progress.questions} questions ended.",
        "failures": queries.failures(run) if progress.failed else [],
        "twin_failures": queries.failures(run, twin=True) if progress.twins_failed else [],
        "may_control": leads and moving,
        "may_retry": leads and progress.to_retry and control.state != RunControl.State.CANCELLED,
    } | ({} if membership.judges else _verdicts(membership, run))


def state_of(progress: queries.Progress, control: RunControl) -> tuple[str, str]:
    """The word whose badge fits a run, and the words to show."""
    if progress.moving and control.state == RunControl.State.PAUSED:
        return "held", "paused"
    if progress.moving:
        return "running", "running"
    if control.state == RunControl.State.CANCELLED:
        return "closed", "cancelled"
    return ("failed", "ended with failures") if progress.failed else ("closed", "ended")


def speed(rate: float | None) -> str:
    """Questions per second, or over a longer time where they are few."""
    if not rate:
        return ""
    for seconds, word in ((1, "second"), (60, "minute")):
        if rate * seconds >= 1:
            return f"{rate * seconds:.1f} per {word}"
    return f"{rate * 3600:.1f} per hour"


def _left(progress: queries.Progress, control: RunControl) -> str:
    if not progress.unfinished or not progress.left or control.state != RunControl.State.OPEN:
        return ""
    return f"about {in_words(progress.left)} left"


def _verdicts(membership: Membership, run: Run) -> dict[str, Any]:
    """What tells how questions ended, be it of all of them together.

    Calls do so too: an answer is only read where there is a certificate. How many tokens they
    took tells of the passages in them, so ``whole`` says whether this member may read them all.
    """
    asks = run.configuration["reader"] != "offline"
    whole = sees_digests(membership, run.specification)
    return {
        "shows_verdicts": True,
        "agreeing": queries.agreeing(run),
        "causes": [(CAUSES[cause], count) for cause, count in queries.causes(run).items()],
        "spent": spending(run.calls.all()) if asks else None,
        "embedded": vectors.bought(run, whole=whole),
        "whole": whole,
    }


def twins_of(membership: Membership, run: Run, *, moving: bool) -> dict[str, Any]:
    """What came of a run's questions beside their twins; nothing for who may judge."""
    if membership.judges:
        return {}
    return {"twins": twin_summary(run, moving=moving), "twin_columns": TWIN_COLUMNS}


def budgets_told(membership: Membership, run: Run) -> tuple[str, ...]:
    """The budgets of which this member may be told how much is spent, as on the run's page."""
    if membership.judges:
        return ()
    return ("calls", "tokens") if sees_digests(membership, run.specification) else ("calls",)


def reading_of(membership: Membership, run: Run) -> dict[str, Any]:
    """What came of reading with a model, beside the certificates; nothing for who may judge."""
    if membership.judges or run.configuration["reader"] == "offline":
        return {}
    return {
        "answers": _answers(run),
        "answer_columns": ANSWER_COLUMNS,
        # Shown for a run without twins: it is undefined, and says why. Others have it beside them.
        "by_length": length_only_auroc(queries.ended(run), Attempt.objects.none()),
    }


def _answers(run: Run) -> list[dict[str, Any]]:
    """The answers read from the certificates' passages beside those from all that was found."""
    read = queries.read_answers(run)
    return [_answer(context, read.get(context.value)) for context in ReadAnswer.Context]


def _answer(context: ReadAnswer.Context, found: queries.ReadFrom | None) -> dict[str, Any]:
    read = found or queries.ReadFrom()
    reason = "" if read.compared else "none could be compared with a reference answer"
    rate = Rate(read.right, read.compared, missing=read.answers - read.compared, reason=reason)
    percent = None if rate.value is None else f"{100 * rate.value:.1f} %"
    return {"context": context, "rate": rate, "percent": percent, "read": read}


# --- What was chosen -------------------------------------------------------------------------


def choices_of(run: Run) -> list[dict[str, Any]]:
    """The frozen configuration of a run, for facts.html."""
    chosen = Configuration.from_json(run.configuration)
    return [
        *_reader(run, chosen),
        {"term": "Retriever", "value": RETRIEVERS[chosen.retriever]},
        *_where(chosen.embeddings, "Embeddings", chosen.embeddings),
        {"term": "Entity check", "value": dict(CHECKS)[chosen.check]},
        {"term": "Second readings", "value": str(chosen.verifications), "kind": "figure"},
        {"term": "Rank windows", "value": " / ".join(map(str, chosen.schedule)), "kind": "figure"},
        *_where(chosen.stop_on == "any", "Rounds end with", "any passage that states a value"),
        {"term": "Conflicts", "value": CONFLICTS[chosen.conflict]},
        *_where(chosen.twins is not None, "Twins", f"drawn with seed {chosen.twins}"),
        *_where(_unusual(chosen), "Titles", _unusual(chosen)),
    ]


def _unusual(chosen: Configuration) -> str:
    """What of the entity check's rules differs from what is usual."""
    differing = {
        "part of a longer name is anchored": chosen.partial == "anchor",
        "parentheses are left aside": chosen.suffix == "drop",
        "no other names from the first sentence": not chosen.aliases,
        "a place is named with its region": not chosen.places,
    }
    return "; ".join(words for words, holds in differing.items() if holds)


def _reader(run: Run, chosen: Configuration) -> list[dict[str, Any]]:
    facts: list[dict[str, Any]] = [{"term": "Reader", "value": READERS[chosen.reader]}]
    if chosen.reader == "offline":
        return facts
    number = queries.number_of(run.project, chosen.replays) if chosen.replays else None
    return [
        *facts,
        {"term": "Model", "value": chosen.model},
        *_where(number is not None, "Replays", f"run {number}"),
        {"term": "Sample", "value": str(chosen.sample), "kind": "figure"},
        {"term": "Passages in a call", "value": str(chosen.per_call), "kind": "figure"},
    ]


def _where(holds: object, term: str, value: str) -> list[dict[str, Any]]:
    return [{"term": term, "value": value}] if holds else []
