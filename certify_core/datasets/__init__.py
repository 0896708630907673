"""Outside data sets: bytes in, neutral records out. No database, nothing guessed silently."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType
from typing import BinaryIO

from certify_core.datasets import (
    documents,
    fever,
    hotpotqa,
    multihoprag,
    musique,
    passages,
    proofwriter,
    scifact,
    textworld,
    twowiki,
    wice,
)
from certify_core.datasets.records import (
    Batch,
    ClaimRecord,
    ClosureRecord,
    Item,
    Passage,
    PlacedRecord,
    Problem,
    QuestionRecord,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """A data set's layout: the name of the set, and how its files are read.

    ``items`` yields what a file holds, in its order, reading as it goes. It raises
    InvalidRecord when it comes to a record of another shape: what came before is void too.
    """

    dataset: str
    items: Callable[[BinaryIO], Iterator[Item]]


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "musique": Dialect(musique.DATASET, musique.items),
        "hotpotqa": Dialect(hotpotqa.DATASET, hotpotqa.items),
        "2wiki": Dialect(twowiki.DATASET, twowiki.items),
        "passages": Dialect(passages.DATASET, passages.items),
        "wice": Dialect(wice.DATASET, wice.items),
        "proofwriter": Dialect(proofwriter.DATASET, proofwriter.items),
        "textworld": Dialect(textworld.DATASET, textworld.items),
    }
)

PLACED: Mapping[str, Callable[[BinaryIO], Iterator[PlacedRecord]]] = MappingProxyType(
    {"fever": fever.items, "scifact": scifact.items, "multihop-rag": multihoprag.items}
)
"""Questions whose evidence lies in documents of other files, by data set."""

DOCUMENTS: Mapping[str, tuple[str, Callable[[BinaryIO], Iterator[documents.Read]]]] = (
    MappingProxyType(
        {
            "fever-pages": (fever.DATASET, documents.fever_pages),
            "scifact-corpus": (scifact.DATASET, documents.scifact),
            "multihop-rag-corpus": (multihoprag.DATASET, documents.multihoprag),
        }
    )
)
"""Those documents: the data set that names them, and how its files are read."""

CLAIMS: Mapping[str, Callable[[bytes], tuple[ClaimRecord, ...]]] = MappingProxyType(
    {"fever": fever.parse, "wice": wice.parse, "scifact": scifact.parse}
)
"""Claims with evidence sets over places whose texts are not in the file."""

CLOSURES: Mapping[str, Callable[[bytes], tuple[ClosureRecord, ...]]] = MappingProxyType(
    {"proofwriter": proofwriter.parse, "textworld": textworld.parse}
)
"""Questions with exact requirements, which closure alone decides."""


def parse(dialect: str, data: bytes) -> Batch:
    """The records of a small file in one of ``DIALECTS``; what could not be used is in problems.

    Raises:
        InvalidRecord: the file or one of its records has another shape. All or nothing.
        KeyError: an unknown dialect.
    """
    chosen = DIALECTS[dialect]
    questions: list[QuestionRecord] = []
    listed: dict[Passage, None] = {}
    problems: list[Problem] = []
    for item in chosen.items(BytesIO(data)):
        if isinstance(item, QuestionRecord):
            questions.append(item)
        elif isinstance(item, Problem):
            problems.append(item)
        elif item.passage in listed:
            problems.append(item.repeated())
        else:
            listed[item.passage] = None
    return Batch(chosen.dataset, tuple(questions), tuple(listed), tuple(problems))
