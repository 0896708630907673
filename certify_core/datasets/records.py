"""The neutral records every parser returns.

Offsets are code points into a passage's ``text`` (title, a line break, the body), half
open. Nothing is normalised: ``text`` holds the characters the data set gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from certify_core.model import RequirementGraph


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage as a source: identity is data set, title and digest of ``text``."""

    title: str
    body: str

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.body}"


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
class QuestionRecord:
    """One question with its passages, reference answer and reference evidence sets.

    ``key`` is unique within a batch. ``sets`` are alternatives; each is a complete reference
    set. A set with an unresolved member is left out and named in ``problems``.
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


@dataclass(frozen=True, slots=True)
class Batch:
    """A parsed file: questions, and passages that belong to no question with their problems."""

    dataset: str
    questions: tuple[QuestionRecord, ...] = ()
    passages: tuple[Passage, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
