"""FEVER (fever.ai; annotations derive from Wikipedia): claims, and predictions for them.

A set is a list of ``[annotation, evidence, page, line]``, lines from 0; page and line are
null where there is not enough information. Pages keep their escapes (``-LRB-``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from certify_core.datasets.claims import GivenSet, read_label, usable
from certify_core.datasets.placed import from_claims
from certify_core.datasets.reading import Node, parse_records, read_records
from certify_core.datasets.records import ClaimLabel, ClaimRecord, PlacedRecord, Problem
from certify_core.errors import InvalidRecord
from certify_core.metrics.families import GivenLine, Line
from certify_core.metrics.fever import Case

DATASET = "fever"
REDACTED = "REDACTED"

LABELS: Mapping[str, ClaimLabel] = {
    "SUPPORTS": "supported",
    "REFUTES": "refuted",
    "NOT ENOUGH INFO": "not-enough-info",
}
ALIASES = {"SUPPORT": "SUPPORTS", "REFUTE": "REFUTES", "NOT_ENOUGH_INFO": "NOT ENOUGH INFO"}


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a system said about one claim; ``lines`` in its order, best first."""

    key: str
    label: str
    lines: tuple[Line, ...]


def parse(data: bytes) -> tuple[ClaimRecord, ...]:
    """The claims of a labelled file.

    The scorer's own test file blanks ids and texts. Such a claim is known by its place in
    the file alone, which its key and a problem say.

    Raises:
        InvalidRecord: another shape, an unknown label, an id used twice.
    """
    return parse_records(data, _claim)


def items(file: BinaryIO) -> Iterator[PlacedRecord]:
    """Each claim as the question whether it holds; its pages are in other files."""
    return from_claims(read_records(file, _claim))


def parse_predictions(data: bytes) -> tuple[Prediction, ...]:
    """The predictions of a file, in its order. The label stays as predicted."""
    return parse_records(data, _prediction)


def cases(claims: Sequence[ClaimRecord], predictions: Sequence[Prediction]) -> tuple[Case, ...]:
    """Claims with their predictions, joined by position as the scorer joins them.

    Raises:
        InvalidRecord: unequal lengths, or two keys in one place that differ (a redacted
            claim has no key to compare).
    """
    if len(claims) != len(predictions):
        raise InvalidRecord("file", f"{len(predictions)} predictions for {len(claims)} claims")
    for number, (claim, prediction) in enumerate(zip(claims, predictions, strict=True), start=1):
        if claim.text != REDACTED and claim.key != prediction.key:
            problem = f"the prediction is for {prediction.key!r}, the claim is {claim.key!r}"
            raise InvalidRecord(f"record {number}", problem)
    return tuple(
        Case(claim.given_label, claim.given, prediction.label, prediction.lines)
        for claim, prediction in zip(claims, predictions, strict=True)
    )


def _claim(record: Node) -> ClaimRecord:
    text = record.field("claim").filled()
    key, anonymous = _key(record, text)
    label, aliased = read_label(record.field("label"), LABELS, ALIASES)
    given = [(members, _members(members)) for members in record.field("evidence").items()]
    sets, unused = _sets(record, label, given)
    return ClaimRecord(
        dataset=DATASET,
        key=key,
        text=text,
        label=label,
        given_label=record.field("label").text(),
        given=tuple(members for _, members in given),
        sets=sets,
        problems=(*anonymous, *aliased, *unused, *_disagreement(record, label)),
    )


def _key(record: Node, text: str) -> tuple[str, list[Problem]]:
    number = record.field("id").number()
    if number or text != REDACTED:
        return str(number), []
    place = record.where.partition(" (")[0]
    return place, [record.problem("redacted", "id and text are blanked; known by place alone")]


def _members(members: Node) -> tuple[GivenLine, ...]:
    return tuple(_line(member) for member in members.items())


def _line(member: Node) -> GivenLine:
    parts = member.items()
    if len(parts) != 4:
        raise member.fail(f"expected 4 entries, got {len(parts)}")
    page, line = parts[2:]
    return (
        None if page.value is None else page.filled(),
        None if line.value is None else line.number(),
    )


def _sets(
    record: Node, label: ClaimLabel, given: Sequence[GivenSet]
) -> tuple[tuple[tuple[Line, ...], ...], list[Problem]]:
    """The usable sets. Without enough information only null places are expected, and unused."""
    if label != "not-enough-info":
        problems = [] if given else [record.field("evidence").problem("no-set", "no set is given")]
        sets, unused = usable(given)
        return sets, problems + unused
    named = [node for node, members in given if any(line != (None, None) for line in members)]
    message = "evidence for a claim without enough information; not used"
    return (), [node.problem("unexpected-evidence", message) for node in named]


def _disagreement(record: Node, label: ClaimLabel) -> list[Problem]:
    if not record.has("verifiable"):
        return []
    verifiable = record.field("verifiable")
    if (verifiable.text() == "VERIFIABLE") == (label != "not-enough-info"):
        return []
    return [verifiable.problem("label-disagrees", f"{verifiable.value!r} but labelled {label}")]


def _prediction(record: Node) -> Prediction:
    pairs = [item.pair() for item in record.field("predicted_evidence").items()]
    return Prediction(
        key=str(record.field("id").number()),
        label=record.field("predicted_label").filled(),
        lines=tuple((page.filled(), line.number()) for page, line in pairs),
    )
