"""Frozen full-text indexes: each built once, named by what is in it, then only read.

An index belongs to one set of texts for ever, so it needs no upkeep: processes map its files
into memory and share them. Ranking is BM25 over folded tokens (k1 1.2, b 0.75). A list of its
files with their digests is written last; an index without it, or that differs from it, is
not opened but built again.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import tantivy
from django.conf import settings

from adjudication.search.signs import beside_words, signs_asked, words_asked
from certify_core.folding import fold
from certify_core.model import Unit
from certify_core.regions import namesake_base

FORMAT = "tantivy/3"
"""Raise the number when the fields or the folding change: older indexes are then left alone."""

LIST = "contents.json"
_MEMORY = 128_000_000  # bytes; postings beyond it go to a further segment
_NAMESAKES = 1000  # passages looked at; one page can have many
_OPEN = 16  # indexes that one process keeps open
_STEP = 1000  # texts between two signs of life of a builder
_HOUR = 3600.0
Occur = tantivy.Occur


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("uid", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("base", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("more", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


SCHEMA = _schema()


@dataclass(frozen=True, slots=True)
class Hits:
    """What a person's search found: some of the ``some`` texts that hold any of the words."""

    ids: list[UUID]
    every: int
    some: int


@dataclass(frozen=True)
class Index:
    """An open index: ids of the texts in it, by words."""

    index: tantivy.Index

    def ranked(self, query: str, limit: int) -> list[str]:
        """Ids of the ``limit`` best texts for the words of ``query``, best first."""
        terms = _any_of("body", dict.fromkeys(fold(query).split()))
        return [one["uid"][0] for one in self._find(terms, limit)] if terms else []

    def titled(self, base: str, without: Collection[str] = ()) -> set[str]:
        """Every title with this base, as ``namesake_base`` gives it, of a text that is not left
        out."""
        found = self._find(_any_of("base", [base]), _NAMESAKES)
        return {one["title"][0] for one in found if one["uid"][0] not in without}

    def hits(self, query: str, offset: int, limit: int) -> Hits:
        """What people are shown: the texts from ``offset`` on, and how many there are."""
        terms = [*map(_anywhere, words_asked(query)), *_any_of("more", signs_asked(query))]
        if not terms:
            return Hits([], 0, 0)
        searcher = self.index.searcher()
        some = searcher.search(tantivy.Query.boolean_query(terms), limit, offset=offset)
        whole = tantivy.Query.boolean_query([(Occur.Must, term) for _, term in terms])
        every = searcher.search(whole, 1)
        ids = [UUID(searcher.doc(place)["uid"][0]) for _, place in some.hits]
        return Hits(ids, _counted(every), _counted(some))

    def _find(self, terms: list[Any], limit: int) -> list[tantivy.Document]:
        searcher = self.index.searcher()
        found = searcher.search(tantivy.Query.boolean_query(terms), limit, count=False)
        return [searcher.doc(place) for _, place in found.hits]


def _any_of(field: str, words: Iterable[str]) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    option = "basic" if field == "base" else "freq"
    terms = (tantivy.Query.term_query(SCHEMA, field, word, option) for word in dict.fromkeys(words))
    return [(Occur.Should, term) for term in terms]


def _anywhere(word: str) -> tuple[tantivy.Occur, tantivy.Query]:
    either = tantivy.Query.boolean_query([*_any_of("body", [word]), *_any_of("more", [word])])
    return Occur.Should, either


def _counted(found: tantivy.SearchResult) -> int:
    count: int = found.count  # type: ignore[attr-defined]  # missing from the stubs
    return count


# --- Where it is -----------------------------------------------------------------------------


def folder() -> Path:
    """The folder of all indexes."""
    return Path(settings.DATA_DIR) / "indexes"


def find(name: str) -> Index | None:
    """The index ``name``, if it is there and whole."""
    place = folder() / name
    try:
        listed = (place / LIST).stat()
        _note_use(place)
        return _opened(place, listed.st_ino, listed.st_mtime_ns)
    except (OSError, ValueError):
        return None


@lru_cache(maxsize=_OPEN)
def _opened(place: Path, _inode: int, _changed: int) -> Index:
    """Open an index after comparing every file with the list; once for each list."""
    listed = json.loads((place / LIST).read_bytes())
    for file, digest in listed["files"].items():
        if _sha256(place / file) != digest:
            raise ValueError(f"{place / file} is not what was built")
    return Index(tantivy.Index.open(str(place)))


def find_or_build(name: str, units: Iterable[Unit], total: int = 0) -> Index:
    """The index ``name`` of ``units``, built now if nobody did before.

    Processes that want it at the same time wait for the one that builds. ``total`` is how
    many units there are, for whoever watches.
    """
    if (known := find(name)) is not None:
        return known
    folder().mkdir(parents=True, exist_ok=True)
    with _only_builder(name) as lock:
        if (known := find(name)) is not None:
            return known
        build(folder() / name, _counting(units, lock, total))
    made = find(name)
    if made is None:
        raise OSError(f"the index {name} cannot be read back from {folder()}")
    return made


def build(place: Path, units: Iterable[Unit]) -> None:
    """Write the index beside its place and move it there whole. One thread: equal bytes."""
    unfinished = place.with_suffix(".building")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    writer = tantivy.Index(SCHEMA, str(unfinished)).writer(heap_size=_MEMORY, num_threads=1)
    for unit in units:
        writer.add_document(_document(unit))
    writer.commit()
    writer.wait_merging_threads()
    _list_files(unfinished)
    shutil.rmtree(place, ignore_errors=True)
    unfinished.rename(place)


def _document(unit: Unit) -> tantivy.Document:
    """``body`` ranks for the engine; ``more`` is what only people search by."""
    body = fold(unit.text)
    return tantivy.Document(
        uid=unit.uid,
        title=unit.title,
        base=namesake_base(unit.title),
        body=body,
        more=" ".join(beside_words(unit.title, unit.text, set(body.split()))),
    )


def _list_files(place: Path) -> None:
    files = sorted(path for path in place.iterdir() if not path.name.startswith("."))
    listed = {path.name: _sha256(path) for path in files}
    (place / LIST).write_text(json.dumps({"format": FORMAT, "files": listed}, indent=1))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


# --- Who builds it ---------------------------------------------------------------------------


@contextmanager
def _only_builder(name: str) -> Iterator[int]:
    """Let one process build at a time; the others wait and find it done. Yields its lock."""
    lock = _locked(_lock(name), fcntl.LOCK_EX)
    try:
        yield lock
    finally:
        os.close(lock)


def _locked(path: Path, how: int) -> int:
    """A lock on the file that has this name now: a sweep may have taken another one away."""
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, how)
            if _is_named(lock, path):
                return lock
        except OSError:
            os.close(lock)
            raise
        os.close(lock)


def _is_named(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def _lock(name: str) -> Path:
    return folder() / f"{name}.lock"


def _counting(units: Iterable[Unit], lock: int, total: int) -> Iterator[Unit]:
    """``units``, while the lock's file says how many have been taken."""
    for number, unit in zip(count(), units, strict=False):
        if number % _STEP == 0:
            os.pwrite(lock, f"{number:>12} {total:>12}\n".encode(), 0)
        yield unit


def progress(name: str) -> tuple[int, int] | None:
    """How many of how many texts a builder has taken; None while nobody builds ``name``."""
    if not _lock(name).exists():
        return None
    try:
        os.close(_locked(_lock(name), fcntl.LOCK_SH | fcntl.LOCK_NB))
    except BlockingIOError:
        done, total = (_lock(name).read_text().split() or ["0", "0"])[:2]
        return int(done), int(total)
    return None


def ask(name: str, patience: float) -> bool:
    """Whether it is time to ask for ``name``: nobody did within ``patience`` seconds."""
    folder().mkdir(parents=True, exist_ok=True)
    asked = _lock(name)
    if asked.exists() and time.time() - asked.stat().st_mtime < patience:
        return False
    asked.touch()
    return True


# --- How long it stays -----------------------------------------------------------------------


def _note_use(place: Path) -> None:
    """The folder's time says when the index was last used, to the hour."""
    if time.time() - place.stat().st_mtime > _HOUR:
        os.utime(place)


def sweep(unused: float) -> int:
    """Remove indexes that nobody used for ``unused`` seconds; how many there were.

    A process that has one open goes on reading it. Whoever needs it again builds it again.
    """
    names = {path.stem for path in folder().iterdir()} if folder().is_dir() else set()
    old = time.time() - unused
    return sum(_remove(name) for name in names if _last_use(name) < old)


def _traces(name: str) -> list[Path]:
    """Everything that can be there of an index, its lock last."""
    place = folder() / name
    return [one for one in (place, place.with_suffix(".building"), _lock(name)) if one.exists()]


def _last_use(name: str) -> float:
    return max((one.stat().st_mtime for one in _traces(name)), default=0.0)


def _remove(name: str) -> bool:
    """Whether the index was there. One that somebody builds right now stays."""
    try:
        lock = _locked(_lock(name), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    there = (folder() / name).exists()
    for path in _traces(name):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    os.close(lock)
    return there
