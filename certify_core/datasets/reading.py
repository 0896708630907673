"""From the bytes of a file to checked fields, with the place of each in every complaint.

A file is a JSON array, JSON Lines or one JSON object; its content decides, not its name.
Arrays and lines are read record by record, so that a long file needs no more memory than a
short one.
Places are numbered from 1: "line 7" in JSON Lines, "record 7" otherwise, each with the
record's id or title where it has one.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Protocol, TypeVar

from certify_core.canonical import strict_loads
from certify_core.datasets.records import Problem
from certify_core.errors import InvalidJson, InvalidRecord
from certify_core.streaming import strict_items

RECORD_LIMIT = 64 * 2**20
"""Bytes of one line, or of a file that is one object: each is held in memory as a whole."""

_BLOCK = 2**16
_JSON_SPACE = b" \t\r\n"
_NAMES = ("_id", "id", "title")


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a record and where it stands. Every check raises ``InvalidRecord``."""

    value: object
    where: str
    path: str = ""

    def fail(self, problem: str) -> InvalidRecord:
        return InvalidRecord(self.where, f"{self.path}: {problem}" if self.path else problem)

    @property
    def place(self) -> str:
        return f"{self.where}: {self.path}" if self.path else self.where

    def problem(self, code: str, message: str) -> Problem:
        return Problem(self.place, code, message)

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
        return self.fail(f"expected {kind}, got {kind_of(self.value)}")


def read(file: BinaryIO) -> Node | Iterator[Node]:
    """The records of an array or of JSON Lines, or the one object the file consists of.

    A file that begins with ``{`` is JSON Lines if its second filled line does so too.

    Raises:
        InvalidRecord: not UTF-8, empty, not JSON (now, or when the iterator gets there), or
            one record that is longer than ``RECORD_LIMIT`` bytes.
    """
    start = _after_mark(file)
    first = _looking(file, start, _first_filled)
    if not first:
        raise InvalidRecord("file", "is empty")
    if first == b"[":
        return _elements(file)
    if first == b"{" and _looking(file, start, _begins_second_object):
        return _lines(file)
    return _record("record 1", _whole(file))


class Keyed(Protocol):
    """A record that is known by a key."""

    @property
    def key(self) -> str: ...


Record = TypeVar("Record", bound=Keyed)
Seen = TypeVar("Seen")


def read_records(file: BinaryIO, parse: Callable[[Node], Record]) -> Iterator[Record]:
    """Every record of ``file`` read by ``parse``; a key that comes twice is refused."""
    contents = read(file)
    seen: dict[str, str] = {}
    for record in (contents,) if isinstance(contents, Node) else contents:
        found = parse(record)
        if found.key in seen:
            raise record.fail(f"the id {found.key!r} is already used by {seen[found.key]}")
        seen[found.key] = record.where
        yield found


def parse_records(data: bytes, parse: Callable[[Node], Record]) -> tuple[Record, ...]:
    """The records of a small file, all at once."""
    return tuple(read_records(BytesIO(data), parse))


def _after_mark(file: BinaryIO) -> int:
    """Where the text begins: here, or after a byte order mark."""
    start = file.tell()
    return start + len(BOM_UTF8) if file.read(len(BOM_UTF8)) == BOM_UTF8 else start


def _looking(file: BinaryIO, start: int, look: Callable[[BinaryIO], Seen]) -> Seen:
    """What ``look`` sees from ``start`` on; the file stands at ``start`` again."""
    file.seek(start)
    seen = look(file)
    file.seek(start)
    return seen


def _first_filled(file: BinaryIO) -> bytes:
    """The first byte that is no white space; nothing if there is none."""
    while block := file.read(_BLOCK):
        if filled := block.lstrip(_JSON_SPACE):
            return filled[:1]
    return b""


def _begins_second_object(file: BinaryIO) -> bool:
    filled = (line for line in _raw_lines(file) if line.strip(_JSON_SPACE))
    next(filled)
    return next(filled, b"").startswith(b"{")


def _raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines without their end, the part of a too long one that is over the limit as well.

    Only LF ends a line here: JSON text may hold U+2028 and its like unescaped.
    """
    while line := file.readline(RECORD_LIMIT + 2):
        yield line.removesuffix(b"\n")


def _lines(file: BinaryIO) -> Iterator[Node]:
    begin = file.tell()
    for number, line in enumerate(_raw_lines(file), start=1):
        place = f"line {number}"
        if len(line) > RECORD_LIMIT:
            raise _too_long(place)
        if line.strip(_JSON_SPACE):
            yield _record(place, _loaded(_decoded(line, begin), place))
        begin += len(line) + 1


def _elements(file: BinaryIO) -> Iterator[Node]:
    try:
        for number, value in enumerate(strict_items(file), start=1):
            yield _record(f"record {number}", value)
    except InvalidJson as error:
        raise _refused(error, "") from error


def _whole(file: BinaryIO) -> object:
    begin = file.tell()
    data = file.read(RECORD_LIMIT + 1)
    if len(data) > RECORD_LIMIT:
        raise _too_long("file")
    return _loaded(_decoded(data, begin))


def _too_long(where: str) -> InvalidRecord:
    limit = RECORD_LIMIT // 2**20
    return InvalidRecord(where, f"one record has more than {limit} MB; write one to a line")


def _decoded(data: bytes, begin: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidRecord("file", f"is not UTF-8 (byte {begin + error.start})") from error


def _loaded(text: str, where: str = "") -> object:
    try:
        return strict_loads(text)
    except InvalidJson as error:
        raise _refused(error, where) from error


def _refused(error: InvalidJson, where: str) -> InvalidRecord:
    """The fault at ``where``, or at the line or record of the file the loader names."""
    place = error.place.removeprefix("$")
    if place.startswith("byte "):
        return InvalidRecord("file", f"is not UTF-8 ({place})")
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


def kind_of(value: object) -> str:
    """What JSON calls a value of this kind, in words."""
    if value is None:
        return "null"
    kinds = {bool: "true or false", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "a number")
