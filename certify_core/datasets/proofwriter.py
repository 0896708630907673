"""ProofWriter (Allen AI, open-world theories) in the layout of Logic-LM.

Every sentence is a unit. A statement is a fact the unit states; a rule witnesses one edge
per entity it can be about. ``not`` is part of the literal, since in an open world what is
not stated is unknown: a statement is true if it follows and false if its opposite does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO
from typing import Literal as OneOf

from certify_core.datasets.closures import questions
from certify_core.datasets.reading import Node, parse_records, read_records
from certify_core.datasets.records import ClosureRecord, QuestionRecord
from certify_core.model import Atom, Edge, Instance, Unit

DATASET = "proofwriter"

Label = OneOf["true", "false", "unknown"]

_MEANINGS: Mapping[str, Label] = {"True": "true", "False": "false", "Unknown": "unknown"}
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_OPTION = re.compile(r"([A-Z])\) (True|False|Unknown)")
_RULE = re.compile(r"If (.+) then (.+)")
_KINDS = re.compile(r"(?:All )?(\w+(?:, \w+)*) (?:things|people) are (not )?(\w+)")
# Only this thing has a name of two words; any two would also read "the cat never".
_THING = r"bald eagle|[a-z]+"
_CLAUSE = re.compile(
    rf"(?:[Tt]he (?P<thing>{_THING})|(?P<name>[A-Z][a-z]+|something|someone|it|they)) "
    r"(?:(?:is|are) (?P<isnot>not )?(?P<quality>[a-z]+)"
    rf"|(?P<doesnot>(?:does|do) not )?(?P<verb>[a-z]+) the (?P<object>{_THING}))"
)
_ELIDED = re.compile(r"(not )?([a-z]+)")
_ANYTHING = ("something", "someone")
_PRONOUNS = ("it", "they")
_VARIABLE = "?"


@dataclass(frozen=True, slots=True)
class Literal:
    """``subject`` has or has not a property; ``named`` are the entities it mentions."""

    subject: str
    predicate: str
    holds: bool
    named: tuple[str, ...]

    def of(self, entity: str) -> Atom:
        """The atom, with ``entity`` in place of the rule's variable."""
        subject = entity if self.subject == _VARIABLE else self.subject
        return f"{subject} {self.predicate}" if self.holds else f"not: {subject} {self.predicate}"


@dataclass(frozen=True, slots=True)
class Rule:
    """``body`` implies ``head``. A rule without a body is a statement."""

    body: tuple[Literal, ...]
    head: Literal

    @property
    def literals(self) -> tuple[Literal, ...]:
        return (*self.body, self.head)

    @property
    def general(self) -> bool:
        return any(literal.subject == _VARIABLE for literal in self.literals)


def parse(data: bytes) -> tuple[ClosureRecord, ...]:
    """The questions of a file.

    Raises:
        InvalidRecord: another shape, or a sentence that is none of the known forms.
    """
    return parse_records(data, _question)


def items(file: BinaryIO) -> Iterator[QuestionRecord]:
    """Each question with its sentences as passages."""
    return questions(read_records(file, _question))


def _question(record: Node) -> ClosureRecord:
    context = record.field("context")
    sentences = _SENTENCE_END.split(context.filled().strip())
    rules = [_rule(context, sentence) for sentence in sentences]
    text = record.field("question").filled()
    statement = _statement(record.field("question"), text.rpartition("? ")[2])
    asked = [literal for rule in (*rules, statement) for literal in rule.literals]
    entities = sorted({name for literal in asked for name in literal.named})
    units = tuple(_unit(n, sentence) for n, sentence in enumerate(sentences, start=1))
    instance = _instance(units, rules, entities, statement.head)
    opposite = replace(statement.head, holds=not statement.head.holds)
    return ClosureRecord(
        dataset=DATASET,
        key=record.field("id").filled(),
        text=text,
        label=_label(record),
        instance=instance,
        units=units,
        denial=replace(instance, targets=(opposite.of(""),)),
    )


def _label(record: Node) -> Label:
    """What the answer's letter stands for among the options."""
    options = {}
    for option in record.field("options").items():
        found = _OPTION.fullmatch(option.text())
        if not found:
            raise option.fail(f"{option.value!r} is not a letter with True, False or Unknown")
        options[found[1]] = found[2]
    answer = record.field("answer")
    meaning = options.get(answer.text())
    if meaning is None:
        raise answer.fail(f"{answer.value!r} is none of the options")
    return _MEANINGS[meaning]


def _unit(number: int, sentence: str) -> Unit:
    title = f"Sentence {number}"
    return Unit(f"s{number:02d}", title, f"{title}\n{sentence}")


def _instance(
    units: Sequence[Unit], rules: Sequence[Rule], entities: Sequence[str], target: Literal
) -> Instance:
    """One edge per rule and entity; a rule without a variable gives one edge."""
    facts = {
        unit.uid: () if rule.body else (rule.head.of(""),)
        for unit, rule in zip(units, rules, strict=True)
    }
    edges = [
        Edge(
            head=rule.head.of(entity),
            tail=tuple(literal.of(entity) for literal in rule.body),
            witnesses=(unit.uid,),
            eid=f"{unit.uid}:{entity}" if entity else unit.uid,
        )
        for unit, rule in zip(units, rules, strict=True)
        if rule.body
        for entity in (entities if rule.general else [""])
    ]
    return Instance(targets=(target.of(""),), facts=facts, edges=tuple(edges))


def _rule(node: Node, sentence: str) -> Rule:
    words = sentence.removesuffix(".")
    if found := _RULE.fullmatch(words):
        return _conditional(node, found[1], found[2])
    if found := _KINDS.fullmatch(words):
        body = [_quality(_VARIABLE, word, True) for word in found[1].split(", ")]
        return Rule(tuple(body), _quality(_VARIABLE, found[3], not found[2]))
    return _statement(node, sentence)


def _conditional(node: Node, condition: str, consequence: str) -> Rule:
    body: list[Literal] = []
    for part in condition.split(" and "):
        body.append(_clause(node, part, body))
    return Rule(tuple(body), _clause(node, consequence, body))


def _statement(node: Node, sentence: str) -> Rule:
    literal = _clause(node, sentence.removesuffix("."), ())
    if literal.subject == _VARIABLE:
        raise node.fail(f"{sentence!r} states something of nobody in particular")
    return Rule((), literal)


def _clause(node: Node, text: str, before: Sequence[Literal]) -> Literal:
    """One literal; ``before`` are the literals of the same rule so far.

    "it" needs a "something" before it. "cold" alone continues "something is quiet and".
    """
    if found := _CLAUSE.fullmatch(text):
        return _literal(node, text, found, _general(before))
    elided = _ELIDED.fullmatch(text)
    if elided and before and before[-1].predicate.startswith("is "):
        return _quality(before[-1].subject, elided[2], not elided[1])
    raise node.fail(f"{text!r} is none of the known forms")


def _literal(node: Node, text: str, found: re.Match[str], general: bool) -> Literal:
    subject = (found["thing"] or found["name"]).lower()
    if subject in _PRONOUNS and not general:
        raise node.fail(f"{text!r}: {subject!r} refers to nothing")
    if subject in _ANYTHING or subject in _PRONOUNS:
        subject = _VARIABLE
    if found["quality"]:
        return _quality(subject, found["quality"], not found["isnot"])
    plural = found["doesnot"] or found["name"] == "they"
    verb = found["verb"] if plural else found["verb"].removesuffix("s")
    predicate = f"{verb} {found['object']}"
    return Literal(subject, predicate, not found["doesnot"], _names(subject, found["object"]))


def _quality(subject: str, quality: str, holds: bool) -> Literal:
    return Literal(subject, f"is {quality.lower()}", holds, _names(subject))


def _names(*entities: str) -> tuple[str, ...]:
    return tuple(entity for entity in entities if entity != _VARIABLE)


def _general(before: Iterable[Literal]) -> bool:
    return any(literal.subject == _VARIABLE for literal in before)
