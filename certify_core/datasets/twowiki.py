"""2WikiMultiHopQA (Alab-NII/2wikimultihop, Apache-2.0): HotpotQA's layout.

The ``evidences`` triples are not read: the reference set is the supporting sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from certify_core.datasets.facts import read_question
from certify_core.datasets.reading import read_records
from certify_core.datasets.records import QuestionRecord

DATASET = "2wiki"


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    return read_records(file, partial(read_question, DATASET))
