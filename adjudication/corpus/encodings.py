"""From captured bytes to text and back. Nothing is guessed and nothing is normalised."""

from __future__ import annotations

from typing import Final

from adjudication.errors import Refused

UTF_8: Final = "utf-8"

ENCODINGS: Final = {
    UTF_8: "UTF8",
    "iso-8859-1": "LATIN1",
    "iso-8859-2": "LATIN2",
    "iso-8859-5": "ISO_8859_5",
    "iso-8859-7": "ISO_8859_7",
    "iso-8859-9": "LATIN5",
    "iso-8859-15": "LATIN9",
    "windows-1250": "WIN1250",
    "windows-1251": "WIN1251",
    "windows-1252": "WIN1252",
    "windows-1253": "WIN1253",
    "windows-1254": "WIN1254",
    "windows-1255": "WIN1255",
    "windows-1256": "WIN1256",
    "windows-1257": "WIN1257",
    "koi8-r": "KOI8R",
    "koi8-u": "KOI8U",
}
"""Encodings that a text may be captured in, as IANA names them, with PostgreSQL's names.

All but UTF-8 have one byte per character, and the database reads each byte as Python does;
so the triggers that compare words with bytes hold for every one of them.
"""

LABELS: Final = {
    UTF_8: "UTF-8",
    "iso-8859-1": "ISO-8859-1, Western Europe",
    "iso-8859-2": "ISO-8859-2, Central Europe",
    "iso-8859-5": "ISO-8859-5, Cyrillic",
    "iso-8859-7": "ISO-8859-7, Greek",
    "iso-8859-9": "ISO-8859-9, Turkish",
    "iso-8859-15": "ISO-8859-15, Western Europe with €",
    "windows-1250": "Windows-1250, Central Europe",
    "windows-1251": "Windows-1251, Cyrillic",
    "windows-1252": "Windows-1252, Western Europe",
    "windows-1253": "Windows-1253, Greek",
    "windows-1254": "Windows-1254, Turkish",
    "windows-1255": "Windows-1255, Hebrew",
    "windows-1256": "Windows-1256, Arabic",
    "windows-1257": "Windows-1257, Baltic",
    "koi8-r": "KOI8-R, Russian",
    "koi8-u": "KOI8-U, Ukrainian",
}

MEDIA_TYPES: Final = {"text/plain": "Plain text", "text/markdown": "Markdown"}
"""Kinds of bytes that become a text, with their names for people."""


class Unreadable(Refused):
    """The bytes are not of the encoding that was named for them."""


def decode(snapshot: bytes, media_type: str = "text/plain", encoding: str = UTF_8) -> str:
    """The text in ``snapshot``, every code point kept (a byte order mark too).

    The only place where bytes become text. Plain text and Markdown are their own text, so a
    span's byte offsets follow from its code points (``encode``). A kind whose text must be
    extracted first, such as PDF or HTML, branches here by ``media_type``, and stores with the
    text the map from its code points to the bytes they came from.

    Raises:
        Unreadable: the bytes are not of this encoding; it names the byte.
        Refused: a kind or an encoding not known, or a NUL character, which cannot be stored.
    """
    if media_type not in MEDIA_TYPES:
        raise Refused(f"No text can be read from {media_type}: only from plain text and Markdown.")
    if encoding not in ENCODINGS:
        raise Refused(f"{encoding} is not an encoding that can be read here.")
    try:
        text = snapshot.decode(encoding)
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"This is not {LABELS[encoding].split(',')[0]} text: "
            f"byte {error.start}, 0x{snapshot[error.start]:02X}, cannot be read."
        ) from error
    if (place := text.find("\0")) >= 0:
        raise Refused(f"The character at position {place} is NUL, which a text cannot hold.")
    return text


def encode(text: str, encoding: str = UTF_8) -> bytes:
    """The bytes that ``decode`` reads as ``text``."""
    return text.encode(encoding)
