"""The ledger of model calls: nothing that was answered once is bought again.

A call is committed before it is sent, so whatever happens later it is known that it was; and
no transaction is open while the endpoint thinks. Only the holder of an attempt buys for it. An
answer that comes after the attempt was lost is kept all the same, since it is paid for.
"""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field, replace
from functools import cached_property

import psycopg.errors
from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q

from adjudication.readers.requests import (
    Ask,
    BudgetSpent,
    EndpointDown,
    Reply,
    Request,
    token_count,
)
from adjudication.runs.leases import check_held
from adjudication.runs.models import (
    Attempt,
    ReaderAnswer,
    ReaderCall,
    ReaderFailure,
    RunControl,
)
from adjudication.runs.rules import Configuration
from adjudication.runs.statements import stored_answer
from adjudication.statements import insert

ANSWERED_MEANWHILE = "no_stored_answer_is_bought_again"  # raised by the database


STOPPING = threading.Event()
"""Set once this process is asked to end: what is on its way may come in, nothing more is sent."""


class NoStoredAnswer(Exception):
    """A recorded reader came to a request that nobody has an answer to."""


class WorkerStops(Exception):
    """This process is asked to end, so it sends no more calls; another one goes on."""


@dataclass
class Ledger:
    """An ``Ask`` for one attempt, as it was claimed.

    ``endpoint`` is asked where no answer is stored; without one such a request is refused.
    """

    attempt: Attempt
    endpoint: Ask | None
    _ordinals: itertools.count[int] = field(init=False)

    def __post_init__(self) -> None:
        # An earlier holder may have called already; a later one makes this one stop.
        last = ReaderCall.objects.filter(attempt=self.attempt).aggregate(last=Max("ordinal"))
        self._ordinals = itertools.count((last["last"] or 0) + 1)

    def __call__(self, request: Request) -> Reply:
        """The stored answer, or else a bought one.

        Raises:
            LostAttempt: somebody else has the attempt, and nothing was sent.
            RunCancelled: so is the run, and nothing was sent.
            BudgetSpent: the run may buy no more, and nothing was sent.
            WorkerStops: this process is to end, and nothing was sent.
            NoStoredAnswer: there is no endpoint to ask.
            EndpointDown: no reply could be had.
        """
        if (stored := self._stored(request)) is not None:
            return self._reuse(request, stored)
        if self.endpoint is None:
            raise NoStoredAnswer(
                f"Nobody was asked this yet: {request.kind} with {request.model}, "
                f"sample {request.sample}, request {request.digest[:12]}."
            )
        if STOPPING.is_set():
            raise WorkerStops
        call = self._about_to_send(request)
        if call is None:
            return self(request)
        return self._bought(call, request, self.endpoint)

    def _stored(self, request: Request) -> ReaderAnswer | None:
        project_id = self.attempt.run.project_id
        return stored_answer(project_id, request.digest, request.sample)

    def _reuse(self, request: Request, stored: ReaderAnswer) -> Reply:
        with transaction.atomic(durable=True):
            check_held(self.attempt)
            insert(self._call(request, reuses=stored))
        return _reply(stored)

    def _about_to_send(self, request: Request) -> ReaderCall | None:
        """The committed call; ``None`` if somebody stored an answer in this very moment."""
        call = self._call(request)
        try:
            with transaction.atomic(durable=True):
                check_held(self.attempt)
                self._charge_call()
                insert(call)
        except IntegrityError as error:
            if _broken_rule(error) != ANSWERED_MEANWHILE:
                raise
            return None
        return call

    def _call(self, request: Request, reuses: ReaderAnswer | None = None) -> ReaderCall:
        token = self.attempt.token
        assert token is not None, "a claimed attempt has one"
        return ReaderCall(
            project_id=self.attempt.run.project_id,
            run_id=self.attempt.run_id,
            attempt=self.attempt,
            token=token,
            ordinal=next(self._ordinals),
            kind=request.kind,
            model=request.model,
            request_sha256=request.digest,
            sample=request.sample,
            request=None if reuses else request.body,
            reuses=reuses,
        )

    def _bought(self, call: ReaderCall, request: Request, endpoint: Ask) -> Reply:
        started = time.monotonic()
        try:
            reply = endpoint(request)
        except Exception as error:
            # Of an error that nobody foresaw only the name: its words might quote a key.
            named = str(error) if isinstance(error, EndpointDown) else type(error).__name__
            seconds = time.monotonic() - started
            ReaderFailure.objects.create(call=call, error=_storable(named), seconds=seconds)
            raise
        return self._keep(call, request, _as_stored(reply))

    def _keep(self, call: ReaderCall, request: Request, reply: Reply) -> Reply:
        """Store the reply; what counts is the first that was stored, for everybody who asked."""
        answer = ReaderAnswer(
            call=call,
            project_id=call.project_id,
            request_sha256=call.request_sha256,
            sample=call.sample,
            text=reply.text,
            finish=reply.finish,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            seconds=reply.seconds,
        )
        with transaction.atomic(durable=True):
            self._charge_tokens(request, reply)
            insert(answer)
        if not answer.surplus:
            return _reply(answer)
        first = self._stored(request)
        assert first is not None, "there is surplus to something only"
        return _reply(first)

    # --- Budget ---

    @cached_property
    def _is_limited(self) -> bool:
        """A run has a budget from its start or never: one that is raised was there before."""
        configuration = Configuration.from_json(self.attempt.run.configuration)
        return (configuration.budget_calls, configuration.budget_tokens) != (None, None)

    def _charge_call(self) -> None:
        """Count a call against the budget. Raises BudgetSpent where it is spent.

        Calls never exceed it. Tokens are known only afterwards: the calls that are on their way
        when it is spent still come in, as many as the workers make at once.
        """
        if not self._is_limited:
            return
        control = RunControl.objects.filter(run=self.attempt.run_id)
        within = control.filter(
            Q(budget_calls__isnull=True) | Q(calls__lt=F("budget_calls")),
            Q(budget_tokens__isnull=True) | Q(tokens__lt=F("budget_tokens")),
        )
        if within.update(calls=F("calls") + 1):
            return
        spent = control.get()
        # By how many tokens it was exceeded tells of the last passages, which not all may read.
        what = (
            f"{spent.budget_tokens} of {spent.budget_tokens} tokens"
            if spent.budget_tokens is not None and spent.tokens >= spent.budget_tokens
            else f"{spent.calls} of {spent.budget_calls} calls"
        )
        raise BudgetSpent(f"{what} are bought. Raise the budget, then try again.")

    def _charge_tokens(self, request: Request, reply: Reply) -> None:
        """Count what was bought.

        Where an endpoint reports no tokens, each byte counts as one: a token is no shorter, so
        what is not reported cannot be more than the budget knows of.
        """
        if not self._is_limited:
            return
        sent = sum(len(message.content.encode()) for message in request.messages)
        tokens_in = reply.tokens_in if reply.tokens_in is not None else sent
        received = len(reply.text.encode())
        tokens_out = reply.tokens_out if reply.tokens_out is not None else received
        control = RunControl.objects.filter(run=self.attempt.run_id)
        control.update(tokens=F("tokens") + tokens_in + tokens_out)


def _reply(answer: ReaderAnswer) -> Reply:
    return Reply(answer.text, answer.finish, answer.tokens_in, answer.tokens_out, answer.seconds)


def _as_stored(reply: Reply) -> Reply:
    """The reply as the database can hold it, and as the reader gets it, so that a replay reads
    the same. A count that no server can mean is none.
    """
    return replace(
        reply,
        text=_storable(reply.text),
        finish=_storable(reply.finish)[:40],
        tokens_in=token_count(reply.tokens_in),
        tokens_out=token_count(reply.tokens_out),
    )


def _storable(text: str) -> str:
    """Without NUL and lone surrogates, which no text in the database can have."""
    return text.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _broken_rule(error: IntegrityError) -> str | None:
    cause = error.__cause__
    return cause.diag.constraint_name if isinstance(cause, psycopg.errors.Error) else None
