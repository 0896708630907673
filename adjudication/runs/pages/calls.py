"""The calls of a model that a question took, one by one, as somebody may read them.

A request holds passages, and the reply may repeat them. Which passages went into which call is
not kept, so a call is shown only to who may read every passage that its attempt can have sent:
all that its searches found or, where those were not kept, the whole corpus. A call that only
decomposes the question holds no passage.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from adjudication.corpus.clearance import may_read_every
from adjudication.corpus.models import SourceVersion
from adjudication.corpus.reading import Part, parts_of
from adjudication.projects.models import Membership
from adjudication.runs.models import (
    Attempt,
    Outcome,
    ReaderAnswer,
    ReaderCall,
    ReaderNote,
    RecordedSearch,
    Run,
    Twin,
)
from adjudication.runs.spending import Spending, spending
from adjudication.specifications.queries import sees_digests

CALLS = 20  # on one page
SHOWN = 25_000  # characters of a reply; the longest that is as asked has fewer
BADGES = {
    "bought": "closed",
    "reused": "carried",
    "on its way": "running",
    "in doubt": "unresolved",
}


@dataclass(frozen=True, slots=True)
class Said:
    """A message, as parts in which characters that mislead are marked."""

    role: str
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call with what came of it. ``open`` says whether its words may be read.

    ``unshown`` characters of the reply are left out. ``notes`` say why the reader took less
    from the reply than it might seem to say.
    """

    call: ReaderCall
    state: str
    open: bool
    messages: Sequence[Said] = ()
    schema: str = ""
    answer: ReaderAnswer | None = None
    reply: Said | None = None
    unshown: int = 0
    notes: Sequence[str] = ()
    error: str = ""

    @property
    def badge(self) -> str:
        """The state whose shape and tone fit."""
        return BADGES.get(self.state, self.state)


@dataclass(frozen=True, slots=True)
class Exchanges:
    """One page of a question's calls, and what all of them came to.

    ``whole`` says that all may be read: how many tokens the others took depends on their words.
    """

    spent: Spending
    whole: bool
    page: Page[ReaderCall]
    shown: list[Exchange]


def calls_at(run: Run, question_id: UUID, *, twin: bool = False) -> QuerySet[ReaderCall]:
    """The run's calls for a question, or for its ``twin``, those of the last attempt first."""
    calls = ReaderCall.objects.filter(run=run, attempt__question=question_id, attempt__twin=twin)
    return calls.order_by("-attempt__number", "ordinal")


def exchanges(
    membership: Membership, run: Run, calls: QuerySet[ReaderCall], wanted: str | None
) -> Exchanges:
    """The page ``wanted`` of ``calls``, as this member may read them."""
    loaded = calls.select_related("attempt", "answer", "failure", "reuses__call__run")
    page = Paginator(loaded, CALLS).get_page(wanted)
    attempts = set(calls.order_by().values_list("attempt", flat=True))
    readable = _readable(membership, run, attempts)
    shown = list(page.object_list)
    notes = _notes(shown)
    return Exchanges(
        spending(calls),
        all(readable.values()),
        page,
        [_exchange(call, readable[call.attempt_id], notes) for call in shown],
    )


def _readable(membership: Membership, run: Run, attempts: set[UUID]) -> dict[UUID, bool]:
    """Whether this member may read every passage that each attempt can have sent."""
    if sees_digests(membership, run.specification):
        return dict.fromkeys(attempts, True)
    kept = set(Outcome.objects.filter(attempt__in=attempts).values_list("attempt", flat=True))
    return {pk: pk in kept and _reads_all_found(membership, pk) for pk in attempts}


def _reads_all_found(membership: Membership, attempt_id: UUID) -> bool:
    searches = RecordedSearch.objects.filter(attempt=attempt_id).values_list("versions", flat=True)
    asked = {uid for uids in searches for uid in uids}
    # A twin was also asked about passages that might restate what it lost.
    for deleted, cleared in Twin.objects.filter(attempt=attempt_id).values_list(
        "deleted", "cleared"
    ):
        asked.update(deleted, cleared)
    found = SourceVersion.objects.filter(pk__in=asked)
    return may_read_every(membership.reader_classes.all(), found)


def _notes(calls: Sequence[ReaderCall]) -> Mapping[tuple[UUID, str], list[str]]:
    """Notes by attempt and request."""
    found: dict[tuple[UUID, str], list[str]] = defaultdict(list)
    attempts = {call.attempt_id for call in calls}
    for note in ReaderNote.objects.filter(attempt__in=attempts):
        found[note.attempt_id, note.request_sha256].append(note.reason)
    return found


def _exchange(
    call: ReaderCall, readable: bool, notes: Mapping[tuple[UUID, str], list[str]]
) -> Exchange:
    state = state_of(call)
    if not readable and call.kind != ReaderCall.Kind.DECOMPOSE:
        return Exchange(call, state, open=False)
    answer = call.reuses or getattr(call, "answer", None)
    request: dict[str, Any] = (call.reuses.call.request if call.reuses else call.request) or {}
    failure = getattr(call, "failure", None)
    return Exchange(
        call,
        state,
        open=True,
        messages=[_said(one["role"], one["content"]) for one in request["messages"]],
        schema=json.dumps(request["schema"], ensure_ascii=False, indent=1),
        answer=answer,
        reply=_said("reply", answer.text[:SHOWN]) if answer else None,
        unshown=max(0, len(answer.text) - SHOWN) if answer else 0,
        notes=notes.get((call.attempt_id, call.request_sha256), ()),
        error=failure.error if failure else "",
    )


def _said(role: str, text: str) -> Said:
    return Said(role, parts_of(text))


def state_of(call: ReaderCall) -> str:
    """In a word what became of a call; ``attempt`` and what came of it must be loaded."""
    if call.reuses:
        return "reused"
    if hasattr(call, "answer"):
        return "surplus" if call.answer.surplus else "bought"
    if hasattr(call, "failure"):
        return "failed"
    attempt = call.attempt
    held = attempt.state == Attempt.State.RUNNING and attempt.token == call.token
    return "on its way" if held else "in doubt"
