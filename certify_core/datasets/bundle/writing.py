"""One record as one line: canonical JSON, so that equal records are equal bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from certify_core.canonical import canonical_bytes
from certify_core.datasets.bundle.records import (
    FORMAT,
    FORMAT_VERSION,
    NAMES,
    Header,
    Record,
    Version,
)


def line(record: Record) -> bytes:
    """The line of ``record``, with its line feed."""
    return canonical_bytes({"record": NAMES[type(record)], **_fields(record)}) + b"\n"


def _fields(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = _plain(record)
    if isinstance(record, Header):
        return {"format": FORMAT, "version": FORMAT_VERSION, **fields}
    if isinstance(record, Version):
        return fields | _content(fields.pop("snapshot"))
    return fields


def _plain(value: Any) -> Any:
    """A record as JSON holds it. ``dataclasses.asdict`` copies each value and is slow."""
    if value is None or isinstance(value, str | int | bytes):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}


def _content(snapshot: bytes) -> dict[str, str]:
    """The bytes as text where that gives them back exactly, else in base64."""
    try:
        text = snapshot.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(snapshot).decode()}
    return {"text": text} if "\0" not in text else {"base64": base64.b64encode(snapshot).decode()}
