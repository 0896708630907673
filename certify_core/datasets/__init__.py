"""Outside data sets: bytes in, neutral records out. No database, nothing guessed silently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from certify_core.datasets import (
    fever,
    hotpotqa,
    musique,
    passages,
    proofwriter,
    scifact,
    textworld,
    twowiki,
    wice,
)
from certify_core.datasets.records import Batch, ClaimRecord, ClosureRecord

DIALECTS: Mapping[str, Callable[[bytes], Batch]] = MappingProxyType(
    {
        "musique": musique.parse,
        "hotpotqa": hotpotqa.parse,
        "2wiki": twowiki.parse,
        "passages": passages.parse,
    }
)

CLAIMS: Mapping[str, Callable[[bytes], tuple[ClaimRecord, ...]]] = MappingProxyType(
    {"fever": fever.parse, "wice": wice.parse, "scifact": scifact.parse}
)
"""Claims with evidence sets over places whose texts are not in the file."""

CLOSURES: Mapping[str, Callable[[bytes], tuple[ClosureRecord, ...]]] = MappingProxyType(
    {"proofwriter": proofwriter.parse, "textworld": textworld.parse}
)
"""Questions with exact requirements, which closure alone decides."""


def parse(dialect: str, data: bytes) -> Batch:
    """The records of a file in one of ``DIALECTS``; what could not be used is in problems.

    Raises:
        InvalidRecord: the file or one of its records has another shape. All or nothing.
        KeyError: an unknown dialect.
    """
    return DIALECTS[dialect](data)
