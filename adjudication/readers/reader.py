"""The reader that asks a model: the core's protocol over ``Ask``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from adjudication.readers.prompts import answer, decompose, link, verify
from adjudication.readers.prompts.common import CALL_LIMIT, PASSAGE_LIMIT, Closed, shown
from adjudication.readers.requests import Ask, Note, Reply, Request
from certify_core.model import Requirement, RequirementGraph, Unit
from certify_core.protocols import Reading

T = TypeVar("T")

MOST_ASTRAY = 3
"""Verdicts about no passage that are noted one by one; a reply has room for tens of thousands."""


@dataclass(slots=True)
class EndpointReader:
    """Reads by asking ``model``, ``per_call`` passages at a time.

    Whatever is not exactly as asked closes: no plan, no value, not verified, no answer. Why
    is kept in ``notes``, in the order of the calls. Every method raises what ``Ask`` does.
    """

    ask: Ask
    model: str
    sample: int = 0
    per_call: int = 5
    notes: list[Note] = field(default_factory=list)

    def decompose(self, question: str) -> RequirementGraph | None:
        request = decompose.ask(self.model, self.sample, question)
        return self._read(request, lambda reply: decompose.read(reply, question), None)

    def link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        return [
            reading
            for part in _calls(units, self.per_call)
            for reading in self._link(requirement, text, part)
        ]

    def verify(self, requirement: Requirement, text: str, unit: Unit, reading: Reading) -> bool:
        request = verify.ask(self.model, self.sample, text, unit, reading.value)
        return self._read(request, verify.read, False)

    def answer(self, question: str, units: Sequence[Unit]) -> str | None:
        if not units:
            return None
        fitting = answer.fitting(units)
        request = answer.ask(self.model, self.sample, question, fitting)
        if len(fitting) < len(units):
            self._note(request, f"only the first {len(fitting)} of {len(units)} passages fitted")
        self._note_cuts(request, fitting)
        return self._read(request, answer.read, None)

    def _link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        request = link.ask(self.model, self.sample, requirement, text, units)
        self._note_cuts(request, units)
        nothing: tuple[list[link.Found], list[str]] = [None] * len(units), []
        found, astray = self._read(
            request, lambda reply: link.read(reply, self.model, requirement, units), nothing
        )
        for reason in astray[:MOST_ASTRAY]:
            self._note(request, reason)
        if len(astray) > MOST_ASTRAY:
            self._note(request, f"and {len(astray) - MOST_ASTRAY:,} more such verdicts")
        for number, one in enumerate(found, start=1):
            if isinstance(one, Closed):
                self._note(request, f"passage {number}: {one}")
        return [None if isinstance(one, Closed) else one for one in found]

    def _read(self, request: Request, read: Callable[[Reply], T], closed: T) -> T:
        try:
            return read(self.ask(request))
        except Closed as reason:
            self._note(request, str(reason))
            return closed

    def _note_cuts(self, request: Request, units: Sequence[Unit]) -> None:
        for number, unit in enumerate(units, start=1):
            if len(unit.text) > PASSAGE_LIMIT:
                self._note(request, f"passage {number}: read up to character {PASSAGE_LIMIT:,}")

    def _note(self, request: Request, reason: str) -> None:
        self.notes.append(Note(request.digest, reason))


def _calls(units: Sequence[Unit], most: int) -> Iterator[Sequence[Unit]]:
    """Units in order, in parts that fit into one call each: ``most`` of them at most."""
    part: list[Unit] = []
    room = CALL_LIMIT
    for unit in units:
        size = len(shown(unit))
        if part and (len(part) == most or size > room):
            yield part
            part, room = [], CALL_LIMIT
        part.append(unit)
        room -= size
    if part:
        yield part
