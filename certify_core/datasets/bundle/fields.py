"""What each field of a bundle may hold: JSON value in, value of the record out."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias, get_args

from certify_core.datasets.bundle import records
from certify_core.datasets.reading import kind_of
from certify_core.dates import in_calendar
from certify_core.errors import InvalidGraph
from certify_core.model import Operation, Requirement, RequirementGraph, ValueKind


class Wrong(ValueError):
    """A value that its field cannot hold; the message says why."""


Check: TypeAlias = Callable[[Any], Any]

_UNESTABLISHED = "cannot-be-established"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SLUG = re.compile(r"[-a-zA-Z0-9_]+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")


def text(value: Any) -> str:
    """Any text, the empty one too. NUL is refused because databases cannot keep it."""
    if not isinstance(value, str):
        raise Wrong(f"expected text, got {kind_of(value)}")
    if "\0" in value:
        raise Wrong("contains a NUL character")
    return value


def filled(value: Any) -> str:
    if not text(value).strip():
        raise Wrong("is empty")
    return str(value)


def at_most(most: int, check: Check = text) -> Check:
    """``check``, and no more than ``most`` code points."""

    def checked(value: Any) -> str:
        if len(found := check(value)) > most:
            raise Wrong(f"has {len(found)} characters; {most} fit")
        return str(found)

    return checked


def slug(most: int) -> Check:
    """A short name of letters, digits, hyphens and underscores."""

    def checked(value: Any) -> str:
        if not _SLUG.fullmatch(text(value)) or len(value) > most:
            raise Wrong(f"must be up to {most} letters, digits, hyphens or underscores")
        return str(value)

    return checked


def one_of(*values: str) -> Check:
    def checked(value: Any) -> str:
        if value not in values:
            raise Wrong(f"{value!r} is none of {', '.join(values)}"[:300])
        return str(value)

    return checked


def number(least: int = 0) -> Check:
    """A whole number from ``least`` to the largest that a 32-bit column holds."""

    def checked(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise Wrong(f"expected a whole number, got {kind_of(value)}")
        if not least <= value < 2**31:
            raise Wrong(f"{value} is not between {least} and {2**31 - 1}")
        return value

    return checked


def digest(value: Any) -> str:
    if not _DIGEST.fullmatch(text(value)):
        raise Wrong("a SHA-256 digest has 64 hexadecimal digits, in lower case")
    return str(value)


def moment(value: Any) -> str:
    """A moment in UTC: ``2026-01-05T12:00:00Z``, with up to six decimals."""
    if not _MOMENT.fullmatch(text(value)):
        raise Wrong("expected a moment such as 2026-01-05T12:00:00Z")
    try:
        datetime.fromisoformat(value)
    except ValueError as error:
        raise Wrong(f"{value} is not in the calendar") from error
    return str(value)


def partial_time(value: Any) -> str:
    """A year, month or day, or that it cannot be established."""
    if text(value) != _UNESTABLISHED and not in_calendar(value):
        raise Wrong(f"expected 2013, 2013-05, 2013-05-12 or {_UNESTABLISHED}")
    return str(value)


def media_type(value: Any) -> str:
    if not _MEDIA_TYPE.fullmatch(at_most(100)(value)):
        raise Wrong("expected a media type such as text/plain")
    return str(value)


def or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def listed(check: Check, *, filled: bool = False, once: bool = False) -> Check:
    """A list of what ``check`` takes. With ``once``, nothing may stand in it twice."""

    def checked(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise Wrong(f"expected a list, got {kind_of(value)}")
        found: list[Any] = []
        seen: set[Any] = set()
        for position, item in enumerate(value):
            try:
                found.append(check(item))
            except Wrong as error:
                raise Wrong(f"entry {position + 1}: {error}") from error
            if not once:
                continue
            if found[-1] in seen:
                raise Wrong(f"entry {position + 1}: {item!r} is listed twice"[:300])
            seen.add(found[-1])
        if filled and not found:
            raise Wrong("is an empty list")
        return tuple(found)

    return checked


def shaped(value: Any, shape: Mapping[str, Check]) -> dict[str, Any]:
    """An object with exactly the fields of ``shape``."""
    if not isinstance(value, dict):
        raise Wrong(f"expected an object, got {kind_of(value)}")
    for name in value.keys() - shape.keys():
        raise Wrong(f"the field {name!r} is unknown"[:300])
    for name in shape:
        if name not in value:
            raise Wrong(f"the field {name!r} is missing")
    found = {}
    for name, check in shape.items():
        try:
            found[name] = check(value[name])
        except Wrong as error:
            raise Wrong(f"{name}: {error}") from error
    return found


def check_one_place(span: str | None, version: str | None) -> None:
    if (span is None) == (version is None):
        raise Wrong("names a span or a version: one of them is null and the other is not")


def base64_bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(text(value), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Wrong("is not base64") from error


def _counts(value: Any) -> dict[str, int]:
    kinds = [name for name in records.KINDS if name != "header"]
    return shaped(value, dict.fromkeys(kinds, number()))


def _place(value: Any) -> records.Place:
    found = records.Place(**shaped(value, {"span": or_null(key), "version": or_null(key)}))
    check_one_place(found.span, found.version)
    return found


def requirements(value: Any) -> tuple[Requirement, ...]:
    """The steps of a requirement graph, in order."""
    found = listed(lambda item: Requirement(**shaped(item, _REQUIREMENT)))(value)
    try:
        return RequirementGraph(found).requirements
    except InvalidGraph as error:
        raise Wrong(str(error)) from error


def _invalidation(value: Any) -> records.Invalidation:
    return records.Invalidation(**shaped(value, {"at": moment, "reason": text}))


key = at_most(200, filled)

_REQUIREMENT: Mapping[str, Check] = {
    "rid": number(1),
    "kind": one_of("lookup", "reasoning"),
    "template": text,
    "op": or_null(one_of(*get_args(Operation))),
    "args": listed(text),
    "expect": one_of(*get_args(ValueKind)),
}

SHAPES: Mapping[str, Mapping[str, Check]] = {
    "header": {
        "format": one_of(records.FORMAT),
        "version": number(1),
        "title": text,
        "reader_class": at_most(40),
        "counts": _counts,
    },
    "source": {
        "key": key,
        "origin": at_most(60, filled),
        "id": at_most(64, filled),
        "title": filled,
        "address": text,
    },
    "version": {
        "key": key,
        "source": key,
        "number": number(1),
        "encoding": one_of(*records.ENCODINGS),
        "media_type": media_type,
        "sha256": digest,
        "observed_at": moment,
        "observed_precision": one_of(*records.PRECISIONS),
        "published": partial_time,
        "effective_from": partial_time,
        "effective_to": partial_time,
        "licence": at_most(200),
        "authority": at_most(200),
        "reader_classes": listed(slug(40), filled=True, once=True),
        "invalidation": or_null(_invalidation),
    },
    "span": {
        "key": key,
        "version": key,
        "start": number(),
        "end": number(1),
        "byte_start": number(),
        "byte_end": number(1),
        "exact": text,
        "sha256": digest,
    },
    "rule": {"key": slug(60), "kind": one_of(*records.RULE_KINDS), "statement": text},
    "question": {
        "key": key,
        "origin": at_most(60, filled),
        "id": at_most(200, filled),
        "text": filled,
        "kind": at_most(60),
    },
    "graph": {
        "question": key,
        "number": number(1),
        "origin": at_most(60, filled),
        "requirements": requirements,
    },
    "claim": {
        "key": key,
        "question": key,
        "text": filled,
        "value": text,
        "aliases": listed(text),
        "entities": listed(text),
        "qualifiers": text,
        "applicable_time": partial_time,
        "origin": one_of(*records.ORIGINS),
        "supersedes": or_null(key),
    },
    "evidence-set": {
        "claim": key,
        "members": listed(key, filled=True, once=True),
        "rules": listed(slug(60), once=True),
        "origin": one_of(*records.ORIGINS),
    },
    "system-run": {"key": slug(60), "system": at_most(200, filled), "note": text},
    "output": {
        "key": key,
        "run": slug(60),
        "id": at_most(200, filled),
        "question": key,
        "text": text,
        "retrieved": listed(_place, once=True),
    },
    "output-claim": {
        "key": key,
        "output": key,
        "text": text,
        "start": number(),
        "end": number(1),
        "claim": or_null(key),
    },
    "citation": {
        "output_claim": key,
        "order": number(1),
        "span": or_null(key),
        "version": or_null(key),
    },
    "withheld": {
        "kind": one_of(*records.WITHHELD_KINDS),
        "id": at_most(64, filled),
        "of": or_null(key),
        "readers": listed(slug(40)),
    },
}
"""The fields of every record, beside ``record`` itself and a version's ``text`` or ``base64``."""
