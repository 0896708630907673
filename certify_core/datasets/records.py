"""The neutral records the parsers return.

Offsets are code points into a passage's ``text`` (title, a line break, the body), half
open. Nothing is normalised: ``text`` holds the characters the data set gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from certify_core.metrics.families import GivenLine, Line
from certify_core.model import Instance, RequirementGraph, Unit

ClaimLabel = Literal[
    "supported", "refuted", "not-enough-info", "partially-supported", "conflicting"
]


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage as a source: identity is data set, title and digest of ``text``."""

    title: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.body}"

    @property
    def filled(self) -> bool:
        """Whether there is anything to cite."""
        return bool(self.body.strip())


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A range of a passage's text; ``passage`` indexes the record's passages."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a record that was not used, and why. Never repaired in silence."""

    where: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A passage that belongs to no question, and where it stands."""

    passage: Passage
    where: str

    def repeated(self) -> Problem:
        """What is said where the passage stood before."""
        return Problem(self.where, "repeated-passage", f"{self.passage.title!r} is kept once")


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """One question with its passages, reference answer and reference evidence sets.

    ``key`` is unique within a batch. ``sets`` are alternatives; each is a complete reference
    set. A set with an unresolved member is left out and named in ``problems``. ``claim`` is
    what the answer asserts, where the data set says it in a sentence of its own.
    """

    dataset: str
    key: str
    text: str
    answer: str
    passages: tuple[Passage, ...]
    sets: tuple[tuple[Excerpt, ...], ...] = ()
    aliases: tuple[str, ...] = ()
    kind: str = ""
    graph: RequirementGraph | None = None
    problems: tuple[Problem, ...] = ()
    claim: str = ""


Item = Listed | QuestionRecord | Problem
"""What a parser yields, in the order of the file. A question carries its own problems."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A parsed file: questions, and passages that belong to no question with their problems."""

    dataset: str
    questions: tuple[QuestionRecord, ...] = ()
    passages: tuple[Passage, ...] = ()
    problems: tuple[Problem, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """One claim with its alternative evidence sets over places, without their texts.

    ``given`` holds every set as annotated. ``sets`` are those that justify ``label``: none
    is empty, names an unknown place or contains another, and a claim that is only partly
    supported or lacks evidence has none. What was left out is named in ``problems``.
    """

    dataset: str
    key: str
    text: str
    label: ClaimLabel
    given_label: str
    given: tuple[tuple[GivenLine, ...], ...]
    sets: tuple[tuple[Line, ...], ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class ClosureRecord:
    """One question that closure decides: whether ``instance``'s targets follow.

    ``label`` is what the data set says: ``true``, ``false`` (the targets of ``denial``
    follow) or ``unknown`` (neither does). ``units`` are the texts of the instance's units.
    """

    dataset: str
    key: str
    text: str
    label: Literal["true", "false", "unknown"]
    instance: Instance
    units: tuple[Unit, ...]
    denial: Instance | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that a question rests on, and the article it is quoted from."""

    text: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class FactRecord:
    """One question with the facts it rests on, all of them needed, known by text alone.

    ``retrieved`` are the texts a system found, best first; ``None`` if the file has none.
    """

    dataset: str
    key: str
    text: str
    answer: str
    kind: str
    facts: tuple[Fact, ...]
    retrieved: tuple[str, ...] | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceSpot:
    """A sentence of a document, by its number from 0."""

    document: str
    number: int


@dataclass(frozen=True, slots=True)
class QuotedSpot:
    """Words of a document, known by themselves alone."""

    document: str
    words: str


Spot: TypeAlias = SentenceSpot | QuotedSpot


@dataclass(frozen=True, slots=True)
class PlacedRecord:
    """One question whose evidence lies in documents of another file.

    ``sets`` are alternatives. Which of them can be used only the documents tell.
    """

    dataset: str
    key: str
    text: str
    answer: str
    sets: tuple[tuple[Spot, ...], ...]
    claim: str = ""
    kind: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document that spots name by its ``key``, with the address that the data set gives."""

    key: str
    title: str
    body: str
    address: str = ""

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.body}"
