"""The frozen full-text index of a corpus: built once, named by what is in it, then only read.

An index belongs to one set of versions for ever, so it needs no upkeep: processes map its
files into memory and share them. Ranking is BM25 over folded tokens (k1 1.2, b 0.75).
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from uuid import UUID

import tantivy
from django.conf import settings
from django.db.models import QuerySet

from adjudication.corpus.models import SourceVersion
from adjudication.specifications.models import Specification
from adjudication.specifications.queries import eligible_versions
from certify_core.canonical import digest
from certify_core.folding import fold, split_title
from certify_core.model import Unit

FORMAT = "tantivy/1"
"""Raise the number when the fields or the folding change: older indexes are then left alone."""

_MEMORY = 128_000_000  # bytes; postings beyond it go to a further segment
_NAMESAKES = 1000  # passages looked at; one page can have many


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("uid", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("base", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


SCHEMA = _schema()


@dataclass(frozen=True)
class Corpus:
    """The eligible versions of a specification as the search loop sees them: a ``Retriever``."""

    index: tantivy.Index

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        """The ``limit`` best versions for the words of ``query``, best first."""
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(SCHEMA, "body", word, "freq"))
            for word in dict.fromkeys(fold(query).split())
        ]
        if not terms:
            return ()
        return self._units(self._find(tantivy.Query.boolean_query(terms), limit))

    def namesakes(self, title: str) -> Sequence[str]:
        """The other titles that differ only in a trailing parenthesis, sorted."""
        query = tantivy.Query.term_query(SCHEMA, "base", _base(title), "basic")
        found = {document["title"][0] for document in self._find(query, _NAMESAKES)}
        return sorted(found - {title})

    def _find(self, query: tantivy.Query, limit: int) -> list[tantivy.Document]:
        searcher = self.index.searcher()
        return [searcher.doc(place) for _, place in searcher.search(query, limit, count=False).hits]

    def _units(self, documents: Sequence[tantivy.Document]) -> list[Unit]:
        uids = [document["uid"][0] for document in documents]
        found = _read(SourceVersion.objects.filter(pk__in=uids))
        units = {unit.uid: unit for unit in _units(found)}
        return [units[uid] for uid in uids]


def corpus_of(specification: Specification) -> Corpus:
    """The corpus of a frozen specification; its index is built if nobody did before."""
    return _opened(specification.pk)


@lru_cache(maxsize=8)
def _opened(specification_id: UUID) -> Corpus:
    specification = Specification.objects.get(pk=specification_id)
    place = place_of(specification)
    place.parent.mkdir(parents=True, exist_ok=True)
    with _only_builder(place):
        if not place.exists():
            _build(place, _units(_read(eligible_versions(specification))))
    return Corpus(tantivy.Index.open(str(place)))


def place_of(specification: Specification) -> Path:
    """Where the index of the specification's corpus is, or will be.

    Versions never change, so their ids say what is in it. Two projects can hold equal texts:
    their indexes name different versions and are different.
    """
    ids = eligible_versions(specification).order_by("pk").values_list("pk", flat=True)
    name = digest([FORMAT, [str(pk) for pk in ids]])
    return Path(settings.DATA_DIR) / "indexes" / name


@contextmanager
def _only_builder(place: Path) -> Iterator[None]:
    """Let one process build at a time; the others wait and find it done."""
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(place: Path, units: Iterator[Unit]) -> None:
    """Write the index beside its place and move it there whole. One thread: equal bytes."""
    unfinished = place.with_suffix(".building")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    index = tantivy.Index(SCHEMA, str(unfinished))
    writer = index.writer(heap_size=_MEMORY, num_threads=1)
    for unit in units:
        writer.add_document(
            tantivy.Document(
                uid=unit.uid, title=unit.title, base=_base(unit.title), body=fold(unit.text)
            )
        )
    writer.commit()
    writer.wait_merging_threads()
    unfinished.rename(place)


def _base(title: str) -> str:
    return fold(split_title(title)[0]) or title


def _read(versions: QuerySet[SourceVersion]) -> QuerySet[SourceVersion]:
    """Without the snapshots, in an order that depends on the texts first."""
    return (
        versions.select_related("source")
        .only("text", "sha256", "source__title")
        .order_by("sha256", "pk")
    )


def _units(versions: QuerySet[SourceVersion]) -> Iterator[Unit]:
    for version in versions.iterator(chunk_size=1000):
        yield unit_of(version)


def unit_of(version: SourceVersion) -> Unit:
    """A version as the engine sees it."""
    return Unit(str(version.pk), version.source.title, version.text, version.sha256)
