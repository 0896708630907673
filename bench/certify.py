"""How often the reader without a model is right on real questions, and silent on their twins.

``MULTIHOP`` in the environment names a folder of published questions (see
`bench.questions`); without it there are no figures. A twin is a question one of whose
supporting passages, with every restatement that is found, is deleted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.database import in_a_process
from bench.questions import Case, QuestionSet, question_sets
from bench.shares import Count, interval, ratio, share
from certify_core.drawing import draw
from certify_core.folding import fold
from certify_core.grounding import atom_of
from certify_core.model import (
    Certificate,
    Edge,
    Grade,
    Instance,
    Outcome,
    Requirement,
    RequirementGraph,
)
from certify_core.pattern_reader import PatternReader
from certify_core.search import Check, Policy, certify
from certify_core.twins import Audit, Hop, Twin, confirmed_by, twin_at
from certify_core.values import read_countries

MODES: tuple[Check, ...] = ("anchor", "verify", "anchor-or-verify", "off")
ON_AND_OFF: tuple[Check, ...] = ("anchor", "off")
GRADES: tuple[Grade, ...] = ("anchored", "verified", "rejected")
SEED = 7
HASH_SEEDS = ("0", "1", "4711")
PUBLISHED = {
    "anchored": "96.7 % (2WikiMultiHopQA)",
    "verified": "76.1 % (people)",
    "rejected": "20.0 %",
}
"""Rates of right links that arXiv 2610.34684 reports, with a language model as reader."""

READER = PatternReader()


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one question and its twins.

    ``twins`` are whether each was answered; ``drawn`` is that of the one the seed draws.
    """

    form: str
    answered: bool
    right: bool
    lenient: bool
    twins: tuple[bool, ...]
    drawn: tuple[bool, ...]
    read: int
    seconds: float


def measure() -> dict[str, object]:
    """Return the figures of every set that is there, by entity check and by question form."""
    folder = os.environ.get("MULTIHOP")
    if not folder:
        return {"questions": None, "missing": "MULTIHOP names no folder of questions"}
    if not Path(folder).is_dir():
        raise SystemExit(f"MULTIHOP names no folder: {folder}")
    repeated = under_hash_seeds(folder)
    return {
        found.name: {**figures(found), "under_hash_seeds": repeated[found.name]}
        for found in question_sets(Path(folder))
    }


def under_hash_seeds(folder: str) -> dict[str, dict[str, object]]:
    """Return for each set whether every seed, in a process of its own, gives the same bytes."""
    found = [in_a_process("bench.seeds", folder, PYTHONHASHSEED=seed) for seed in HASH_SEEDS]
    return {
        name: {
            "seeds": ", ".join(HASH_SEEDS),
            "identical": all(one[name] == digest for one in found),
            "sha256": digest,
        }
        for name, digest in found[0].items()
    }


def figures(questions: QuestionSet) -> dict[str, object]:
    """Return every rate of one set; by question form with the entity check on and off."""
    rows = {mode: rows_of(questions, Policy(check=mode)) for mode in MODES}
    usual = rows["anchor"]
    return {
        "passages": len(questions.corpus.units),
        "questions": len(usual),
        **{mode: {**rates(found), **gain(found, usual)} for mode, found in rows.items()},
        "forms": {mode: by_form(rows[mode]) for mode in ON_AND_OFF},
        "links": links(questions),
        "cpu_ms_per_question": round(1e3 * sum(row.seconds for row in usual) / len(usual), 1),
        "cpu_ms_of_the_slowest": round(1e3 * max(row.seconds for row in usual), 1),
        "passages_read_per_question": round(sum(row.read for row in usual) / len(usual), 1),
    }


def by_form(rows: Sequence[Row]) -> dict[str, object]:
    forms = sorted({row.form for row in rows})
    return {form: rates([row for row in rows if row.form == form]) for form in forms}


def rows_of(questions: QuestionSet, policy: Policy) -> list[Row]:
    """Return what came of every question and its twins under a policy."""
    questions.corpus.rankings.clear()
    return [row_of(case, questions, policy) for case in questions.cases]


def row_of(case: Case, questions: QuestionSet, policy: Policy) -> Row:
    begin = time.process_time()
    outcome = ask(case, questions, (), policy)
    seconds = time.process_time() - begin
    twins = list(twins_of(case, questions, outcome))
    answered = [bool(answer(ask(case, questions, twin.deleted, policy))) for twin in twins]
    drawn = draw(twins, SEED, case.key) if twins else None
    return Row(
        form=case.form,
        answered=bool(answer(outcome)),
        right=is_right(answer(outcome), case.answers),
        lenient=is_roughly_right(answer(outcome), case.answers),
        twins=tuple(answered),
        drawn=tuple(a for a, twin in zip(answered, twins, strict=True) if twin is drawn),
        read=sum(len(search.uids) for search in outcome.searches),
        seconds=seconds,
    )


def ask(case: Case, questions: QuestionSet, deleted: Sequence[str], policy: Policy) -> Outcome:
    return certify(case.text, case.graph, READER, questions.corpus.without(deleted), policy)


def answer(outcome: Outcome) -> str:
    """Return the certified answer, "" for an abstention."""
    return outcome.result.answer if isinstance(outcome.result, Certificate) else ""


# --- Right answers ---------------------------------------------------------------------------


def is_right(given: str, answers: Sequence[str]) -> bool:
    """Whether a reference answer is given strictly; a country may stand for its adjective."""
    country = read_countries(given)
    same_country = country is not None and any(read_countries(a) == country for a in answers)
    return fold(given) in {fold(a) for a in answers} - {""} or same_country


def is_roughly_right(given: str, answers: Sequence[str]) -> bool:
    """Whether a reference answer is part of what is given, or the other way round."""
    words = f" {fold(given)} "
    references = [f" {fold(a)} " for a in answers if fold(a)]
    contained = any(r in words or (given and words in r) for r in references)
    return is_right(given, answers) or contained


# --- Twins -----------------------------------------------------------------------------------


def twins_of(case: Case, questions: QuestionSet, outcome: Outcome) -> Iterator[Twin]:
    """Yield a twin for every passage the question rests on.

    Where the data do not name them, those are the units of the certificate. Restatements
    are looked for where the passage's fact is known: from the data or the certificate.
    """
    certified = outcome.result if isinstance(outcome.result, Certificate) else None
    gold = case.gold or (certified.units if certified else ())
    facts = {uid: (fact(uid, case, outcome, questions) or Hop(uid)) for uid in gold}
    every = Edge("answer", tuple(hop.atom for hop in facts.values()))
    stated = {uid: (hop.atom,) for uid, hop in facts.items()}
    instance = Instance(targets=("answer",), facts=stated, edges=(every,))
    graph = case.graph or outcome.graph
    for hop in facts.values():
        audit = Audit(questions.corpus, confirmed_by(READER, graph)) if hop.text and graph else None
        twin = twin_at(instance, hop, audit)
        if isinstance(twin, Twin):
            yield twin


def fact(uid: str, case: Case, outcome: Outcome, questions: QuestionSet) -> Hop | None:
    """Return what the passage is known to state for a requirement of the question."""
    title = questions.corpus.units[int(uid)].title
    for step in case.steps:
        if step.uid == uid:
            return Hop(atom_of(step.rid, (), step.value), step.text, step.value, title)
    texts = {(search.rid, search.binding): search.query for search in outcome.searches}
    for link in outcome.links:
        if link.uid == uid and link.accepted:
            text = texts[link.rid, link.binding]
            atom = atom_of(link.rid, link.binding, link.canonical)
            return Hop(atom, text, link.value, title)
    return None


# --- Rates -----------------------------------------------------------------------------------


def rates(rows: Sequence[Row]) -> dict[str, object]:
    counts: dict[str, Callable[[Row], Count]] = {
        "right": lambda row: (row.right, 1),
        "right_lenient": lambda row: (row.lenient, 1),
        "coverage": lambda row: (row.answered, 1),
        "right_of_answered": lambda row: (row.right, row.answered),
        "twins_answered": twins,
        "drawn_twins_answered": lambda row: (sum(row.drawn), len(row.drawn)),
    }
    return {
        **{name: share([count(row) for row in rows]) for name, count in counts.items()},
        "decision": interval(lambda chosen: decision(rows, chosen), len(rows)),
    }


def twins(row: Row) -> Count:
    return sum(row.twins), len(row.twins)


def decision(rows: Sequence[Row], chosen: Sequence[int]) -> float | None:
    """Return the mean of the originals' share right and the twins' share not answered."""
    right = ratio([(row.right, 1) for row in rows], chosen)
    answered = ratio([twins(row) for row in rows], chosen)
    return None if right is None or answered is None else (right + 1 - answered) / 2


def gain(rows: Sequence[Row], usual: Sequence[Row]) -> dict[str, object]:
    """Return how far a mode's decision accuracy lies above the usual mode's, in points."""

    def difference(chosen: Sequence[int]) -> float | None:
        one, other = decision(rows, chosen), decision(usual, chosen)
        return None if one is None or other is None else one - other

    return {"decision_gain_over_anchor": interval(difference, len(rows))}


# --- Links -----------------------------------------------------------------------------------


def links(questions: QuestionSet) -> dict[str, object] | None:
    """Return how many links are right by grade, each reference step asked on its own.

    ``None`` where the data give no steps.
    """
    graded = [found for case in questions.cases if (found := graded_links(case, questions))]
    if not any(case.steps for case in questions.cases):
        return None
    shares = {
        grade: share(
            [
                (sum(r for g, r in one if g == grade), sum(g == grade for g, _ in one))
                for one in graded
            ]
        )
        for grade in GRADES
    }
    return {grade: {**shares[grade], "published": PUBLISHED[grade]} for grade in GRADES}


def graded_links(case: Case, questions: QuestionSet) -> list[tuple[Grade, bool]]:
    """Return grade and rightness of every link of the question's steps."""
    found: list[tuple[Grade, bool]] = []
    for step in case.steps:
        graph = RequirementGraph((Requirement(1, "lookup", step.text),))
        policy = Policy(check="anchor-or-verify")
        outcome = certify(step.text, graph, READER, questions.corpus, policy)
        found += [(link.grade, is_right(link.value, [step.value])) for link in outcome.links]
    return found
