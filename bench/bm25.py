"""A small ranked index for measurements and tests. The application uses a real search engine."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from itertools import islice

from certify_core.folding import fold
from certify_core.model import Unit
from certify_core.regions import namesake_base

_DEEPEST = 100
"""Ranks kept per query: more than any search reads, also with a few units hidden."""


class Bm25:
    """Okapi BM25 over folded tokens; ties by uid, terms summed in sorted order."""

    def __init__(self, units: Iterable[Unit], k1: float = 1.2, b: float = 0.75) -> None:
        self.units = tuple(units)
        self.k1, self.b = k1, b
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self.lengths = [self._add(i, unit) for i, unit in enumerate(self.units)]
        self.mean = sum(self.lengths) / max(len(self.lengths), 1)
        self.hidden: frozenset[str] = frozenset()
        self.rankings: dict[str, list[int]] = {}
        self.titles: dict[str, list[Unit]] = defaultdict(list)
        for unit in self.units:
            self.titles[namesake_base(unit.title)].append(unit)

    def _add(self, index: int, unit: Unit) -> int:
        terms = fold(unit.text).split()
        for term, count in Counter(terms).items():
            self.postings[term].append((index, count))
        return len(terms)

    def without(self, uids: Iterable[str]) -> Bm25:
        """The same index with a few units hidden; lower ranks move up."""
        twin = object.__new__(Bm25)
        twin.__dict__.update(self.__dict__)
        twin.hidden = frozenset(uids)
        return twin

    def search(self, query: str, limit: int) -> Sequence[Unit]:
        if query not in self.rankings:
            self.rankings[query] = self._ranked(query)
        found = (self.units[i] for i in self.rankings[query])
        visible = (unit for unit in found if unit.uid not in self.hidden)
        return list(islice(visible, limit))

    def _ranked(self, query: str) -> list[int]:
        scores: dict[int, float] = defaultdict(float)
        for term in sorted(set(fold(query).split())):
            postings = self.postings.get(term, [])
            idf = math.log(1 + (len(self.units) - len(postings) + 0.5) / (len(postings) + 0.5))
            for index, count in postings:
                norm = self.k1 * (1 - self.b + self.b * self.lengths[index] / self.mean)
                scores[index] += idf * count * (self.k1 + 1) / (count + norm)
        return nsmallest(_DEEPEST, scores, key=lambda i: (-scores[i], self.units[i].uid))

    def namesakes(self, title: str) -> Sequence[str]:
        same = self.titles.get(namesake_base(title), [])
        return sorted({u.title for u in same if u.uid not in self.hidden and u.title != title})
