"""What every import says, whichever format it reads: how far it is, what it met, what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from adjudication.errors import Refused
from adjudication.projects.models import ReaderClass
from certify_core.datasets.records import Problem
from certify_core.errors import InvalidRecord

if TYPE_CHECKING:
    from adjudication.accounts.models import User


NAMED = 5  # records that a refusal names


@dataclass(frozen=True, slots=True)
class Options:
    """What a person chose beside the file; a format that states its own times or classes wins.

    ``called`` says which class stands for one that a file names and the project does not have.
    """

    observed_at: datetime
    reader_classes: Sequence[ReaderClass]
    licence: str = ""
    actor: User | None = None
    called: Mapping[str, ReaderClass] = field(default_factory=dict)


class Watch(Protocol):
    """Whoever follows an import. Both methods may raise to stop it."""

    def progress(self, bytes_read: int, records: int) -> None:
        """So much of the file is read. Called often: be quick, or skip most calls."""

    def problem(self, problem: Problem) -> None:
        """Something of the file is not used, or was read under another name."""


class Collected:
    """A watch that keeps every problem. For small files: a large one may have a million."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def progress(self, bytes_read: int, records: int) -> None:
        pass

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Count:
    """How many of ``what`` a file holds that are new here, and that are here already."""

    what: str
    new: int
    known: int


@dataclass(frozen=True, slots=True)
class Report:
    """What an import did, or would do. Its problems went to the ``Watch``, one by one."""

    dataset: str
    counts: tuple[Count, ...]

    @property
    def changes(self) -> bool:
        return any(count.new for count in self.counts)


class Tally:
    """Counts by kind what of a file is new and what is here already, as it is read."""

    def __init__(self) -> None:
        self._new: Counter[str] = Counter()
        self._known: Counter[str] = Counter()

    def add(self, what: str, *, new: int = 0, known: int = 0) -> None:
        self._new[what] += new
        self._known[what] += known

    def counts(self, kinds: Iterable[str]) -> tuple[Count, ...]:
        return tuple(Count(kind, self._new[kind], self._known[kind]) for kind in kinds)


def first_of(names: Sequence[str]) -> str:
    """The first few of ``names`` for a refusal, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse the file, in words, for a record that the parser cannot read."""
    try:
        yield
    except InvalidRecord as error:
        raise Refused(f"{error.where}: {error.problem}. Nothing was imported.") from error
