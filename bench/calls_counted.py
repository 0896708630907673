"""How many calls a question takes on published questions, without waiting for any endpoint."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adjudication.readers.reader import EndpointReader
from adjudication.readers.requests import Reply, Request
from bench.answers import answer_to
from bench.questions import Case, QuestionSet, musique, wiki
from certify_core.model import Certificate
from certify_core.search import Policy, certify

SETS: Mapping[str, tuple[str, Callable[[Path], QuestionSet], int]] = {
    "2wiki 0-100": ("2wikimultihopqa/fastgraphrag_vdb_101.json", wiki, 17),
    "musique 0-49": ("musique/musique_train_50.json", musique, 22),
}
"""The file, how it is read, and the calls per question that arXiv 2610.34684 reports."""


@dataclass
class Counted:
    """An ``Ask`` that answers at once, each request once, and counts."""

    kinds: Counter[str] = field(default_factory=Counter)
    known: dict[str, Reply] = field(default_factory=dict)

    def __call__(self, request: Request) -> Reply:
        if request.digest not in self.known:
            self.kinds[request.kind] += 1
            text = answer_to({"messages": [one._asdict() for one in request.messages]})
            self.known[request.digest] = Reply(text, "stop", None, None, 0.0)
        return self.known[request.digest]


def measure(passages_per_call: Mapping[str, int]) -> dict[str, object]:
    """Return the figures of each set in the folder that ``MULTIHOP`` names."""
    folder = os.environ.get("MULTIHOP")
    if not folder:
        return {"questions": None, "missing": "MULTIHOP names no folder of questions"}
    root = Path(folder)
    return {
        name: {
            **{way: counted(read(root), number) for way, number in passages_per_call.items()},
            "published_calls_per_question": published,
        }
        for name, (file, read, published) in SETS.items()
        if (root / file).exists()
    }


def counted(questions: QuestionSet, per_call: int) -> dict[str, object]:
    """A run's calls over all questions: what was answered before is not asked again."""
    ask = Counted()
    reader = EndpointReader(ask, "patterns", per_call=per_call)
    read = sum(asked_about(case, questions, reader) for case in questions.cases)
    number = len(questions.cases)
    return {"questions": number, **per_question(ask.kinds, read, number)}


def per_question(kinds: Mapping[str, int], links: int, questions: int) -> dict[str, object]:
    """The means of a run, apart for what a certificate needs and what only compares answers.

    A certificate derives its answer; "answer" calls read it again, from the certificate's
    passages and from all that was retrieved.
    """
    certifying = sum(number for kind, number in kinds.items() if kind != "answer")
    return {
        "links_per_question": round(links / questions, 2),
        "calls_per_question": round(certifying / questions, 2),
        "answer_calls_per_question": round(kinds.get("answer", 0) / questions, 2),
        "calls_by_kind": dict(sorted(kinds.items())),
    }


def asked_about(case: Case, questions: QuestionSet, reader: EndpointReader) -> int:
    """Certify the question as a run does; how many passages were read."""
    units = questions.corpus.units
    outcome = certify(case.text, case.graph, reader, questions.corpus, Policy())
    pool = dict.fromkeys(uid for search in outcome.searches for uid in search.uids)
    if isinstance(outcome.result, Certificate):
        for uids in (outcome.result.units, pool):
            reader.answer(case.text, [units[int(uid)] for uid in uids])
    return sum(len(search.uids) for search in outcome.searches)
