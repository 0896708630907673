"""Decompose: the requirements of a question, as steps that a search can ask one by one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from adjudication.readers.prompts.common import Closed, content, fields, request, strict, words
from adjudication.readers.requests import Reply, Request
from certify_core.errors import InvalidGraph
from certify_core.folding import fold
from certify_core.model import Operation, Requirement, RequirementGraph, ValueKind

VERSION = "decompose/1"
MOST_STEPS = 16

_INSTRUCTIONS = """\
You break a question into requirements: the facts that have to be found in texts, and the steps \
that combine them. You do not answer it and you do not use what you know.

A requirement has
- rid: 1, 2, 3, … in order; the last one yields the answer;
- kind: "lookup" for one fact to be found, "reasoning" for a step over earlier values;
- template: for a lookup a short question about one entity and one relation. The entity is a name \
exactly as the question writes it, or #k, which stands for the value of requirement k. For a \
reasoning step a short question in words;
- op: null for a lookup, else the operation;
- args: [] for a lookup, else its arguments: #k, or words of the question;
- expect: "person", "place", "date", "number", "name", "nationality" or "any".

Operations: select-earlier and select-later (dates), select-greater and select-less (numbers or \
dates) take a label and a #k in turn and yield the label; same (are the values the same?), and, \
or, not yield yes or no; intersection and difference (two lists, or the span between two dates or \
numbers); count (of a list); copy (the value itself).

Never name an entity that the question does not name: what has to be found out first is a lookup \
of its own. If the question cannot be broken down so, or asks for an opinion, requirements is null.

Answer with JSON only: {"requirements": [requirement, …]} or {"requirements": null}."""

_KEYS = ("rid", "kind", "template", "op", "args", "expect")
_KINDS = ("lookup", "reasoning")
_STEP = strict(
    rid={"type": "integer"},
    kind={"type": "string", "enum": list(_KINDS)},
    template={"type": "string"},
    op={"type": ["string", "null"], "enum": [*get_args(Operation), None]},
    args={"type": "array", "items": {"type": "string"}},
    expect={"type": "string", "enum": list(get_args(ValueKind))},
)
_SCHEMA = strict(requirements={"anyOf": [{"type": "array", "items": _STEP}, {"type": "null"}]})
_TOKENS = 2048

_REFERENCE = re.compile(r"#\d+")
_WORD = re.compile(r"(?<![\w.'\u2019-])\w[\w.'\u2019-]*")


def _lookup(rid: int, template: str, expect: ValueKind) -> dict[str, Any]:
    return {"rid": rid, "kind": "lookup", "template": template, "op": None, "args": [],
            "expect": expect}  # fmt: skip


def _reasoning(rid: int, template: str, op: Operation, *args: str) -> dict[str, Any]:
    return {"rid": rid, "kind": "reasoning", "template": template, "op": op, "args": list(args),
            "expect": "any"}  # fmt: skip


_EXAMPLES: Sequence[tuple[str, Sequence[Mapping[str, Any]] | None]] = (
    (
        "Where was the director of the film Amber Quay born?",
        [
            _lookup(1, "Who is the director of the film Amber Quay?", "person"),
            _lookup(2, "Where was #1 born?", "place"),
        ],
    ),
    (
        "Which came out first, Amber Quay or The Tin Meadow?",
        [
            _lookup(1, "When did Amber Quay come out?", "date"),
            _lookup(2, "When did The Tin Meadow come out?", "date"),
            _reasoning(3, "Which came out first?", "select-earlier",
                       "Amber Quay", "#1", "The Tin Meadow", "#2"),
        ],
    ),
    (
        "Are Ilse Marron and the wife of Peder Quist from the same country?",
        [
            _lookup(1, "Which country is Ilse Marron from?", "nationality"),
            _lookup(2, "Who is the wife of Peder Quist?", "person"),
            _lookup(3, "Which country is #2 from?", "nationality"),
            _reasoning(4, "Are the countries the same?", "same", "#1", "#3"),
        ],
    ),
    ("Why do people like the films of Ilse Marron?", None),
)  # fmt: skip


def ask(model: str, sample: int, question: str) -> Request:
    """The request for the requirements of ``question``."""
    examples = [({"question": asked}, {"requirements": steps}) for asked, steps in _EXAMPLES]
    asked = {"question": question}
    return request(
        "decompose", VERSION, _INSTRUCTIONS, asked, _SCHEMA, _TOKENS, model, sample, examples
    )


def read(reply: Reply, question: str) -> RequirementGraph | None:
    """The requirements; ``None`` where the model has no plan.

    Raises:
        Closed: the reply is not as asked, the steps make no graph, or they bring in what the
            question does not say: a fact that the model knows would be certified unread.
    """
    steps = content(reply, "requirements")["requirements"]
    if steps is None:
        return None
    if not isinstance(steps, list):
        raise Closed("wrong schema")
    if len(steps) > MOST_STEPS:
        raise Closed(f"more than {MOST_STEPS} steps")
    try:
        graph = RequirementGraph(tuple(_requirement(step) for step in steps))
    except InvalidGraph as error:
        raise Closed(f"no graph: {error}") from None
    for requirement in graph.requirements:
        _check_own_words(requirement, question)
    return graph


def _requirement(step: object) -> Requirement:
    found = fields(step, *_KEYS)
    rid, kind, op, expect = (found[key] for key in ("rid", "kind", "op", "expect"))
    args = found["args"]
    known = type(rid) is int and kind in _KINDS and expect in get_args(ValueKind)
    if not known or not (op is None or op in get_args(Operation)) or not isinstance(args, list):
        raise Closed("wrong schema")
    if len(args) > 2 * MOST_STEPS or (kind == "lookup" and args):
        raise Closed("wrong schema")
    template = words(found["template"])
    return Requirement(rid, kind, template, op, tuple(map(words, args)), expect)


def _check_own_words(requirement: Requirement, question: str) -> None:
    """Refuse names and figures that are not the question's.

    In a template these are words with a capital and figures. Its first word may be any,
    since it begins a sentence.
    """
    if requirement.kind == "reasoning":
        own = [arg for arg in requirement.args if not _REFERENCE.fullmatch(arg)]
        if len(own) == len(requirement.args):
            raise Closed(f"no graph: step {requirement.rid} rests on nothing that is looked up")
    else:
        mentioned = _WORD.findall(_REFERENCE.sub(" ", requirement.template), 1)
        own = [word for word in mentioned if word[0].isupper() or word[0].isdigit()]
    asked = f" {fold(question)} "
    for part in own:
        if f" {fold(part)} " not in asked:
            raise Closed(f"step {requirement.rid} names “{part}”, which the question does not")
