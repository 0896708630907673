"""From the bytes of a file to checked fields, with the place of each in every complaint.

A file is a JSON array, JSON Lines or one JSON object; its content decides, not its name.
Places are numbered from 1: "line 7" in JSON Lines, "record 7" otherwise, each with the
record's id or title where it has one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from certify_core.canonical import strict_loads
from certify_core.datasets.records import Batch, Problem, QuestionRecord
from certify_core.errors import InvalidJson, InvalidRecord

_JSON_SPACE = " \t\r\n"
_NAMES = ("_id", "id", "title")


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a record and where it stands. Every check raises ``InvalidRecord``."""

    value: object
    where: str
    path: str = ""

    def fail(self, problem: str) -> InvalidRecord:
        return InvalidRecord(self.where, f"{self.path}: {problem}" if self.path else problem)

    def problem(self, code: str, message: str) -> Problem:
        return Problem(f"{self.where}: {self.path}" if self.path else self.where, code, message)

    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def members(self) -> dict[str, Node]:
        if not isinstance(self.value, dict):
            raise self._expected("an object")
        start = f"{self.path}." if self.path else ""
        return {k: Node(v, self.where, start + k) for k, v in self.value.items()}

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def field(self, name: str) -> Node:
        if not isinstance(self.value, dict):
            raise self._expected("an object")
        if name not in self.value:
            raise self.fail(f"the field {name!r} is missing")
        return Node(self.value[name], self.where, f"{self.path}.{name}" if self.path else name)

    def items(self) -> list[Node]:
        if not isinstance(self.value, list):
            raise self._expected("a list")
        return [Node(v, self.where, f"{self.path}[{i}]") for i, v in enumerate(self.value)]

    def pair(self) -> tuple[Node, Node]:
        items = self.items()
        if len(items) != 2:
            raise self.fail(f"expected 2 entries, got {len(items)}")
        return items[0], items[1]

    def text(self) -> str:
        """The text as given. NUL is refused because databases cannot keep it."""
        if not isinstance(self.value, str):
            raise self._expected("text")
        if "\0" in self.value:
            raise self.fail("contains a NUL character")
        return self.value

    def filled(self) -> str:
        """Text that is more than white space."""
        text = self.text()
        if not text.strip():
            raise self.fail("is empty")
        return text

    def title(self) -> str:
        """Filled text of one line: a line break would hide where the body begins."""
        text = self.filled()
        if text.splitlines() != [text]:
            raise self.fail("a title must not contain a line break")
        return text

    def number(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self._expected("a whole number")
        return self.value

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self._expected("true or false")
        return self.value

    def _expected(self, kind: str) -> InvalidRecord:
        return self.fail(f"expected {kind}, got {_kind(self.value)}")


def read(data: bytes) -> Node | Iterator[Node]:
    """The records of an array or of JSON Lines, or the one object the file consists of.

    A file that begins with ``{`` is JSON Lines if its second filled line does so too.

    Raises:
        InvalidRecord: not UTF-8, empty, not JSON (now, or when the iterator gets there).
    """
    text = _decoded(data)
    start = text.lstrip(_JSON_SPACE)[:1]
    if not start:
        raise InvalidRecord("file", "is empty")
    if start == "{" and _begins_second_object(text):
        return _lines(text)
    whole = _loaded(text)
    if isinstance(whole, list):
        return (_record(f"record {n}", value) for n, value in enumerate(whole, start=1))
    return _record("record 1", whole)


class Keyed(Protocol):
    """A record that is known by a key."""

    @property
    def key(self) -> str: ...


Record = TypeVar("Record", bound=Keyed)


def parse_questions(dataset: str, data: bytes, question: Callable[[Node], QuestionRecord]) -> Batch:
    """Every record of ``data`` read by ``question``; a key that comes twice is refused."""
    return Batch(dataset, parse_records(data, question))


def parse_records(data: bytes, parse: Callable[[Node], Record]) -> tuple[Record, ...]:
    """Every record of ``data`` read by ``parse``; a key that comes twice is refused."""
    contents = read(data)
    records: Iterable[Node] = (contents,) if isinstance(contents, Node) else contents
    seen: dict[str, str] = {}
    result = []
    for record in records:
        found = parse(record)
        if found.key in seen:
            raise record.fail(f"the id {found.key!r} is already used by {seen[found.key]}")
        seen[found.key] = record.where
        result.append(found)
    return tuple(result)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRecord("file", f"is not UTF-8 (byte {error.start})") from error


def _begins_second_object(text: str) -> bool:
    filled = (line for line in text.split("\n") if line.strip(_JSON_SPACE))
    next(filled)
    return next(filled, "").startswith("{")


def _lines(text: str) -> Iterator[Node]:
    # Only "\n" ends a line here: JSON text may hold U+2028 and its like unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip(_JSON_SPACE):
            place = f"line {number}"
            yield _record(place, _loaded(line, place))


def _loaded(text: str, where: str = "") -> object:
    try:
        return strict_loads(text)
    except InvalidJson as error:
        raise _refused(error, where) from error


def _refused(error: InvalidJson, where: str) -> InvalidRecord:
    """The fault at ``where``, or at the line or record of the file the loader names."""
    place = error.place.removeprefix("$")
    if named := re.fullmatch(r"(line \d+) (column \d+)", place):
        where, place = where or named[1], named[2]
    elif not where and (item := re.match(r"\[(\d+)\]", place)):
        where, place = f"record {int(item[1]) + 1}", place[item.end() :]
    place = place.removeprefix(".")
    return InvalidRecord(where or "file", f"{place}: {error.problem}" if place else error.problem)


def _record(place: str, value: object) -> Node:
    names = [value.get(name) for name in _NAMES] if isinstance(value, dict) else []
    name = next((n for n in names if isinstance(n, str) and n and n.isprintable()), "")
    return Node(value, f"{place} ({name[:80]})" if name else place)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
