"""What may be sealed: complete, with reasons, and not against itself."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from adjudication.review.answers import (
    WORDS,
    Answers,
    MemberAnswer,
    Reason,
    all_accepting,
    basis,
    completed,
    faults,
    from_json,
    to_json,
)
from adjudication.review.dimensions import (
    ADMISSIBILITY,
    BOUNDARY,
    DIMENSIONS,
    ENTAILMENT,
    MINIMALITY,
    Stance,
)

MEMBERS = [UUID(int=1), UUID(int=2)]


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.key)
def test_missing_or_unknown_answer_is_named(dimension) -> None:
    """Every dimension is answered, with one of its own answers."""
    missing = Answers(given={k: v for k, v in all_accepting().given.items() if k != dimension.key})
    assert list(faults(missing, MEMBERS)) == [dimension.key]
    unknown = all_accepting().with_answer(dimension, "perhaps")
    assert list(faults(unknown, MEMBERS)) == [dimension.key]


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda d: d.key)
def test_refusing_asks_for_a_reason_of_the_list(dimension) -> None:
    """A refusal without a reason, or with one of another dimension, is not sealed."""
    refusing = next(o.key for o in dimension.options if o.stance is Stance.REFUSES)
    refused = all_accepting().with_answer(dimension, refusing)
    assert dimension.key in faults(refused, MEMBERS)
    foreign = replace(refused, reasons={dimension.key: Reason("no-such-reason")})
    assert dimension.key in faults(foreign, MEMBERS)


def test_another_reason_needs_words() -> None:
    """ "Another reason" alone says nothing."""
    adds = all_accepting().with_answer(BOUNDARY, "adds")
    assert faults(replace(adds, reasons={"boundary": Reason("other", " ")}), MEMBERS)
    assert not faults(replace(adds, reasons={"boundary": Reason("other", "‘in 2013’")}), MEMBERS)


def test_words_over_the_limit_are_named_and_not_dropped() -> None:
    """What was typed is kept until its author shortens it."""
    long = Reason("other", "x" * (WORDS + 1))
    answers = replace(
        all_accepting().with_answer(ENTAILMENT, "does-not"), reasons={"entailment": long}
    )
    assert "2001 characters" in faults(answers, MEMBERS)["entailment"]
    assert from_json(to_json(answers)).reasons["entailment"] == long


def test_minimal_with_a_member_not_needed_contradicts_itself() -> None:
    """The answer on the set and the answers on its members must agree, both ways."""
    spare = all_accepting().with_member(MEMBERS[1], MemberAnswer("not-needed"))
    assert faults(spare, MEMBERS) == {
        "minimality": "You marked member 2 as not needed, so the set is not minimal."
    }
    reasons = {"minimality": Reason("repeats")}
    unnamed = replace(all_accepting().with_answer(MINIMALITY, "not-minimal"), reasons=reasons)
    assert faults(unnamed, MEMBERS) == {"minimality": "Mark the member that is not needed."}
    named = unnamed.with_member(MEMBERS[1], MemberAnswer("not-needed"))
    assert not faults(named, MEMBERS)


def test_admissible_with_a_barred_member_contradicts_itself() -> None:
    """As for minimality: which member is not admissible is part of the answer."""
    barred = all_accepting().with_member(MEMBERS[0], MemberAnswer(admissible=False))
    assert list(faults(barred, MEMBERS)) == ["admissibility"]
    reasons = {"admissibility": Reason("version")}
    refused = replace(barred.with_answer(ADMISSIBILITY, "not-admissible"), reasons=reasons)
    assert not faults(refused, MEMBERS)


def test_calling_a_set_minimal_asserts_each_member() -> None:
    """What was not said about a member follows from minimal, and from nothing else."""
    minimal = completed(all_accepting(), MEMBERS)
    assert [m.needed for m in minimal.members.values()] == ["needed", "needed"]
    unsure = completed(all_accepting().with_answer(MINIMALITY, "unsure"), MEMBERS)
    assert [m.needed for m in unsure.members.values()] == ["unsure", "unsure"]


def test_reasons_of_answers_that_do_not_refuse_are_left_out() -> None:
    """A reason typed before changing one's mind is no part of the judgement."""
    typed = replace(all_accepting(), reasons={"entailment": Reason("other", "no")})
    assert completed(typed, MEMBERS).reasons == {}


def test_minimality_is_measured_only_if_every_member_was_removed() -> None:
    """One removal tried proves nothing about the other members."""
    one = completed(
        all_accepting().with_member(MEMBERS[0], MemberAnswer("needed", measured=True)), MEMBERS
    )
    assert basis(one) == "asserted"
    both = one.with_member(MEMBERS[1], MemberAnswer("needed", measured=True))
    assert basis(both) == "measured"


def test_answers_survive_their_json() -> None:
    """A draft comes back as it was saved."""
    answers = replace(
        all_accepting().with_member(MEMBERS[0], MemberAnswer("unsure", True, False)),
        reasons={ENTAILMENT.key: Reason("rule", "Ünïcode 🧪")},
    )
    assert from_json(to_json(answers)) == answers
    assert from_json({}) == Answers()
