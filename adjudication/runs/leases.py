"""Who holds an attempt: a fresh token for each holder, and a lease by the database's clock."""

from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Now

from adjudication.runs.models import Attempt, RunControl
from adjudication.runs.rules import LEASE
from adjudication.runs.statements import hold


class LostAttempt(Exception):
    """This worker's token is no longer the attempt's: another one has it, or it has ended."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(f"attempt {attempt.pk} is no longer held with this token")


class RunCancelled(Exception):
    """The run was cancelled while this worker was at one of its questions."""


def held(attempt: Attempt) -> QuerySet[Attempt]:
    """The attempt's row, if it is still held with the token that ``attempt`` was claimed with."""
    return Attempt.objects.filter(pk=attempt.pk, token=attempt.token, state=Attempt.State.RUNNING)


def renew_lease(attempt: Attempt) -> bool:
    """A sign of life; False if the attempt is no longer this worker's."""
    return bool(held(attempt).update(lease_until=Now() + LEASE))


def check_held(attempt: Attempt) -> None:
    """Until the transaction ends, nobody else takes, ends or sweeps the attempt.

    Raises:
        LostAttempt: somebody did.
        RunCancelled: the attempt is this worker's, and its run is to go on no further.
    """
    state = hold(attempt)
    if state is None:
        raise LostAttempt(attempt)
    if state == RunControl.State.CANCELLED:
        raise RunCancelled(f"{attempt.run} was cancelled")
