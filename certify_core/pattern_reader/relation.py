"""One relation that can be asked of an entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from certify_core.model import ValueKind
from certify_core.pattern_reader.values import MONTH

LifePart = Literal["", "born", "birthplace", "died", "deathplace"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation the reader knows.

    ``names``: noun phrases for it in questions, the first in use; ``question``: how to ask
    (``{}`` is the entity). ``life``: the part of an article's opening that states it.
    ``first``: only the first sentence counts. ``narrow``: a place without what it lies in.
    ``work``: only works have it. ``shape``: a pattern of the value where its kind says too
    little, such as the names of continents.
    """

    key: str
    kind: ValueKind
    names: tuple[str, ...]
    question: str
    cues: tuple[str, ...] = ()
    life: LifePart = ""
    first: bool = False
    narrow: bool = False
    work: bool = False
    shape: str = ""


AND = r"(?:(?:,|,? and|&) ?(?:co-)?\w+)*"
"""More participles before "by": "directed and produced by"."""

BY = r"by (?:,?and (?:co-\s?)?(?:starring|featuring) )?"
"""The word before an agent, also in "directed by and starring"."""

WHEN = rf"(?=(?:the )?\d|{MONTH})"
"""Before a date."""

NAME = r"(?=(?:the )?[^\W\d_a-z])"
"""Before a capitalised name."""
