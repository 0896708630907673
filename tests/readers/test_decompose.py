"""Requirements from a model: a graph over what the question says, or no plan."""

from __future__ import annotations

import pytest

from adjudication.readers.prompts import decompose
from adjudication.readers.prompts.common import Closed
from certify_core.pattern_reader import PatternReader
from tests.readers.saying import said

QUESTION = "When was the director of Red Kiln born?"


def lookup(rid: int, template: str, **other: object) -> dict[str, object]:
    return {"rid": rid, "kind": "lookup", "template": template, "op": None, "args": [],
            "expect": "any"} | other  # fmt: skip


def step(rid: int, op: object, *args: object) -> dict[str, object]:
    return {"rid": rid, "kind": "reasoning", "template": "Step", "op": op, "args": list(args),
            "expect": "any"}  # fmt: skip


DIRECTOR = lookup(1, "Who is the director of Red Kiln?", expect="person")


def read(*steps: object, question: str = QUESTION):
    return decompose.read(said({"requirements": list(steps)}), question)


def test_steps_become_a_graph() -> None:
    """Protects the one way in which a model's plan reaches the search."""
    graph = read(DIRECTOR, lookup(2, "When was #1 born?", expect="date"))
    assert [r.template for r in graph.requirements] == [DIRECTOR["template"], "When was #1 born?"]
    assert (graph.requirements[1].deps, graph.final.expect) == ((1,), "date")


def test_no_plan_is_a_plain_answer() -> None:
    """Protects "no plan" from being counted as a fault of the model."""
    assert decompose.read(said({"requirements": None}), QUESTION) is None


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([], "the graph has no requirement"),
        ([DIRECTOR | {"rid": 2}], "expected number 1"),
        ([lookup(1, "When was #1 born?")], "#1 is not an earlier step"),
        ([DIRECTOR, lookup(2, "When was #3 born?")], "#3 is not an earlier step"),
        ([DIRECTOR | {"op": "copy"}], "exactly the reasoning steps"),
        ([DIRECTOR, step(2, None, "#1")], "exactly the reasoning steps"),
        ([DIRECTOR, step(2, "guess", "#1")], "wrong schema"),
        ([DIRECTOR | {"kind": "search"}], "wrong schema"),
        ([DIRECTOR | {"expect": "colour"}], "wrong schema"),
        ([DIRECTOR | {"rid": True}], "wrong schema"),
        ([DIRECTOR | {"args": ["#1"]}], "wrong schema"),
        ([DIRECTOR | {"args": None}], "wrong schema"),
        ([DIRECTOR | {"why": "because"}], "wrong schema"),
        ([DIRECTOR, step(2, "copy", 1)], "wrong schema"),
        ([DIRECTOR | {"template": " "}], "an empty value"),
        ([DIRECTOR | {"template": "Who\0?"}], "control characters"),
        ([DIRECTOR | {"op": ["copy"]}], "wrong schema"),
        ([DIRECTOR | {"expect": {}}], "wrong schema"),
        ([{**DIRECTOR, "rid": n} for n in range(1, 18)], "more than 16 steps"),
        (["Who is it?"], "wrong schema"),
    ],
)
def test_steps_that_are_no_graph_are_no_plan(steps, why) -> None:
    """Protects the search from plans that refer to nothing, to themselves or in a circle."""
    with pytest.raises(Closed, match=why):
        read(*steps)


@pytest.mark.parametrize("content", [{"requirements": "none"}, {"plan": None}, [], "no plan"])
def test_reply_of_another_shape_is_no_plan(content) -> None:
    """Protects questions from a plan pieced together from prose."""
    with pytest.raises(Closed, match=r"wrong schema|not JSON"):
        decompose.read(said(content), QUESTION)


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([lookup(1, "When was Ada Lund born?")], "names “Ada”"),
        ([DIRECTOR, lookup(2, "What did #1 do in 1931?")], "names “1931”"),
        ([step(1, "copy", "12 May 1901")], "rests on nothing"),
        ([step(1, "select-earlier", "Red Kiln", "1901", "born", "1902")], "rests on nothing"),
        ([DIRECTOR, step(2, "same", "#1", "Ada Lund")], "names “Ada Lund”"),
        ([DIRECTOR, step(2, "copy", "the mother of #1")], "rests on nothing"),
    ],
)
def test_what_only_the_model_knows_is_not_certified(steps, why) -> None:
    """Protects certificates from hops that were answered by heart and never looked up."""
    with pytest.raises(Closed, match=why):
        read(*steps)


@pytest.mark.parametrize(
    "question",
    [
        "When was the director of film Red Kiln born?",
        "Which film came out first, Red Kiln or The Tin Meadow?",
        "Who lived longer, Ada Lund or Bo Aske?",
        "Are Ada Lund and Bo Aske of the same nationality?",
        "Who is the paternal grandfather of Ada Lund's King?",
        "Which film has the director born first, Red Kiln (1931 film) or St. Orra's 2nd Day?",
    ],
)
def test_plans_in_the_questions_own_words_pass(question: str) -> None:
    """Protects sound plans from the rule above: those of the pattern reader all pass it."""
    graph = PatternReader().decompose(question)
    assert graph is not None
    steps = [
        {"rid": r.rid, "kind": r.kind, "template": r.template, "op": r.op, "args": list(r.args),
         "expect": r.expect}
        for r in graph.requirements
    ]  # fmt: skip
    assert read(*steps, question=question) == graph


def test_examples_follow_their_own_rules() -> None:
    """Protects the model from being shown plans that would be refused."""
    messages = decompose.ask("small", 0, QUESTION).messages[1:-1]
    plans = [
        decompose.read(said(answered.content), asked.content)
        for asked, answered in zip(messages[::2], messages[1::2], strict=True)
    ]
    assert [plan and len(plan.requirements) for plan in plans] == [2, 3, 4, None]
