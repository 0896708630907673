"""What a data set's file holds, a chunk at a time. Asks the database nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO

from adjudication.claims.graphs import to_json
from adjudication.corpus.actions import Capture
from adjudication.imports.reports import refusing
from certify_core.canonical import digest, sha256_hex
from certify_core.datasets import Dialect
from certify_core.datasets.records import Item, Listed, Passage, Problem, QuestionRecord

CHUNK = 2_000  # passages in memory at a time, those of the questions included


@dataclass(slots=True)
class Chunk:
    """Some records of a file, with what was met on the way and how far the way is.

    ``first`` are the passages that the file had not had before, by the digest of their text
    (``None`` once the text is no longer needed); ``again`` the digests of those it had.
    ``keys`` gives every passage of the questions its digest, ``digests`` every question that
    of its content.
    """

    questions: list[QuestionRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    first: dict[str, Passage | None] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    keys: dict[Passage, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    bytes_read: int = 0
    records: int = 0

    @property
    def is_full(self) -> bool:
        return max(len(self.first), len(self.again), len(self.problems)) >= CHUNK


def chunks_of(dialect: Dialect, file: BinaryIO) -> Iterator[Chunk]:
    """The records of ``file``.

    Raises:
        Refused: a record that cannot be read, with its place.
    """
    reading, records = _Reading(), 0
    with refusing():
        for item in dialect.items(file):
            reading.add(item)
            records += not isinstance(item, Problem)
            if reading.chunk.is_full:
                yield reading.taken(file.tell(), records)
    yield reading.taken(file.tell(), records)


class _Reading:
    """Gathers a chunk after another.

    A passage seen before in the file is remembered by 15 bytes of its digest: enough to tell
    it, and little enough to remember a million.
    """

    def __init__(self) -> None:
        self.chunk = Chunk()
        self._seen: set[int] = set()

    def taken(self, bytes_read: int, records: int) -> Chunk:
        """The chunk so far; a new one begins."""
        chunk, self.chunk = self.chunk, Chunk()
        chunk.bytes_read, chunk.records = bytes_read, records
        return chunk

    def add(self, item: Item) -> None:
        chunk = self.chunk
        if isinstance(item, Problem):
            chunk.problems.append(item)
        elif isinstance(item, Listed):
            if not self._is_first(item.passage, sha256_hex(item.passage.text.encode())):
                chunk.problems.append(item.repeated())
        else:
            self._add_question(item)

    def _add_question(self, one: QuestionRecord) -> None:
        chunk = self.chunk
        chunk.questions.append(one)
        chunk.problems += one.problems
        for passage in one.passages:
            if passage not in chunk.keys:
                key = chunk.keys[passage] = sha256_hex(passage.text.encode())
                self._is_first(passage, key)
        chunk.digests[one.key] = _content(one, chunk.keys)

    def _is_first(self, passage: Passage, key: str) -> bool:
        short = int(key[:30], 16)
        if short in self._seen:
            if key not in self.chunk.first:
                self.chunk.again.add(key)
            return False
        self._seen.add(short)
        self.chunk.first[key] = passage
        return True


def captured(
    passages: Mapping[str, Passage | None], dataset: str, observed_at: datetime, licence: str
) -> Iterable[Capture]:
    """``passages``, by digest, as sources of the data set."""
    for key, passage in passages.items():
        if passage is not None:
            yield Capture(
                origin=dataset,
                key=key,
                title=passage.title,
                snapshot=passage.text.encode(),
                observed_at=observed_at,
                licence=licence,
            )


def _content(one: QuestionRecord, keys: Mapping[Passage, str]) -> str:
    """Digest of all that a record says."""
    return digest(
        {
            "text": one.text,
            "answer": one.answer,
            "aliases": one.aliases,
            "kind": one.kind,
            "passages": [keys[passage] for passage in one.passages],
            "sets": [[[e.passage, e.start, e.end] for e in members] for members in one.sets],
            "graph": to_json(one.graph) if one.graph else None,
            # Said only where it is, so that what was imported before keeps its digest.
            **({"claim": one.claim} if one.claim else {}),
        }
    )
