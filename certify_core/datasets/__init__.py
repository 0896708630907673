"""Outside data sets: bytes in, neutral records out. No database, nothing guessed silently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from certify_core.datasets import hotpotqa, musique, passages, twowiki
from certify_core.datasets.records import Batch

DIALECTS: Mapping[str, Callable[[bytes], Batch]] = MappingProxyType(
    {
        "musique": musique.parse,
        "hotpotqa": hotpotqa.parse,
        "2wiki": twowiki.parse,
        "passages": passages.parse,
    }
)


def parse(dialect: str, data: bytes) -> Batch:
    """The records of a file in one of ``DIALECTS``; what could not be used is in problems.

    Raises:
        InvalidRecord: the file or one of its records has another shape. All or nothing.
        KeyError: an unknown dialect.
    """
    return DIALECTS[dialect](data)
