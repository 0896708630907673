"""The six questions of a judgement, their answers, and the reasons for refusing.

This table is the one place that knows which answers accept and which refuse; the rule of
decision, the desk, the commands and the adjudication desk all read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from django.db.models import TextChoices

from adjudication.review.models import (
    Admissibility,
    Alternatives,
    Boundary,
    ContradictionAnswer,
    Entailment,
    Minimality,
)


class Stance(Enum):
    """What an answer says about the set. An unsure answer never agrees with anything."""

    ACCEPTS = "accepts"
    REFUSES = "refuses"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Option:
    """One answer; ``digit`` is the key that gives it."""

    key: str
    label: str
    stance: Stance
    digit: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One reason of a closed list."""

    key: str
    label: str


OTHER = Choice("other", "another reason")


@dataclass(frozen=True, slots=True)
class Dimension:
    key: str
    label: str
    question: str
    options: tuple[Option, ...]
    choices: tuple[Choice, ...]

    def stance(self, answer: str) -> Stance:
        """Raises KeyError for an answer this question does not have."""
        return {option.key: option.stance for option in self.options}[answer]

    @property
    def accepting(self) -> str:
        """The first answer that accepts."""
        return next(o.key for o in self.options if o.stance is Stance.ACCEPTS)


def _dimension(
    key: str,
    question: str,
    answers: type[TextChoices],
    *,
    refuses: str,
    unsure: str = "",
    choices: Sequence[tuple[str, str]],
) -> Dimension:
    def stance(answer: str) -> Stance:
        if answer == refuses:
            return Stance.REFUSES
        return Stance.UNSURE if answer == unsure else Stance.ACCEPTS

    return Dimension(
        key=key,
        label=key.capitalize(),
        question=question,
        options=tuple(
            Option(value, str(label), stance(value), digit)
            for digit, (value, label) in enumerate(answers.choices, start=1)
        ),
        choices=(*(Choice(*pair) for pair in choices), OTHER),
    )


ENTAILMENT = _dimension(
    "entailment",
    "Do members and rules justify the precise claim?",
    Entailment,
    refuses=Entailment.DOES_NOT,
    unsure=Entailment.UNSURE,
    choices=[
        ("missing-step", "a step is missing"),
        ("other-entity", "about another entity"),
        ("qualifier", "a qualifier or the time is not covered"),
        ("rule", "needs a rule that is not permitted"),
        ("says-otherwise", "the members say otherwise"),
    ],
)
MINIMALITY = _dimension(
    "minimality",
    "Is each member indispensable within this set?",
    Minimality,
    refuses=Minimality.NOT_MINIMAL,
    unsure=Minimality.UNSURE,
    choices=[
        ("repeats", "a member repeats another"),
        ("beside", "a member is beside the point"),
        ("too-long", "a member says more than is needed"),
    ],
)
ADMISSIBILITY = _dimension(
    "admissibility",
    "Are version, times and policy satisfied?",
    Admissibility,
    refuses=Admissibility.NOT_ADMISSIBLE,
    unsure=Admissibility.UNSURE,
    choices=[
        ("version", "wrong or later version"),
        ("time", "does not apply at the time of the claim"),
        ("policy", "source not allowed by the policy"),
        ("withdrawn", "version no longer to be used"),
    ],
)
ALTERNATIVES = _dimension(
    "alternatives",
    "Does it suffice without another set beside it?",
    Alternatives,
    refuses=Alternatives.LEANS,
    choices=[
        ("fact-elsewhere", "takes a fact from another set"),
        ("name-elsewhere", "takes an identity from another set"),
    ],
)
CONTRADICTION = _dimension(
    "contradiction",
    "Is there one? Is it material, or resolved on record?",
    ContradictionAnswer,
    refuses=ContradictionAnswer.MATERIAL,
    choices=[
        ("within", "members contradict each other"),
        ("source", "the same source says otherwise elsewhere"),
        ("recorded", "a recorded contradiction is open"),
    ],
)
BOUNDARY = _dimension(
    "boundary",
    "Does the answer add a claim nobody reviewed?",
    Boundary,
    refuses=Boundary.ADDS,
    choices=[
        ("more-facts", "states a further fact"),
        ("stronger", "states it more strongly"),
        ("wider", "states it for more cases or times"),
    ],
)

DIMENSIONS = (ENTAILMENT, MINIMALITY, ADMISSIBILITY, ALTERNATIVES, CONTRADICTION, BOUNDARY)
BY_KEY = {dimension.key: dimension for dimension in DIMENSIONS}
