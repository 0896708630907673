"""The records of a bundle. Their fields are those of the file, under the same names.

Offsets are half open: ``start``/``end`` in Unicode code points of a text, ``byte_start``/
``byte_end`` in a version's bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from certify_core.model import Requirement

FORMAT = "certify-adjudication-bundle"
FORMAT_VERSION = 1

ENCODINGS = (
    *("utf-8", "iso-8859-1", "iso-8859-2", "iso-8859-5", "iso-8859-7", "iso-8859-9"),
    *("iso-8859-15", "windows-1250", "windows-1251", "windows-1252", "windows-1253"),
    *("windows-1254", "windows-1255", "windows-1256", "windows-1257", "koi8-r", "koi8-u"),
)
"""How bytes may stand for a text. In each, the bytes of a range are the range of the bytes."""

PRECISIONS = ("moment", "day", "month", "year", "cannot-be-established")
ORIGINS = ("reference", "certify", "person")
RULE_KINDS = ("join", "arithmetic", "temporal", "identity", "comparison")
WITHHELD_KINDS = ("version", "claim", "evidence-set", "output")


@dataclass(frozen=True, slots=True)
class Header:
    """What the file is, and how many records of each kind follow."""

    title: str
    reader_class: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Source:
    """``origin`` and ``id`` identify the source outside the file, ``key`` within it."""

    key: str
    origin: str
    id: str
    title: str
    address: str


@dataclass(frozen=True, slots=True)
class Invalidation:
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Version:
    """The bytes of a source as captured once. Written as ``text`` where they are UTF-8."""

    key: str
    source: str
    number: int
    snapshot: bytes
    encoding: str
    media_type: str
    sha256: str
    observed_at: str
    observed_precision: str
    published: str
    effective_from: str
    effective_to: str
    licence: str
    authority: str
    reader_classes: tuple[str, ...]
    invalidation: Invalidation | None

    @property
    def text(self) -> str:
        return self.snapshot.decode(self.encoding)


@dataclass(frozen=True, slots=True)
class Span:
    key: str
    version: str
    start: int
    end: int
    byte_start: int
    byte_end: int
    exact: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A permitted inference rule; ``key`` identifies it outside the file too."""

    key: str
    kind: str
    statement: str


@dataclass(frozen=True, slots=True)
class Question:
    key: str
    origin: str
    id: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Graph:
    question: str
    number: int
    origin: str
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    key: str
    question: str
    text: str
    value: str
    aliases: tuple[str, ...]
    entities: tuple[str, ...]
    qualifiers: str
    applicable_time: str
    origin: str
    supersedes: str | None


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """``origin`` says who proposed the set. Nothing in a bundle says whether it holds."""

    claim: str
    members: tuple[str, ...]
    rules: tuple[str, ...]
    origin: str


@dataclass(frozen=True, slots=True)
class SystemRun:
    """One run of a question answering system; ``key`` identifies it outside the file too."""

    key: str
    system: str
    note: str


@dataclass(frozen=True, slots=True)
class Place:
    """A span, or a version as a whole: exactly one of the two."""

    span: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class Output:
    """What a system answered, and what it had retrieved, best first."""

    key: str
    run: str
    id: str
    question: str
    text: str
    retrieved: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class OutputClaim:
    """One assertion of an output, and where the output makes it.

    ``text`` is the assertion standing alone; ``claim`` the claim it is matched with, if any.
    """

    key: str
    output: str
    text: str
    start: int
    end: int
    claim: str | None


@dataclass(frozen=True, slots=True)
class Citation:
    """What an output cites for one of its claims; ``order`` counts from 1 for each claim."""

    output_claim: str
    order: int
    span: str | None
    version: str | None


@dataclass(frozen=True, slots=True)
class Withheld:
    """Something that the reader class may not inspect: that it exists, and who may.

    ``of`` is the key of the record it belongs to (a version's source, a claim's question, a
    set's claim, an output's run), or null where that is withheld as well.
    """

    kind: str
    id: str
    of: str | None
    readers: tuple[str, ...]


Record: TypeAlias = (
    Header
    | Source
    | Version
    | Span
    | Rule
    | Question
    | Graph
    | Claim
    | EvidenceSet
    | SystemRun
    | Output
    | OutputClaim
    | Citation
    | Withheld
)

KINDS: Mapping[str, type[Record]] = {
    "header": Header,
    "source": Source,
    "version": Version,
    "span": Span,
    "rule": Rule,
    "question": Question,
    "graph": Graph,
    "claim": Claim,
    "evidence-set": EvidenceSet,
    "system-run": SystemRun,
    "output": Output,
    "output-claim": OutputClaim,
    "citation": Citation,
    "withheld": Withheld,
}
"""The value of ``record`` on a line → what the line holds."""

NAMES: Mapping[type[Record], str] = {kind: name for name, kind in KINDS.items()}
