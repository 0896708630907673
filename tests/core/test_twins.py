"""Twins: every statement and restatement goes, and no answer survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given

from bench.bm25 import Bm25
from bench.certify import READER, ask
from certify_core.closure import Compiled
from certify_core.drawing import draw
from certify_core.evidence import certificate
from certify_core.model import (
    Abstention,
    Edge,
    Instance,
    Outcome,
    Requirement,
    RequirementGraph,
    Unit,
)
from certify_core.protocols import Reading
from certify_core.search import Policy, certify
from certify_core.twins import (
    Audit,
    Hop,
    NoTwin,
    Twin,
    answer_instance,
    candidates,
    confirmed_by,
    hops,
    stated_hops,
    statements,
    twin_at,
    twin_of,
)
from tests.core import naive
from tests.core.test_real_questions import wiki


def unit(uid: str, title: str, body: str) -> Unit:
    return Unit(uid, title, f"{title}\n{body}")


FILM = unit("film", "Red Kiln", "Red Kiln was directed by Ada Lund.")
PERSON = unit("person", "Ada Lund", "Ada Lund was born in 1901.")
FEST = unit("fest", "Orra Days", "Ada Lund, born in 1901, opened the festival at Orra.")
DEATH = unit("death", "Ada Lund", "Ada Lund sold her mill in 1901.")
YEAR = unit("year", "Orra Mill", "When was the mill born? It was built in 1901.")
NOISE = [unit(f"n{k}", f"Kiln {k}", "A kiln is an oven. When was it born?") for k in range(4)]
UNITS = {u.uid: u for u in (FILM, PERSON, FEST, DEATH, YEAR, *NOISE)}
CHAIN = RequirementGraph((
    Requirement(1, "lookup", "Who directed Red Kiln?", expect="person"),
    Requirement(2, "lookup", "When was #1 born?", expect="date"),
))  # fmt: skip
STATED = {(1, "film"): "Ada Lund", (2, "person"): "1901", (2, "fest"): "1901"}


class Scripted:
    """Finds what ``STATED`` lists; counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def decompose(self, question: str) -> RequirementGraph | None:
        return CHAIN

    def link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        return [self._link(requirement, text, unit) for unit in units]

    def _link(self, requirement: Requirement, text: str, unit: Unit) -> Reading | None:
        self.asked.append(unit.uid)
        value = STATED.get((requirement.rid, unit.uid))
        if value is None:
            return None
        start = unit.text.index(value)
        span = start, start + len(value)
        return Reading(value, value.lower(), requirement.expect, *span, span, cue="script")

    def verify(self, requirement: Requirement, text: str, unit: Unit, reading: Reading) -> bool:
        return True

    def answer(self, question: str, units: Sequence[Unit]) -> str | None:
        return None


def corpus(*left_out: str) -> Bm25:
    return Bm25(u for u in UNITS.values() if u.uid not in left_out)


def certified(index: Bm25) -> Outcome:
    return certify("When was the director of Red Kiln born?", None, Scripted(), index, Policy())


def audit(index: Bm25, **limits: int) -> Audit:
    return Audit(index, confirmed_by(Scripted(), CHAIN), **limits)


def twin(made: Twin | NoTwin) -> Twin:
    assert isinstance(made, Twin), made
    return made


def refused(made: Twin | NoTwin) -> NoTwin:
    assert isinstance(made, NoTwin), made
    return made


def test_hops_name_each_looked_up_fact():
    """The filled-in requirement, the value and the page that was found to state it."""
    found = hops(certified(corpus()), UNITS)
    assert [(hop.text, hop.value, hop.subject) for hop in found] == [
        ("Who directed Red Kiln?", "Ada Lund", "Red Kiln"),
        ("When was Ada Lund born?", "1901", "Ada Lund"),
    ]


def test_audit_finds_the_restatement_and_clears_the_look_alike():
    """Value and subject meet in three pages: two state the fact and go, one does not and stays."""
    outcome = certified(corpus())
    born = hops(outcome, UNITS)[1]
    made = twin(twin_at(answer_instance(outcome), born, audit(corpus())))
    assert made.deleted == ("person", "fest")
    assert (made.cleared, made.audited, made.memory_checked) == (("death",), True, False)
    over_twin = certified(corpus().without(made.deleted))
    assert isinstance(over_twin.result, Abstention)
    assert [o.text for o in over_twin.result.open] == ["When was Ada Lund born?"]


def test_unaudited_twin_would_be_answerable():
    """Why the audit is needed: the fact is stated once more where no link was made."""
    outcome = certified(corpus())
    made = twin(twin_at(answer_instance(outcome), hops(outcome, UNITS)[1]))
    assert (made.deleted, made.audited) == (("person",), False)
    reader = Scripted()
    left = corpus().without(made.deleted)
    found = certify("?", CHAIN, reader, left, Policy(check="off"))
    assert not isinstance(found.result, Abstention)


def test_audit_asks_about_each_candidate_once():
    """Confirming may be a person's work: nothing is put to them twice over the rounds."""
    outcome = certified(corpus())
    reader = Scripted()
    confirm = confirmed_by(reader, CHAIN)
    twin_at(answer_instance(outcome), hops(outcome, UNITS)[1], Audit(corpus(), confirm))
    assert sorted(reader.asked) == ["death", "fest"]


def test_audit_reaches_what_moves_up_after_a_deletion():
    """Restatements hide below the search depth until those above are gone."""
    copies = [unit(f"c{k}", f"Ada Lund {k}", "Ada Lund was born in 1901.") for k in range(3)]
    index = Bm25([FILM, PERSON, *copies, *NOISE])
    outcome = certified(Bm25([FILM, PERSON]))
    born = hops(outcome, UNITS)[1]
    states = Audit(index, lambda hop, unit: unit.uid.startswith("c"), depth=1)
    made = twin(twin_at(answer_instance(outcome), born, states))
    assert sorted(made.deleted) == ["c0", "c1", "c2", "person"]
    few = refused(twin_at(answer_instance(outcome), born, replace(states, most=3)))
    assert few.reason == "too-many-statements"
    assert len(few.deleted) > 3


def test_candidates_hold_value_and_subject_together():
    """A page with only one of the two states nothing about both."""
    born = Hop("", "When was Ada Lund born?", "1901", "Ada Lund (director)")
    found = {u.uid for u in candidates(born, corpus(), depth=20)}
    assert found == {"person", "fest", "death"}


def test_candidates_come_from_both_searches():
    """Asking with the value finds what the requirement alone ranks too low."""
    asked = []

    class Asked(Bm25):
        def search(self, query: str, limit: int) -> Sequence[Unit]:
            asked.append((query, limit))
            return [FEST] if "1901" in query else [PERSON]

    born = Hop("", "When was Ada Lund born?", "1901", "Ada Lund")
    assert candidates(born, Asked([]), depth=3) == (PERSON, FEST)
    assert asked == [("When was Ada Lund born?", 3), ("When was Ada Lund born? 1901", 3)]


def test_confirmation_counts_other_precisions_of_the_value():
    """A full date in the year restates the year; another year does not."""
    known = hops(certified(corpus()), UNITS)[1]

    class Dated(Scripted):
        def __init__(self, value: str) -> None:
            self.value = value

        def _link(self, requirement: Requirement, text: str, unit: Unit) -> Reading | None:
            return Reading(self.value, self.value, "date", 0, 1, (0, 1), cue="script")

    assert confirmed_by(Dated("1901-05-02"), CHAIN)(known, FEST)
    assert not confirmed_by(Dated("1902"), CHAIN)(known, FEST)
    assert not confirmed_by(Dated("1901"), CHAIN)(Hop('["answer","1901"]'), FEST)


def routes() -> Instance:
    """The target by one long way, or by one that shares its first fact."""
    edges = (Edge("t", ("a", "b")), Edge("t", ("a", "c")), Edge("b", (), ("w", "x")))
    return Instance(("t",), facts={"u": ("a",), "v": ("c",), "w": (), "x": ("d",)}, edges=edges)


def test_surviving_answer_is_refused_with_its_sets():
    """Deleting all that states b leaves the way over c: not a twin, and the way is named."""
    made = refused(twin_at(routes(), Hop("b")))
    assert (made.reason, made.deleted) == ("answer-survives", ("w", "x"))
    assert made.survivors == (("u", "v"),)
    assert twin(twin_at(routes(), Hop("a"))).deleted == ("u",)


def test_fact_that_no_unit_states_gives_no_twin():
    """What is given or concluded cannot be deleted from a corpus."""
    assert refused(twin_at(routes(), Hop("t"))).reason == "nothing-states-it"


def test_given_target_survives_every_deletion():
    """The empty set suffices, and it counts as a survivor."""
    instance = Instance(("t",), ("t",), {"u": ("t",)})
    assert refused(twin_at(instance, Hop("t"))).survivors == ((),)


@naive.PROPERTY
@given(naive.instances())
def test_twin_hits_every_minimal_set(instance):
    """Made exactly where the deleted units meet each minimal set; else what is left is named."""
    found = certificate(Compiled.of(instance))
    for hop in stated_hops(found.derivation) if found else ():
        made = twin_at(instance, hop)
        gone = set(made.deleted)
        assert gone == {u for u, atoms in instance.facts.items() if hop.atom in atoms} | {
            w for e in instance.edges if e.head == hop.atom for w in e.witnesses or ()
        }
        missed = [s for s in naive.minimal_sets(instance, naive.UNITS) if not gone & set(s)]
        assert list(made.survivors if isinstance(made, NoTwin) else ()) == missed
        assert isinstance(made, Twin) == (not naive.sufficient(instance, set(naive.UNITS) - gone))


def test_drawn_hop_depends_on_seed_and_question_alone():
    """The same twin everywhere; other seeds and other questions spread over the hops."""
    every = (Hop("a"), Hop("b"))
    assert {twin_of(routes(), every, seed, "q").hop for seed in range(20)} == set(every)
    assert {twin_of(routes(), every, 7, f"q{n}").hop for n in range(20)} == set(every)
    assert "".join(draw("abcde", seed, "q") for seed in range(8)) == DRAWN


DRAWN = "cbcccaec"
"""Written down once: a change would silently redraw every twin."""


def test_abstention_has_no_twin():
    """There is no fact to take away, and no answer."""
    outcome = certified(corpus("film"))
    assert hops(outcome, UNITS) == ()
    with pytest.raises(ValueError, match="only a certified question"):
        answer_instance(outcome)
    with pytest.raises(IndexError):
        twin_of(routes(), (), 1, "q")


def test_statements_are_units_that_state_or_witness():
    """Sorted, and without those of other atoms."""
    assert statements(routes(), "b") == ("w", "x")
    assert statements(routes(), "c") == ("v",)


def test_real_twins_are_not_answered():
    """2WikiMultiHopQA, drawn hops of its first certified questions: with every statement and
    restatement gone, the same search abstains."""
    questions = wiki()
    index = questions.corpus
    units = {u.uid: u for u in index.units}
    made = 0
    for number, case in enumerate(questions.cases[:25]):
        outcome = ask(case, questions, (), Policy())
        every = hops(outcome, units)
        if outcome.graph is None or not every:
            continue
        by_reading = Audit(index, confirmed_by(READER, outcome.graph))
        found = twin(twin_of(answer_instance(outcome), every, 1, str(number), by_reading))
        assert isinstance(ask(case, questions, found.deleted, Policy()).result, Abstention)
        made += 1
    assert made > 15
