"""What the search loop asks of the outside: a retriever, a reader, and someone to tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from certify_core.model import Link, Requirement, RequirementGraph, Search, Unit, ValueKind


@dataclass(frozen=True, slots=True)
class Reading:
    """A value a reader found in a unit, before the entity check.

    ``start``/``end`` are code points into the unit's text and ``text[start:end] == value``.
    ``subject`` is the entity the sentence speaks of where the reader can tell, else "".
    """

    value: str
    canonical: str
    kind: ValueKind
    start: int
    end: int
    sentence: tuple[int, int]
    cue: str
    subject: str = ""


class Retriever(Protocol):
    """Ranks units for a query. Equal corpora and queries give equal rankings."""

    def search(self, query: str, limit: int) -> Sequence[Unit]: ...

    def namesakes(self, title: str) -> Sequence[str]:
        """Other stored titles with the same base (a trailing parenthesis or region dropped)."""
        ...


class Reader(Protocol):
    """Understands language. Closed by default: ``None`` or ``False`` when in doubt."""

    def decompose(self, question: str) -> RequirementGraph | None:
        """The requirements of a question, or ``None`` for "no plan"."""
        ...

    def link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        """The value each unit states for ``text`` (the instantiated requirement), if any.

        One reading per unit, in their order. A whole rank window is asked about at once, so
        that a reader may put several units into one call or ask about them side by side.
        """
        ...

    def verify(self, requirement: Requirement, text: str, unit: Unit, reading: Reading) -> bool:
        """Whether the unit gives this value for exactly the entity that ``text`` names."""
        ...

    def answer(self, question: str, units: Sequence[Unit]) -> str | None:
        """The answer read straight from the units, or ``None`` for "not stated".

        It certifies nothing: it measures what reading less buys, since the same reader may
        be given the units of a certificate or all that was retrieved.
        """
        ...


class Reporter(Protocol):
    """Watches a search. The default does nothing."""

    def searched(self, search: Search) -> None: ...

    def linked(self, link: Link) -> None: ...


class Silent:
    """A reporter that says nothing."""

    def searched(self, search: Search) -> None:
        return None

    def linked(self, link: Link) -> None:
        return None
