"""ProofWriter's sentences: every form read right, every other refused."""

from __future__ import annotations

from typing import Any

import pytest

from certify_core.closure import Compiled
from certify_core.datasets import proofwriter
from certify_core.datasets.records import ClosureRecord
from certify_core.errors import InvalidRecord
from tests.core.datasets.samples import as_array

RECORD: dict[str, Any] = {
    "id": "q1",
    "context": "Anne is cold. Cold people are not red.",
    "question": "Is the following statement true, false, or unknown? Anne is red.",
    "options": ["A) True", "B) False", "C) Unknown"],
    "answer": "B",
}


def only(context: str, statement: str = "Anne is red.") -> ClosureRecord:
    record = {**RECORD, "context": context, "question": f"True or not? {statement}"}
    (found,) = proofwriter.parse(as_array(record))
    return found


def follows(context: str, statement: str) -> bool:
    return Compiled.of(only(context, statement).instance).closure().sufficient


def test_every_sentence_is_a_unit():
    """In its order, with its text as given."""
    found = only(RECORD["context"])
    assert [unit.text for unit in found.units] == [
        "Sentence 1\nAnne is cold.",
        "Sentence 2\nCold people are not red.",
    ]
    assert found.instance.facts == {"s01": ("anne is cold",), "s02": ()}


def test_denial_asks_for_the_opposite():
    """False is what is refuted, not what fails to follow."""
    (found,) = proofwriter.parse(as_array(RECORD))
    assert found.label == "false"
    assert found.instance.targets == ("anne is red",)
    assert found.denial is not None
    assert found.denial.targets == ("not: anne is red",)
    assert Compiled.of(found.denial).closure().sufficient


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        ("Anne is cold.", "Anne is cold."),
        ("The bald eagle is not red.", "The bald eagle is not red."),
        ("The bald eagle chases the cow.", "The bald eagle chases the cow."),
        ("The cat does not chase the cow.", "The cat does not chase the cow."),
        ("Anne is cold. Cold people are red.", "Anne is red."),
        ("Anne is cold. Anne is big. All big, cold things are red.", "Anne is red."),
        ("Anne is cold. Anne is not big. If someone is cold and not big then they are red.",
         "Anne is red."),
        ("Anne is cold. Anne is big. If something is cold and big then it is not red.",
         "Anne is not red."),
        ("Anne is cold. If Anne is cold then Bob is red.", "Bob is red."),
        ("The cat sees the dog. If someone sees the dog then they need the cat.",
         "The cat needs the cat."),
        ("The cat sees the dog. If something sees the dog then the dog is red.",
         "The dog is red."),
        ("The cat sees the dog. The cat is red. "
         "If someone sees the dog and they are red then they do not eat the cow.",
         "The cat does not eat the cow."),
        ("The cow is red. Red things are cold. If the cow is cold then the bald eagle is young.",
         "The bald eagle is young."),
    ],
)  # fmt: skip
def test_known_forms_are_read(context, statement):
    """Each conclusion follows only if every sentence before it was understood."""
    assert follows(context, statement)


@pytest.mark.parametrize(
    ("context", "statement"),
    [
        ("Anne is cold. Cold, big people are red.", "Anne is red."),
        ("Anne is cold. If someone is cold and not big then they are red.", "Anne is red."),
        ("Anne is red. Cold people are red.", "Anne is cold."),
        ("The cat sees the dog. If someone sees the cat then they are red.", "The cat is red."),
        ("Anne is not cold.", "Anne is cold."),
    ],
)
def test_what_is_not_stated_is_not_assumed(context, statement):
    """Open world: no conclusion from absence, nor against a rule's direction."""
    assert not follows(context, statement)


@pytest.mark.parametrize(
    "sentence",
    [
        "Anne may be cold.",
        "It is cold.",
        "Someone is cold.",
        "If Anne is cold then it is red.",
        "If Anne sees the dog and cold then Anne is red.",
        "Anne is cold or Anne is red.",
        "The cat never is cold.",
        "The cat is very cold.",
        "anne is cold.",
        "If someone is cold then they see it.",
    ],
)
def test_other_sentences_are_refused(sentence):
    """A guess here would be a wrong theory."""
    with pytest.raises(InvalidRecord, match=r"record 1 \(q1\): context"):
        only(sentence)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"answer": "D"}, "answer: 'D' is none of the options"),
        ({"options": ["A) Yes"]}, r"options\[0\]: 'A\) Yes' is not a letter"),
        ({"context": ""}, "context: is empty"),
        ({"question": "Is it so?"}, "question: 'Is it so"),
    ],
)
def test_other_shapes_are_refused_at_their_place(change, fault):
    """The record and the field of the fault."""
    with pytest.raises(InvalidRecord, match=rf"record 1 \(q1\): {fault}"):
        proofwriter.parse(as_array({**RECORD, **change}))
