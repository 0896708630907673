"""Stored vectors: which texts have one, and which versions of a corpus lie nearest to another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg import sql

from adjudication.search.models import EmbeddedCorpus, Vector

LENGTH = 2000
"""Code points of a text that are embedded, from its begin: about as much as common models read.
It decides rankings as the model does, and is therefore fixed."""

EXACT = 10_000
"""Texts up to which every vector of a corpus is compared, which takes some 0.15 s for the largest
at 1,024 numbers each, and approximates nothing. Beyond, an HNSW index is searched."""

MOST_INDEXED = 2000
"""Numbers of a vector that HNSW can index; corpora of longer ones are always compared whole."""

_EFFORT = 400  # candidates that HNSW keeps in view
_BLANK = "(blank)"  # servers refuse to embed nothing


def has_extension() -> bool:
    """Whether this database knows vectors."""
    return bool(_rows("SELECT to_regtype('vector') IS NOT NULL", [])[0][0])


def embedded_part(text: str) -> str:
    """What of ``text`` is embedded."""
    part = text[:LENGTH]
    return part if part.strip() else _BLANK


def name_of(text: str) -> str:
    """The SHA-256 by which the vector of ``text`` is stored."""
    return sha256(text.encode()).hexdigest()


def known(model: str, names: Collection[str]) -> set[str]:
    """Those of ``names`` whose vectors are stored."""
    found = Vector.objects.filter(model=model, sha256__in=names)
    return set(found.values_list("sha256", flat=True))


def stored(model: str, name: str) -> list[float] | None:
    """The vector of the text called ``name``, if it is stored."""
    found = Vector.objects.filter(model=model, sha256=name)
    return found.values_list("numbers", flat=True).first()


def dimension_of(model: str) -> int | None:
    """How many numbers a vector of ``model`` has; None before there is one."""
    found = Vector.objects.filter(model=model).values_list("numbers", flat=True).first()
    return None if found is None else len(found)


def keep(model: str, bought: Mapping[str, Sequence[float]]) -> None:
    """Store vectors by the names of their texts. One that is there already stays as it is."""
    Vector.objects.bulk_create(
        (Vector(model=model, sha256=name, numbers=list(one)) for name, one in bought.items()),
        ignore_conflicts=True,
    )


def place(corpus: EmbeddedCorpus, names: Mapping[UUID, str]) -> int:
    """Enter versions of ``corpus`` with the names of their texts, whose vectors are stored.

    How many were not entered before.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO search_placed (corpus_id, version_id, vector_id)"
            " SELECT %s, given.version, v.id FROM unnest(%s::uuid[], %s::text[])"
            " AS given (version, name) JOIN search_vector v"
            " ON v.model = %s AND v.sha256 = given.name ON CONFLICT DO NOTHING",
            [corpus.pk, list(names), list(names.values()), corpus.model],
        )
        return int(cursor.rowcount)


# --- Nearest ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vectors:
    """The finished vectors of a corpus, by distance of cosines."""

    corpus: EmbeddedCorpus
    indexed: bool

    @classmethod
    def of(cls, corpus: EmbeddedCorpus) -> Vectors:
        found = _rows("SELECT to_regclass(%s) IS NOT NULL", [_place_of(corpus)])
        return cls(corpus, bool(found[0][0]))

    def nearest(self, vector: Sequence[float], limit: int) -> list[UUID]:
        """The ``limit`` versions nearest to ``vector``, nearest first, ties by their ids."""
        found = self._indexed(vector, limit) if self.indexed else self._exact(vector, limit)
        if self.indexed and len(found) < min(limit, self.corpus.total):
            # A graph can have places that no path leads to.
            return self._exact(vector, limit)
        return found

    def _exact(self, vector: Sequence[float], limit: int) -> list[UUID]:
        rows = _rows(
            "SELECT p.version_id FROM search_placed p JOIN search_vector v ON v.id = p.vector_id"
            " WHERE p.corpus_id = %s ORDER BY v.numbers::vector <=> %s::vector, p.version_id"
            " LIMIT %s",
            [self.corpus.pk, _written(vector), limit],
        )
        return [row[0] for row in rows]

    def _indexed(self, vector: Sequence[float], limit: int) -> list[UUID]:
        """Among twice as many by the index, the nearest, so that ties are seen whole."""
        written = _written(vector)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL hnsw.ef_search = {_EFFORT}")
            cursor.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            cursor.execute(
                sql.SQL(
                    "SELECT version_id FROM (SELECT version_id, vector <=> %s::vector AS distance"
                    " FROM {} ORDER BY vector <=> %s::vector LIMIT %s) AS near"
                    " ORDER BY distance, version_id LIMIT %s"
                ).format(sql.Identifier(_place_of(self.corpus))),
                [written, written, 2 * limit, limit],
            )
            return [row[0] for row in cursor.fetchall()]


def make_index(corpus: EmbeddedCorpus) -> None:
    """Let the owner of the tables index a corpus that is too large to compare whole."""
    with transaction.atomic(), connection.cursor() as cursor:
        # It takes as long as it takes; nobody waits for it but this worker.
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SELECT index_vectors(%s)", [corpus.pk])


def _place_of(corpus: EmbeddedCorpus) -> str:
    """The table that ``index_vectors`` makes for ``corpus``."""
    return f"search_nearest_{corpus.pk}"


def _written(vector: Iterable[float]) -> str:
    return "[" + ",".join(map(repr, vector)) + "]"


def _rows(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
