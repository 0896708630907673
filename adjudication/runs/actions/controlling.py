"""What a lead changes about a run on its way: pause, resume, cancel, a higher budget."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.projects.models import Membership, Role
from adjudication.projects.queries import check_role
from adjudication.runs import vectors
from adjudication.runs.actions.starting import publish, queue_of
from adjudication.runs.models import Attempt, Run, RunControl
from adjudication.runs.transitions import move

Control = RunControl.State
State = Attempt.State


@transaction.atomic
def pause_run(membership: Membership, run: Run) -> None:
    """Hand out no more of the run's questions; those that are being worked on end as usual.

    Raises:
        Refused: not a lead of the run's project, or the run has ended or was cancelled.
    """
    control = _control(membership, run)
    if control.state == Control.PAUSED:
        return
    _check_going_on(run, control)
    _change(control, state=Control.PAUSED)
    _record(membership, run, "paused run")


@transaction.atomic
def resume_run(membership: Membership, run: Run) -> None:
    """Let a paused run go on: workers are told of what waits once this is committed.

    Raises:
        Refused: not a lead of the run's project, or the run was cancelled.
    """
    control = _control(membership, run)
    if control.state == Control.OPEN:
        return
    _check_not_cancelled(run, control)
    _change(control, state=Control.OPEN)
    _record(membership, run, "resumed run")
    waiting = Attempt.objects.filter(run=run, state=State.QUEUED).order_by("queued_at", "id")
    ids = list(waiting.values_list("pk", flat=True))
    transaction.on_commit(lambda: None if vectors.wait(run) else publish(ids, queue_of(run)))


@transaction.atomic
def cancel_run(membership: Membership, run: Run) -> int:
    """End the run for good; how many questions that were waiting end with it.

    Those being worked on end at their next call or when they are done, and what was found on
    them is dropped. What has ended stays.

    Raises:
        Refused: not a lead of the run's project, or every question has ended.
    """
    control = _control(membership, run)
    if control.state == Control.CANCELLED:
        return 0
    _check_going_on(run, control)
    waiting = Attempt.objects.filter(run=run, state=State.QUEUED)
    ended = move(waiting.filter(twin=False), State.CANCELLED, finished_at=Now())
    move(waiting.filter(twin=True), State.CANCELLED, finished_at=Now())
    _change(control, state=Control.CANCELLED)
    _record(membership, run, "cancelled run", questions=ended)
    return ended


@transaction.atomic
def raise_budget(
    membership: Membership, run: Run, calls: int | None = None, tokens: int | None = None
) -> None:
    """Let a run buy more; ``None`` leaves that budget as it is. Failed questions can be retried.

    The same budget again changes nothing.

    Raises:
        Refused: not a lead of the run's project, the run was cancelled or has no such budget,
            or the new one is smaller.
    """
    control = _control(membership, run)
    _check_not_cancelled(run, control)
    asked = {"budget_calls": calls, "budget_tokens": tokens}
    wanted = {name: value for name, value in asked.items() if value is not None}
    for name, value in wanted.items():
        present, unit = getattr(control, name), name.removeprefix("budget_")
        if present is None:
            raise Refused(f"Run {run.number} has no budget of {unit}: it may buy what it needs.")
        if not present <= value < 2**63:
            raise Refused(f"Run {run.number} may buy {present} {unit} already: name more.")
    raised = {name: value for name, value in wanted.items() if value != getattr(control, name)}
    if raised:
        _change(control, **raised)
        _record(membership, run, "raised budget", **raised)


def _control(membership: Membership, run: Run) -> RunControl:
    """What the run's lead changes, locked."""
    check_role(membership, Role.LEAD)
    if membership.project_id != run.project_id:
        raise Refused("This run is of another project.")
    return RunControl.objects.select_for_update(no_key=True).get(run=run)


def _check_not_cancelled(run: Run, control: RunControl) -> None:
    if control.state == Control.CANCELLED:
        raise Refused(f"Run {run.number} was cancelled. Start a new run over its questions.")


def _check_going_on(run: Run, control: RunControl) -> None:
    _check_not_cancelled(run, control)
    going_on = Attempt.objects.filter(run=run, state__in=[State.QUEUED, State.RUNNING])
    if not going_on.exists():
        raise Refused(f"Every question of run {run.number} has ended.")


def _change(control: RunControl, **to: object) -> None:
    for name, value in to.items():
        setattr(control, name, value)
    control.save(update_fields=list(to))


def _record(membership: Membership, run: Run, verb: str, **detail: int) -> None:
    record(verb, run, actor=membership.user, project_id=membership.project_id, **detail)
