"""HotpotQA (hotpotqa/hotpot, CC BY-SA 4.0), as published and as Hugging Face lays it out.

The full-wiki setting may lack supporting pages; that is a ``retrieval-miss``, not an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from certify_core.datasets.facts import read_question
from certify_core.datasets.reading import read_records
from certify_core.datasets.records import QuestionRecord

DATASET = "hotpotqa"


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    return read_records(file, partial(read_question, DATASET))
