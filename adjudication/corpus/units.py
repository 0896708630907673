"""Positions as others count them, turned into code points once, at the edge. Pure functions."""

from __future__ import annotations

from enum import StrEnum

from wcwidth.grapheme import grapheme_boundary_before

from adjudication.errors import Refused


class Unit(StrEnum):
    """What a position counts: code points as stored, what browsers count, or stored bytes."""

    CODE_POINTS = "code-points"
    UTF_16 = "utf-16"
    BYTES = "bytes"


def code_points(text: str, place: int, unit: Unit, encoding: str) -> int:
    """How many code points of ``text`` stand before ``place``, counted in ``unit``.

    ``encoding`` is that of the bytes that the text was captured in.

    Raises:
        Refused: outside the text, or inside a character (which it names).
    """
    if unit is Unit.CODE_POINTS:
        _check_inside(place, len(text), unit)
        return place
    codec, width = ("utf-16-le", 2) if unit is Unit.UTF_16 else (encoding, 1)
    encoded = text.encode(codec)
    _check_inside(place, len(encoded) // width, unit)
    before = encoded[: place * width]
    try:
        return len(before.decode(codec))
    except UnicodeDecodeError:
        split = text[len(before.decode(codec, errors="ignore"))]
        part = "surrogate pair" if unit is Unit.UTF_16 else "bytes"
        raise Refused(
            f"Position {place} is inside the {part} of the character U+{ord(split):04X}."
        ) from None


def _check_inside(place: int, length: int, unit: Unit) -> None:
    if not 0 <= place <= length:
        raise Refused(f"Position {place} is not inside the text, which has {length} {unit}.")


def splits_character(text: str, place: int) -> bool:
    """Whether ``place`` is inside what people see as one character, such as a letter and its
    accent. A span may begin there: what is exact is the code points."""
    return 0 < place < len(text) and grapheme_boundary_before(text, place + 1) < place
