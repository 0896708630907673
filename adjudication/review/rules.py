"""The rule that decides an evidence set from its independent judgements. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from adjudication.review.answers import Answers
from adjudication.review.dimensions import DIMENSIONS, Stance


class Outcome(Enum):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DISPUTED = "disputed"


def decide(judgements: Sequence[Answers], required: int) -> Outcome:
    """What ``judgements``, one per reviewer of a round, decide where ``required`` are asked.

    Accepted only if every answer of every reviewer accepts; rejected if all refuse on one
    same dimension; any other difference or doubt is a dispute.

    Raises:
        ValueError: more judgements than reviewers asked: the surplus was not left out.
    """
    if len(judgements) > required:
        raise ValueError("surplus judgements never decide")
    if len(judgements) < required:
        return Outcome.WAITING
    stances = [{answers.stance(d) for answers in judgements} for d in DIMENSIONS]
    if all(stance == {Stance.ACCEPTS} for stance in stances):
        return Outcome.ACCEPTED
    if any(stance == {Stance.REFUSES} for stance in stances):
        return Outcome.REJECTED
    return Outcome.DISPUTED
