"""HotpotQA (hotpotqa/hotpot, CC BY-SA 4.0), as published and as Hugging Face lays it out.

The full-wiki setting may lack supporting pages; that is a ``retrieval-miss``, not an error.
"""

from __future__ import annotations

from functools import partial

from certify_core.datasets.facts import read_question
from certify_core.datasets.reading import parse_questions
from certify_core.datasets.records import Batch

DATASET = "hotpotqa"


def parse(data: bytes) -> Batch:
    return parse_questions(DATASET, data, partial(read_question, DATASET))
