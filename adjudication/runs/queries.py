"""Reading runs: how far they are, how each question ended, what was found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.urls import reverse

from adjudication.claims.models import Claim, EvidenceSet
from adjudication.projects.models import Membership, Project, Role
from adjudication.projects.waiting import Waiting
from adjudication.runs.models import Attempt, Outcome, Run

State = Attempt.State
UNFINISHED = (State.QUEUED, State.RUNNING)


def runs_of(project: Project) -> QuerySet[Run]:
    """The project's runs, newest first, each with its counts of questions by state."""
    return (
        Run.objects.filter(project=project)
        .select_related("specification", "started_by")
        .annotate(
            questions=Count("attempts__question", distinct=True),
            certified=Count("attempts", filter=Q(attempts__state=State.CERTIFIED)),
            abstained=Count("attempts", filter=Q(attempts__state=State.ABSTAINED)),
            unfinished=Count("attempts", filter=Q(attempts__state__in=UNFINISHED)),
        )
        .annotate(failed=F("questions") - F("certified") - F("abstained") - F("unfinished"))
        .order_by("-number")
    )


def run_for(membership: Membership, number: int) -> Run:
    """One run of the member's project; Http404 where there is none."""
    run = runs_of(membership.project).filter(number=number).first()
    if run is None:
        raise Http404("no such run")
    return run


def latest_attempts(run: Run) -> QuerySet[Attempt]:
    """The last attempt at each question of the run."""
    later = Attempt.objects.filter(
        run=run, question=OuterRef("question"), number__gt=OuterRef("number")
    )
    return Attempt.objects.filter(run=run).exclude(Exists(later))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``elapsed`` runs from the first start to now, or to the last end."""

    questions: int
    certified: int
    abstained: int
    failed: int
    elapsed: timedelta | None

    @property
    def ended(self) -> int:
        return self.certified + self.abstained + self.failed

    @property
    def unfinished(self) -> int:
        return self.questions - self.ended

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
        first=Min("started_at"),
        last=Max("finished_at"),
        now=Max(Now()),
    )
    first, last, now = counts.pop("first"), counts.pop("last"), counts.pop("now")
    found = Progress(**counts, elapsed=now - first if first else None)
    if first and last and not found.unfinished:
        return Progress(**counts, elapsed=last - first)
    return found


def causes(run: Run) -> Mapping[str, int]:
    """Abstentions of the run by the cause of their first open requirement, most first."""
    rows = (
        Outcome.objects.filter(run=run, kind=Outcome.Kind.ABSTENTION)
        .values_list("body__open__0__cause")
        .annotate(count=Count("pk"))
        .order_by("-count", "body__open__0__cause")
    )
    return dict(rows)


def agreeing(run: Run) -> int:
    """Certificates whose answer is a reference answer of the data set."""
    return Outcome.objects.filter(run=run, claim__origin=Claim.Origin.REFERENCE).count()


def certificates_of(evidence_set: EvidenceSet) -> QuerySet[Outcome]:
    """The certificates that proposed this set, first one first: a hidden side of it."""
    return (
        Outcome.objects.filter(evidence_set=evidence_set)
        .select_related("run", "attempt", "question")
        .order_by("at", "id")
    )


def home_counts(membership: Membership) -> tuple[Waiting, ...]:
    """For leads: runs on their way, and failed questions that can be tried again."""
    if not membership.has(Role.LEAD):
        return ()
    slug = membership.project.slug
    return tuple(
        _waiting(run, reverse("run", args=[slug, run.number]))
        for run in runs_of(membership.project).filter(Q(unfinished__gt=0) | Q(failed__gt=0))
    )


def _waiting(run: Run, url: str) -> Waiting:
    unfinished, failed, questions = run.unfinished, run.failed, run.questions  # type: ignore[attr-defined]
    if unfinished:
        return Waiting(
            f"Questions of run {run.number} on their way", unfinished, questions, url, "Watch"
        )
    return Waiting(f"Failed questions of run {run.number}", failed, questions, url, "Try again")
