"""Start runs and carry every question to exactly one end, whatever dies on the way.

The attempt's row is the outbox: it is written in the caller's transaction, and a message on
the broker is only a hint that it is there. Whoever claims it holds a token and a lease by
the database's clock; only the holder of the current token can end it, in one transaction
with everything it found.
"""

from adjudication.runs.actions.controlling import (
    cancel_run,
    pause_run,
    raise_budget,
    resume_run,
)
from adjudication.runs.actions.showing import expose_outcomes
from adjudication.runs.actions.starting import (
    TASK,
    publish,
    queue,
    queue_of,
    retry_failed,
    start_run,
)
from adjudication.runs.actions.sweeping import Swept, announce_embedded, sweep
from adjudication.runs.actions.working import (
    DEAD_LETTER,
    claim_attempt,
    fail,
    finish,
    give_back_cancelled,
    put_back,
)

__all__ = [
    "DEAD_LETTER",
    "TASK",
    "Swept",
    "announce_embedded",
    "cancel_run",
    "claim_attempt",
    "expose_outcomes",
    "fail",
    "finish",
    "give_back_cancelled",
    "pause_run",
    "publish",
    "put_back",
    "queue",
    "queue_of",
    "raise_budget",
    "resume_run",
    "retry_failed",
    "start_run",
    "sweep",
]
