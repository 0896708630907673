"""The published example of a bundle as JSON, for tests that change it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from certify_core.datasets import bundle

DOCS = Path(__file__).resolve().parents[3] / "docs"
EXAMPLE = DOCS / "bundle.example.jsonl"
SCHEMA = DOCS / "bundle.schema.json"

Line = dict[str, Any]


def example() -> list[Line]:
    return [json.loads(line) for line in EXAMPLE.read_bytes().splitlines()]


def as_file(lines: Iterable[Line]) -> bytes:
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def read(data: bytes) -> list[bundle.Record]:
    return [record for _, record in bundle.read(BytesIO(data))]


def first(lines: list[Line], kind: str) -> Line:
    """The first line of a kind, to be changed in place."""
    return next(line for line in lines if line["record"] == kind)


def counted(lines: list[Line]) -> list[Line]:
    """The lines with a header that announces them."""
    counts = first(lines, "header")["counts"]
    for kind in counts:
        counts[kind] = sum(line["record"] == kind for line in lines)
    return lines
