"""Reading runs: how far they are, how each question ended, what was found on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import (
    Count,
    Exists,
    F,
    Func,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    TextField,
    Value,
)
from django.db.models.functions import Now
from django.http import Http404
from django.urls import reverse

from adjudication.claims.models import Claim, EvidenceMember, EvidenceSet, Question
from adjudication.journal.queries import exposed_objects, is_exposed
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.waiting import Waiting
from adjudication.runs.models import Attempt, Outcome, ReadAnswer, Run
from adjudication.specifications.models import Specification
from certify_core.model import Cause

State = Attempt.State
UNFINISHED = (State.QUEUED, State.RUNNING)


def runs_of(project: Project) -> QuerySet[Run]:
    """The project's runs, newest first, each with its counts of questions by state.

    Twins are none of its questions; ``twins_left`` are those on their way.
    """
    return (
        Run.objects.filter(project=project)
        .select_related("specification", "started_by", "control")
        .annotate(
            questions=Count("attempts__question", distinct=True),
            certified=_count(State.CERTIFIED),
            abstained=_count(State.ABSTAINED),
            cancelled=_count(State.CANCELLED),
            unfinished=_count(*UNFINISHED),
            twins_left=_count(*UNFINISHED, twin=True),
        )
        .annotate(
            failed=F("questions")
            - F("certified")
            - F("abstained")
            - F("cancelled")
            - F("unfinished")
        )
        .order_by("-number")
    )


def _count(*states: State, twin: bool = False) -> Count:
    return Count("attempts", filter=Q(attempts__state__in=states, attempts__twin=twin))


def run_for(membership: Membership, number: int) -> Run:
    """One run of the member's project; Http404 where there is none."""
    runs = Run.objects.filter(project=membership.project, number=number)
    run = runs.select_related("project", "specification", "started_by", "control").first()
    if run is None:
        raise Http404("no such run")
    return run


def questions_of(project: Project) -> QuerySet[Question]:
    """The project's questions in the order of their import."""
    return Question.objects.filter(project=project).order_by("created_at", "key", "id")


def without_outcome(specification: Specification) -> QuerySet[Question]:
    """Questions that no run under the specification has ended yet."""
    ended = Outcome.objects.filter(
        question=OuterRef("pk"), twin=False, run__specification=specification
    )
    return questions_of(specification.project).exclude(Exists(ended))


def replayable(project: Project) -> QuerySet[Run]:
    """The project's runs that asked a model, newest first: their answers are stored."""
    asked = Run.objects.filter(project=project, configuration__reader="endpoint")
    return asked.order_by("-number")


def latest_attempts(run: Run, *, twin: bool = False) -> QuerySet[Attempt]:
    """The last attempt at each question of the run, or at the ``twin`` of each that has one."""
    attempts = Attempt.objects.filter(run=run, twin=twin)
    later = attempts.filter(question=OuterRef("question"), number__gt=OuterRef("number"))
    return attempts.exclude(Exists(later))


def ended(run: Run, *, twin: bool = False) -> QuerySet[Attempt]:
    """The attempts that ended in a certificate or an abstention, at questions or at twins."""
    states = [State.CERTIFIED, State.ABSTAINED]
    return Attempt.objects.filter(run=run, twin=twin, state__in=states)


def attempts_in(run: Run, state: str = "") -> QuerySet[Attempt]:
    """The run's questions by text, each with its last attempt; of one state where named."""
    attempts = latest_attempts(run).select_related("question")
    if state == "unfinished":
        attempts = attempts.filter(state__in=UNFINISHED)
    elif state:
        attempts = attempts.filter(state=state)
    return attempts.order_by("question__text", "question")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``elapsed`` runs from the first start to now, or to the last end.

    Twins are counted apart: ``twins_left`` are on their way, ``twins_failed`` can be tried again.
    """

    questions: int
    certified: int
    abstained: int
    failed: int
    cancelled: int
    elapsed: timedelta | None
    twins_left: int = 0
    twins_failed: int = 0

    @property
    def moving(self) -> bool:
        """Whether anything of it is still on its way."""
        return bool(self.unfinished or self.twins_left)

    @property
    def ended(self) -> int:
        return self.certified + self.abstained + self.failed + self.cancelled

    @property
    def unfinished(self) -> int:
        return self.questions - self.ended

    @property
    def to_retry(self) -> int:
        """Failed questions and twins, which a lead can have tried again."""
        return self.failed + self.twins_failed

    @property
    def rate(self) -> float | None:
        """Questions ended per second; None while there is nothing to divide."""
        seconds = self.elapsed.total_seconds() if self.elapsed else 0.0
        return self.ended / seconds if seconds and self.ended else None

    @property
    def left(self) -> timedelta | None:
        """Time left at the rate so far."""
        return timedelta(seconds=self.unfinished / self.rate) if self.rate else None


def progress(run: Run) -> Progress:
    counts = latest_attempts(run).aggregate(
        questions=Count("pk"),
        certified=Count("pk", filter=Q(state=State.CERTIFIED)),
        abstained=Count("pk", filter=Q(state=State.ABSTAINED)),
        failed=Count("pk", filter=Q(state=State.FAILED)),
        cancelled=Count("pk", filter=Q(state=State.CANCELLED)),
        first=Min("started_at"),
        last=Max("finished_at"),
        now=Max(Now()),
    )
    counts |= latest_attempts(run, twin=True).aggregate(
        twins_left=Count("pk", filter=Q(state__in=UNFINISHED)),
        twins_failed=Count("pk", filter=Q(state=State.FAILED)),
    )
    first, last, now = counts.pop("first"), counts.pop("last"), counts.pop("now")
    found = Progress(**counts, elapsed=now - first if first else None)
    if first and last and not found.unfinished:
        return Progress(**counts, elapsed=last - first)
    return found


def causes(run: Run) -> Mapping[Cause, int]:
    """Abstentions of the run by the cause of their first open requirement, most first."""
    rows = (
        Outcome.objects.filter(run=run, twin=False, kind=Outcome.Kind.ABSTENTION)
        .values_list("body__open__0__cause")
        .annotate(count=Count("pk"))
        .order_by("-count", "body__open__0__cause")
    )
    return dict(rows)


def first_causes(run: Run, question_ids: Iterable[UUID]) -> dict[UUID, Cause]:
    """Why these questions ended in an abstention: the cause of the first open requirement."""
    return dict(
        Outcome.objects.filter(
            run=run, twin=False, question__in=question_ids, kind=Outcome.Kind.ABSTENTION
        ).values_list("question", "body__open__0__cause")
    )


def outcome_for(specification: Specification, evidence_set: EvidenceSet) -> Outcome | None:
    """What runs under ``specification`` found on the set's question, the last one first.

    The outcome that proposed the very set comes before any other.
    """
    found = Outcome.objects.filter(
        run__specification=specification, question=evidence_set.claim.question_id, twin=False
    ).select_related("run__specification")
    of_set = Q(evidence_set=evidence_set)
    return found.annotate(proposed=Q(of_set)).order_by("-proposed", "-run__number").first()


def members_of(outcome: Outcome) -> QuerySet[EvidenceMember]:
    """The spans of the set a certificate proposed, in order; none for an abstention."""
    members = EvidenceMember.objects.filter(evidence_set=outcome.evidence_set_id)
    return members.select_related("span__version__source").order_by("ordinal")


def failures(run: Run, *, twin: bool = False) -> list[tuple[str, int]]:
    """The errors that the run's questions or twins ended with, by name, and how many did so."""
    name = Func(F("error"), Value(":"), Value(1), function="split_part", output_field=TextField())
    rows = latest_attempts(run, twin=twin).filter(state=State.FAILED).values_list(name)
    return list(rows.annotate(count=Count("pk")).order_by("-count", name))


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """Answers read from passages alone: how many, how many of them could be ``compared`` with a
    reference answer and were ``right``, how many said that it is not stated; of how many passages
    they were read."""

    answers: int = 0
    compared: int = 0
    right: int = 0
    unstated: int = 0
    passages: int = 0


def read_answers(run: Run) -> dict[str, ReadFrom]:
    """What the reader answered from passages, by where it read."""
    rows = (
        ReadAnswer.objects.filter(outcome__run=run)
        .values("context")
        .annotate(
            answers=Count("pk"),
            compared=Count("correct"),
            right=Count("pk", filter=Q(correct=True)),
            unstated=Count("pk", filter=Q(text=None)),
            read=Sum("passages"),
        )
    )
    return {
        row["context"]: ReadFrom(
            row["answers"], row["compared"], row["right"], row["unstated"], row["read"]
        )
        for row in rows
    }


def number_of(project: Project, run_id: str) -> int | None:
    """The number of a run of the project by its id."""
    found = Run.objects.filter(project=project, pk=run_id).values_list("number", flat=True)
    return found.first()


def agreeing(run: Run) -> int:
    """Certificates whose answer is a reference answer of the data set."""
    return Outcome.objects.filter(run=run, claim__origin=Claim.Origin.REFERENCE).count()


def attempts_at(run: Run, question_id: UUID, *, twin: bool = False) -> list[Attempt]:
    """Every attempt of the run at a question, or at its ``twin``, newest first.

    Raises:
        Http404: there is none.
    """
    found = list(
        Attempt.objects.filter(run=run, question=question_id, twin=twin)
        .select_related("question", "made", "outcome__run__specification")
        .order_by("-number")
    )
    if not found:
        raise Http404("this run does not ask that question")
    return found


# --- Hidden sides ----------------------------------------------------------------------------
# How Certify ended is "links, derivation, certificate or abstention" in the table of who sees
# what. Only leads and, after the release, auditors get to a run's pages; the two functions
# below give them that row: whoever judges is treated as a reviewer before their own seal until
# they agree to be exposed, anybody else is shown it at once, recorded as an exposure.


def must_ask(membership: Membership, question_id: UUID) -> bool:
    """Whether seeing how the question ended would cost this person their blindness to it."""
    return membership.judges and not is_exposed(membership.user, question_id)


def open_questions(membership: Membership, question_ids: Iterable[UUID]) -> set[UUID]:
    """The questions whose outcome this person may be shown without being asked."""
    ids = set(question_ids)
    return ids & set(exposed_objects(membership.user)) if membership.judges else ids


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """For leads: runs on their way, and failed questions that can be tried again."""
    if not membership.has(Role.LEAD):
        return ()
    states = [*UNFINISHED, State.FAILED]
    concerned = Attempt.objects.filter(run=OuterRef("pk"), state__in=states)
    # A failed attempt whose question was tried again with success waits for nobody.
    runs = runs_of(membership.project).filter(Exists(concerned))
    runs = runs.filter(Q(unfinished__gt=0) | Q(failed__gt=0))
    return tuple(_waiting(membership.project, run) for run in runs)


def _waiting(project: Project, run: Any) -> Waiting:
    """For a run as ``runs_of`` counts it."""
    url = reverse("run", args=[project.slug, run.number])
    if run.unfinished:
        label = f"Questions of run {run.number} on their way"
        return Waiting(label, run.unfinished, run.questions, url, "Watch")
    label = f"Failed questions of run {run.number}"
    return Waiting(label, run.failed, run.questions, url, "Try again")
