"""Reasoning steps over typed values.

An operation gives the one result its operands force, or raises ``Undecidable``: absent or
vague operands never yield "no", a tie or a winner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify_core.dates import Date, day_number, read_date
from certify_core.errors import Undecidable
from certify_core.folding import fold
from certify_core.model import Operation, ValueKind
from certify_core.quantities import Number, read_number
from certify_core.values import (
    before,
    closed_list,
    read_countries,
    read_list,
    same_countries,
    same_dates,
    same_names,
    same_numbers,
)


@dataclass(frozen=True, slots=True)
class Operand:
    """A value that steps take and give: its canonical form, how it is shown, its kind."""

    value: str
    shown: str
    kind: ValueKind = "any"


def apply(operation: Operation, operands: Sequence[Operand]) -> Operand:
    """The result of a reasoning step.

    Args:
        operands: for ``select-*`` label, value, label, value, …; else the values in order.

    Raises:
        Undecidable: the operands are of the wrong number or type, too vague, tied, of
            different units, or a list is not known to be closed.
    """
    try:
        return _OPERATIONS[operation](operands)
    except _Open as reason:
        raise Undecidable(operation, str(reason)) from None


def shown(value: str) -> str:
    """A value as people read it: the members of a closed list, separated by commas."""
    members = read_list(value)
    return value if members is None else ", ".join(members) or "none"


def exclusive(one: Operand, other: Operand) -> bool:
    """Whether two values for one requirement cannot both stand.

    Dates and numbers that meet can, so can a name and a shorter form of it. Where their
    types forbid to compare them, unequal values are taken to exclude each other.
    """
    if one.value == other.value:
        return False
    if read_list(one.value) is not None or read_list(other.value) is not None:
        return True
    try:
        if one.kind == other.kind == "number":
            _of_one_type([_number(one), _number(other)])
        return _equal(one, other) is False
    except _Open:
        return True


class _Open(Exception):
    """Why an operation is undecidable."""


def _select(read: Callable[[Operand], Date | Number], last: bool) -> Callable[..., Operand]:
    """The label whose value is before (or after) all others."""

    def selected(operands: Sequence[Operand]) -> Operand:
        if len(operands) < 4 or len(operands) % 2:
            raise _Open("needs two or more pairs of a label and a value")
        values = [read(operand) for operand in operands[1::2]]
        _of_one_type(values)
        for position, value in enumerate(values):
            others = values[:position] + values[position + 1 :]
            if all(before(o, value) if last else before(value, o) for o in others):
                return operands[2 * position]
        raise _Open(f"{_listed(operands[1::2])} are tied or too vague to order")

    return selected


def _of_one_type(values: Sequence[Date | Number]) -> None:
    types = {value.unit if isinstance(value, Number) else None for value in values}
    if len(types) > 1:
        raise _Open("the values are of different units or types")


def _date(operand: Operand) -> Date:
    found = read_date(operand.value)
    if found is None:
        raise _Open(f"{operand.shown!r} is no date")
    return found


def _number(operand: Operand) -> Number:
    found = read_number(operand.value)
    if found is None:
        raise _Open(f"{operand.shown!r} is no number of a known unit")
    return found


def _measure(operand: Operand) -> Date | Number:
    return _date(operand) if operand.kind == "date" else _number(operand)


def _same(operands: Sequence[Operand]) -> Operand:
    first, *rest = _at_least(2, operands)
    verdicts = [_equal(first, other) for other in rest]
    if None in verdicts:
        raise _Open(f"{_listed(operands)} may or may not be the same")
    return _yes(all(verdicts))


def _equal(one: Operand, other: Operand) -> bool | None:
    """Compare as the kinds both sides know say, else as what both can be read as."""
    kinds = {one.kind, other.kind} - {"any"}
    if kinds == {"date"}:
        return same_dates(_date(one), _date(other))
    if kinds == {"number"}:
        return same_numbers(_number(one), _number(other))
    if len(kinds) > 1 and not kinds <= {"place", "nationality", "name", "person"}:
        raise _Open(f"{one.shown!r} and {other.shown!r} are of different kinds")
    if kinds & {"name", "person"}:
        return same_names(one.value, other.value)
    return _equal_texts(one.value, other.value)


def _equal_texts(one: str, other: str) -> bool | None:
    """As countries if both are; a country and another text, or lists, leave it open."""
    if one == other:
        return True
    countries = read_countries(one), read_countries(other)
    if countries[0] and countries[1]:
        return same_countries(countries[0], countries[1])
    if any(countries) or read_list(one) is not None or read_list(other) is not None:
        return None
    return same_names(one, other)


def _and(operands: Sequence[Operand]) -> Operand:
    """Every operand is read, also where the first decides."""
    truths = [_truth(operand) for operand in _at_least(2, operands)]
    return _yes(all(truths))


def _or(operands: Sequence[Operand]) -> Operand:
    """Every operand is read, also where the first decides."""
    truths = [_truth(operand) for operand in _at_least(2, operands)]
    return _yes(any(truths))


def _not(operands: Sequence[Operand]) -> Operand:
    return _yes(not _truth(_only(operands)))


def _truth(operand: Operand) -> bool:
    word = fold(operand.value)
    if word not in ("yes", "no"):
        raise _Open(f"{operand.shown!r} is neither yes nor no")
    return word == "yes"


def _yes(truth: bool) -> Operand:
    word = "yes" if truth else "no"
    return Operand(word, word)


def _intersection(operands: Sequence[Operand]) -> Operand:
    """Members of every closed list; of plain values the one that all state."""
    first, *rest = _at_least(2, operands)
    if all(read_list(operand.value) is None for operand in operands):
        if not all(same_names(first.value, other.value) for other in rest):
            raise _Open(f"{_listed(operands)} share no value that is stated for all")
        return first
    common = _members(first)
    for other in rest:
        members = _members(other)
        common = tuple(member for member in common if _within(member, members))
    return _list(common)


def _difference(operands: Sequence[Operand]) -> Operand:
    """What the first closed list has more; the span between two dates or two numbers."""
    if len(operands) != 2:
        raise _Open("needs two values")
    one, other = operands
    if one.kind == other.kind == "date":
        return _between(_date(one), _date(other))
    if one.kind == other.kind == "number":
        numbers = _number(one), _number(other)
        _of_one_type(numbers)
        return _numeric(numbers[0].minus(numbers[1]))
    members = _members(other)
    return _list(tuple(m for m in _members(one) if not _within(m, members)))


def _between(one: Date, other: Date) -> Operand:
    """Days between two dates, whichever is first; a range where they are not exact."""
    early, late = (one, other) if before(one, other) else (other, one)
    if not before(early, late):
        raise _Open("the dates are equal or too vague to order")
    days = [day_number(late.bounds[a]) - day_number(early.bounds[1 - a]) for a in (0, 1)]
    return _numeric(Number(Fraction(days[0]), Fraction(days[1]), "days"))


def _count(operands: Sequence[Operand]) -> Operand:
    count = Fraction(len(_members(_only(operands))))
    return _numeric(Number(count, count))


def _copy(operands: Sequence[Operand]) -> Operand:
    return _only(operands)


def _members(operand: Operand) -> tuple[str, ...]:
    members = read_list(operand.value)
    if members is None:
        raise _Open(f"{operand.shown!r} is not known to be a complete list")
    return members


def _within(member: str, members: Sequence[str]) -> bool:
    verdicts = {same_names(member, other) for other in members}
    if True not in verdicts and None in verdicts:
        raise _Open(f"{member!r} may or may not be one of {', '.join(members)}")
    return True in verdicts


def _list(members: Sequence[str]) -> Operand:
    value = closed_list(members)
    return Operand(value, shown(value))


def _numeric(number: Number) -> Operand:
    return Operand(number.canonical, number.canonical, "number")


def _at_least(count: int, operands: Sequence[Operand]) -> Sequence[Operand]:
    if len(operands) < count:
        raise _Open(f"needs at least {count} values")
    return operands


def _only(operands: Sequence[Operand]) -> Operand:
    if len(operands) != 1:
        raise _Open("needs exactly one value")
    return operands[0]


def _listed(operands: Sequence[Operand]) -> str:
    return " and ".join(repr(operand.shown) for operand in operands)


_OPERATIONS: dict[Operation, Callable[[Sequence[Operand]], Operand]] = {
    "select-earlier": _select(_date, last=False),
    "select-later": _select(_date, last=True),
    "select-greater": _select(_measure, last=True),
    "select-less": _select(_measure, last=False),
    "same": _same,
    "and": _and,
    "or": _or,
    "not": _not,
    "intersection": _intersection,
    "difference": _difference,
    "count": _count,
    "copy": _copy,
}
