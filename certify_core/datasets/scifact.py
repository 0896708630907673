"""SciFact (allenai/scifact, claims and annotations CC BY 4.0).

Sets lie within one abstract each, as sentence numbers from 0; no set spans two abstracts.
A claim without evidence has no label of its own. ``REFUTE`` occurs where the format says
``CONTRADICT``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from certify_core.datasets.claims import GivenSet, read_label, usable
from certify_core.datasets.placed import from_claims
from certify_core.datasets.reading import Node, parse_records, read_records
from certify_core.datasets.records import ClaimLabel, ClaimRecord, PlacedRecord, Problem

DATASET = "scifact"

LABELS: Mapping[str, ClaimLabel] = {"SUPPORT": "supported", "CONTRADICT": "refuted"}
ALIASES = {"SUPPORTS": "SUPPORT", "REFUTE": "CONTRADICT", "REFUTES": "CONTRADICT"}


def parse(data: bytes) -> tuple[ClaimRecord, ...]:
    """The claims of a labelled file.

    Raises:
        InvalidRecord: another shape, an unknown label, an id used twice.
    """
    return parse_records(data, _claim)


def items(file: BinaryIO) -> Iterator[PlacedRecord]:
    """Each claim as the question whether it holds; its abstracts are in another file."""
    return from_claims(read_records(file, _claim))


def _claim(record: Node) -> ClaimRecord:
    evidence = record.field("evidence")
    rationales = [
        (document, rationale)
        for document, listed in evidence.members().items()
        for rationale in listed.items()
    ]
    label, given_label, problems = _label(evidence, [rationale for _, rationale in rationales])
    given = [_set(document, rationale) for document, rationale in rationales]
    sets, unused = usable(given)
    return ClaimRecord(
        dataset=DATASET,
        key=str(record.field("id").number()),
        text=record.field("claim").filled(),
        label=label,
        given_label=given_label,
        given=tuple(members for _, members in given),
        sets=() if label == "conflicting" else sets,
        problems=(*problems, *unused),
    )


def _set(document: str, rationale: Node) -> GivenSet:
    sentences = rationale.field("sentences")
    return sentences, tuple((document, sentence.number()) for sentence in sentences.items())


def _label(evidence: Node, rationales: list[Node]) -> tuple[ClaimLabel, str, list[Problem]]:
    """One label of all rationales, as given too; rationales that disagree justify neither."""
    problems: list[Problem] = []
    labels: dict[ClaimLabel, str] = {}
    for rationale in rationales:
        node = rationale.field("label")
        label, aliased = read_label(node, LABELS, ALIASES)
        labels.setdefault(label, node.text())
        problems.extend(aliased)
    if not labels:
        return "not-enough-info", "", problems
    if len(labels) > 1:
        message = "some rationales support the claim and others contradict it; no set is used"
        problems.append(evidence.problem("labels-disagree", message))
        return "conflicting", " ".join(sorted(labels.values())), problems
    ((label, given),) = labels.items()
    return label, given, problems
