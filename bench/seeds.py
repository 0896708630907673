"""Prints a digest of all outcomes of each set, to be compared under other hash seeds."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from bench.certify import ask
from bench.questions import QuestionSet, question_sets
from certify_core.search import Policy


def digest_of(questions: QuestionSet) -> str:
    """SHA-256 over every byte of the outcomes, in the order of the questions."""
    policy = Policy(check="anchor-or-verify")
    asked = [ask(case, questions, (), policy) for case in questions.cases]
    return hashlib.sha256(repr(asked).encode()).hexdigest()


if __name__ == "__main__":
    print(json.dumps({found.name: digest_of(found) for found in question_sets(Path(sys.argv[1]))}))
