"""What the pages of review show, as plain values for their templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from adjudication.review.answers import Answers, MemberAnswer, Reason, answers_of, faults
from adjudication.review.dimensions import (
    ADMISSIBILITY,
    DIMENSIONS,
    MINIMALITY,
    Choice,
    Dimension,
    Option,
    Stance,
)
from adjudication.review.markdown import blocks_of
from adjudication.review.models import Judgement, MemberJudgement
from adjudication.review.queries.material import Material, Member
from adjudication.review.queries.records import Sealed

NEEDED = tuple(
    Option(value, str(label), Stance.UNSURE, digit)
    for digit, (value, label) in enumerate(MemberJudgement.Needed.choices, start=1)
)

KEYS = [
    {"key": "1 2 3 4", "does": "answers the marked question and moves to the next"},
    {"key": "↑ ↓", "does": "moves between questions"},
    {"key": "← →", "does": "changes the answer"},
    {"key": "u", "does": "takes the last answer back, up to ten"},
    {"key": "h", "does": "hides a member: does the claim still follow?"},
    {"key": "r", "does": "renews the lease"},
    {"key": "g c f", "does": "opens the guidelines, a comment, a flag; once more closes it"},
    {"key": "Ctrl+Enter", "does": "seals the judgement; in a comment or a flag, sends that"},
]


@lru_cache(maxsize=16)
def guidelines_html(text: str) -> SafeString:
    """Guidelines as they are shown. Every desk shows the same ones again."""
    return render_to_string("review/_markdown.html", {"blocks": blocks_of(text)})


@dataclass(frozen=True, slots=True)
class Question:
    """One dimension on the desk, as answered so far."""

    number: int
    dimension: Dimension
    answer: str
    reason: Reason
    fault: str
    current: bool

    @property
    def options(self) -> list[tuple[Option, bool, bool]]:
        """Each answer, whether it is given, and whether it refuses."""
        return [
            (o, o.key == self.answer, o.stance is Stance.REFUSES) for o in self.dimension.options
        ]

    @property
    def choices(self) -> list[tuple[int, Choice, bool]]:
        return [
            (number, choice, choice.key == self.reason.choice)
            for number, choice in enumerate(self.dimension.choices, start=1)
        ]

    @property
    def asks_needed(self) -> bool:
        return self.dimension is MINIMALITY

    @property
    def asks_barred(self) -> bool:
        return self.dimension is ADMISSIBILITY


@dataclass(frozen=True, slots=True)
class MemberLine:
    """What was said about a member."""

    number: int
    answer: MemberAnswer

    @property
    def options(self) -> list[tuple[Option, bool]]:
        return [(option, option.key == self.answer.needed) for option in NEEDED]


@dataclass(frozen=True, slots=True)
class DeskMember:
    """A member with what was said about it; ``hidden`` while its removal is tried."""

    shown: Member
    answer: MemberAnswer
    hidden: bool


@dataclass(frozen=True, slots=True)
class Desk:
    questions: list[Question]
    members: list[DeskMember]

    @property
    def measured(self) -> bool:
        return any(member.answer.measured for member in self.members)

    @property
    def asked(self) -> list[SafeString]:
        """The questions as they are shown."""
        lines = tuple(MemberLine(member.shown.number, member.answer) for member in self.members)
        return [
            _question_html(one, lines if one.asks_needed or one.asks_barred else ())
            for one in self.questions
        ]


@lru_cache(maxsize=256)
def _question_html(question: Question, members: tuple[MemberLine, ...]) -> SafeString:
    """One question. Most are shown as on every other desk: nothing in them is of the item."""
    context = {"question": question, "members": members}
    return render_to_string("review/_question.html", context)


def desk_of(
    material: Material,
    answers: Answers,
    *,
    hidden: int | None = None,
    wrong: Mapping[str, str] | None = None,
) -> Desk:
    """The desk for one item.

    Args:
        hidden: number of the member whose removal is being tried.
        wrong: faults to show, by dimension key.
    """
    wrong = wrong or {}
    keys = [member.member.pk for member in material.members]
    missing = faults(answers, keys)
    first = next((d for d in DIMENSIONS if d.key in (wrong or missing)), None)
    return Desk(
        questions=[
            Question(
                number=number,
                dimension=dimension,
                answer=answers.given.get(dimension.key, ""),
                reason=answers.reasons.get(dimension.key, Reason()),
                fault=wrong.get(dimension.key, ""),
                current=dimension is first and hidden is None,
            )
            for number, dimension in enumerate(DIMENSIONS, start=1)
        ],
        members=[
            DeskMember(m, answers.member(m.member.pk), m.number == hidden) for m in material.members
        ],
    )


# --- Sealed judgements side by side ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """What one judgement says on one dimension."""

    letter: str
    answer: str
    stance: str
    reason: str
    words: str
    members: str


@dataclass(frozen=True, slots=True)
class Row:
    dimension: Dimension
    cells: list[Cell]

    @property
    def agreed(self) -> bool:
        return len({(cell.answer, cell.members) for cell in self.cells}) == 1


@dataclass(frozen=True, slots=True)
class Comparison:
    """Judgements of one round side by side: what they differ in, and what they agree on."""

    round: int
    columns: list[Sealed]
    rows: list[Row]

    @property
    def differing(self) -> list[Row]:
        return [row for row in self.rows if not row.agreed]

    @property
    def agreed(self) -> list[Row]:
        return [row for row in self.rows if row.agreed]


def comparisons(sealed: Sequence[Sealed], members: Sequence[Member]) -> list[Comparison]:
    """One comparison per round, the last round first."""
    rounds = sorted({one.judgement.round for one in sealed}, reverse=True)
    return [
        _comparison(number, [one for one in sealed if one.judgement.round == number], members)
        for number in rounds
    ]


def _comparison(number: int, sealed: list[Sealed], members: Sequence[Member]) -> Comparison:
    # Those that decide come first; what is kept beside them is compared as well.
    columns = sorted(sealed, key=lambda one: not one.decides)
    rows = [
        Row(dimension, [cell_of(one.letter, one.judgement, dimension, members) for one in columns])
        for dimension in DIMENSIONS
    ]
    return Comparison(number, columns, rows)


def own_cells(judgement: Judgement, members: Sequence[Member]) -> list[tuple[Dimension, Cell]]:
    """One's own judgement, dimension by dimension."""
    return [(d, cell_of("", judgement, d, members)) for d in DIMENSIONS]


def cell_of(
    letter: str, judgement: Judgement, dimension: Dimension, members: Sequence[Member]
) -> Cell:
    answers = answers_of(judgement)
    given = answers.given[dimension.key]
    reason = answers.reasons.get(dimension.key, Reason())
    choices = {choice.key: choice.label for choice in dimension.choices}
    return Cell(
        letter=letter,
        answer=next(o.label for o in dimension.options if o.key == given),
        stance=dimension.stance(given).value,
        reason=choices.get(reason.choice, ""),
        words=reason.words,
        members=_about_members(dimension, answers, members),
    )


def _about_members(dimension: Dimension, answers: Answers, members: Sequence[Member]) -> str:
    said = [(m.number, answers.member(m.member.pk)) for m in members]
    if dimension is MINIMALITY:
        spare = [str(n) for n, answer in said if answer.needed == "not-needed"]
        return f"not needed: member {', '.join(spare)}" if spare else ""
    if dimension is ADMISSIBILITY:
        barred = [str(n) for n, answer in said if not answer.admissible]
        return f"not admissible: member {', '.join(barred)}" if barred else ""
    return ""
