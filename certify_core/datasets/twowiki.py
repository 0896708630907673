"""2WikiMultiHopQA (Alab-NII/2wikimultihop, Apache-2.0): HotpotQA's layout.

The ``evidences`` triples are not read: the reference set is the supporting sentences.
"""

from __future__ import annotations

from functools import partial

from certify_core.datasets.facts import read_question
from certify_core.datasets.reading import parse_questions
from certify_core.datasets.records import Batch

DATASET = "2wiki"


def parse(data: bytes) -> Batch:
    return parse_questions(DATASET, data, partial(read_question, DATASET))
