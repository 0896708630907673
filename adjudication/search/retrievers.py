"""The retrievers that a run can choose, each behind the same protocol of the engine.

Another one, such as a search cluster, is a further ``Ranking`` in ``RANKINGS``:
docs/retrieval.md says what it must keep to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from adjudication.search.building import vector_of
from adjudication.search.embedding import vectors_under
from adjudication.search.queries import Corpus, Ranking, corpus_of
from adjudication.search.vectors import Vectors
from adjudication.specifications.models import Specification
from certify_core.fusion import fused

Kind = Literal["bm25", "dense", "hybrid"]

DEPTH = 100
"""Ranks of each ranking that are fused, however few are asked for: a longer result begins with
a shorter one."""


@dataclass(frozen=True)
class Dense:
    """Versions by how near their vectors lie to the query's."""

    vectors: Vectors

    def ranked(self, query: str, limit: int) -> list[str]:
        vector = vector_of(self.vectors.corpus, query)
        return [str(pk) for pk in self.vectors.nearest(vector, limit)]


@dataclass(frozen=True)
class Fused:
    """Several rankings of one corpus made one by reciprocal rank fusion."""

    rankings: Sequence[Ranking]

    def ranked(self, query: str, limit: int) -> list[str]:
        depth = max(DEPTH, limit)
        return fused([one.ranked(query, depth) for one in self.rankings])[:limit]


def retriever_of(specification: Specification, kind: Kind, embeddings: str = "") -> Corpus:
    """The versions of a frozen specification, ranked as ``kind`` says.

    ``embeddings`` is the model of those that need one.

    Raises:
        NotReady: vectors are on their way; ask again once they are there.
        NotEmbedded: the vectors could not be had.
        Refused: this kind is not possible here.
    """
    corpus = corpus_of(specification)
    return replace(corpus, ranking=RANKINGS[kind](corpus, specification, embeddings))


def _words(corpus: Corpus, specification: Specification, embeddings: str) -> Ranking:
    return corpus.index


def _dense(corpus: Corpus, specification: Specification, embeddings: str) -> Ranking:
    return Dense(vectors_under(specification, embeddings))


def _hybrid(corpus: Corpus, specification: Specification, embeddings: str) -> Ranking:
    return Fused([corpus.index, _dense(corpus, specification, embeddings)])


RANKINGS: Mapping[Kind, Callable[[Corpus, Specification, str], Ranking]] = {
    "bm25": _words,
    "dense": _dense,
    "hybrid": _hybrid,
}
