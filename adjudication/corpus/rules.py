"""What makes a text, a span and a time acceptable. Pure functions; no database."""

from __future__ import annotations

from dataclasses import dataclass

from adjudication.errors import Refused

CONTEXT = 32  # code points of prefix and suffix kept with a span, to find it by eye


@dataclass(frozen=True, slots=True)
class Extent:
    """A span's place and words: code points and bytes, both half open."""

    start: int
    end: int
    byte_start: int
    byte_end: int
    exact: str
    prefix: str
    suffix: str


def decode(snapshot: bytes) -> str:
    """The text of UTF-8 ``snapshot``, every code point kept (a byte order mark too).

    Raises:
        Refused: not UTF-8 (names the byte), or a NUL character, which cannot be stored.
    """
    try:
        text = snapshot.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"This is not UTF-8 text: byte {error.start} cannot be read.") from error
    if (place := text.find("\0")) >= 0:
        raise Refused(f"The character at position {place} is NUL, which a text cannot hold.")
    return text


def extent_of(text: str, start: int, end: int) -> Extent:
    """The span ``text[start:end]`` of a UTF-8 text.

    Raises:
        Refused: the range is empty, reversed or outside the text.
    """
    if not 0 <= start < end <= len(text):
        raise Refused(f"The range {start}–{end} is not inside the text of {len(text)} characters.")
    before = len(text[:start].encode())
    exact = text[start:end]
    return Extent(
        start=start,
        end=end,
        byte_start=before,
        byte_end=before + len(exact.encode()),
        exact=exact,
        prefix=text[max(0, start - CONTEXT) : start],
        suffix=text[end : end + CONTEXT],
    )


def check_quotation(text: str, start: int, end: int, quoted: str) -> None:
    """Refuse a span whose quoted words are not at its place, naming the first difference."""
    found = text[start:end]
    if found == quoted:
        return
    for offset, (here, claimed) in enumerate(zip(found, quoted, strict=False)):
        if here != claimed:
            raise Refused(
                f"The words differ at position {start + offset}: the text has "
                f"U+{ord(here):04X}, the quotation U+{ord(claimed):04X}."
            )
    raise Refused(
        f"The quotation has {len(quoted)} characters, the range {start}–{end} has {len(found)}."
    )
