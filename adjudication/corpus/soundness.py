"""What of a version or a span is no longer as it was captured. Pure functions; no database.

The digest was taken of the bytes on capture, and the text was read from them. So of bytes,
text and digest the one that disagrees with the other two is the damaged one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from adjudication.corpus.encodings import decode, encode
from adjudication.corpus.models import SourceVersion, Span
from adjudication.corpus.rules import CONTEXT
from certify_core.canonical import sha256_hex


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of a record that differs: digests or positions as stored and as found."""

    part: str
    stored: str
    found: str


def damage_of(version: SourceVersion) -> Damage | None:
    """What of ``version`` differs, or nothing."""
    of_bytes = sha256_hex(bytes(version.snapshot))
    of_text = _digest_of_text(version)
    if of_bytes == of_text == version.sha256:
        return None
    if of_bytes == version.sha256:
        return Damage("text", version.sha256, of_text)
    if of_text == version.sha256:
        return Damage("bytes", version.sha256, of_bytes)
    if of_text == of_bytes:
        return Damage("digest", version.sha256, of_bytes)
    return Damage("bytes and text", version.sha256, of_bytes)


def _digest_of_text(version: SourceVersion) -> str:
    try:
        return sha256_hex(encode(version.text, version.encoding))
    except (UnicodeEncodeError, LookupError):
        return f"no {version.encoding}"


def as_captured(version: SourceVersion) -> tuple[str, bytes]:
    """Text and bytes of ``version``; the one that is damaged is taken from the other."""
    damage = damage_of(version)
    snapshot = bytes(version.snapshot)
    if damage is not None and damage.part == "text":
        return decode(snapshot, version.media_type, version.encoding), snapshot
    if damage is not None and damage.part == "bytes":
        return version.text, encode(version.text, version.encoding)
    return version.text, snapshot


def damages_of(span: Span, text: str, snapshot: bytes, encoding: str) -> Iterator[Damage]:
    """What of ``span`` differs from the text and bytes that it is an excerpt of."""
    here, own = sha256_hex(text[span.start : span.end].encode()), sha256_hex(span.exact.encode())
    if own != span.sha256:
        # Where the place still holds what was digested, the stored words were changed.
        yield Damage("words" if here == span.sha256 else "digest", span.sha256, own)
    elif here != own:
        yield Damage("place", span.sha256, here)
    stored, found = (span.byte_start, span.byte_end), _byte_place(span, text, snapshot, encoding)
    if stored != found:
        yield Damage("place in the bytes", "{}–{}".format(*stored), "{}–{}".format(*found))
    before, after = (
        text[max(0, span.start - CONTEXT) : span.start],
        text[span.end : span.end + CONTEXT],
    )
    for part, kept, stands in (("prefix", span.prefix, before), ("suffix", span.suffix, after)):
        if kept != stands:
            yield Damage(part, sha256_hex(kept.encode()), sha256_hex(stands.encode()))


def _byte_place(span: Span, text: str, snapshot: bytes, encoding: str) -> tuple[int, int]:
    if len(snapshot) == len(text):
        return span.start, span.end
    start = len(text[: span.start].encode(encoding, "replace"))
    return start, start + len(text[span.start : span.end].encode(encoding, "replace"))


def damaged_in(version: SourceVersion, spans: Iterable[Span]) -> list[Span]:
    """Those of ``spans``, all of ``version``, that are not what was captured."""
    if damage_of(version) is not None:
        return list(spans)
    content = version.text, bytes(version.snapshot), version.encoding
    return [span for span in spans if any(True for _ in damages_of(span, *content))]


def is_sound(span: Span) -> bool:
    """Whether ``span`` and its version still are what was captured."""
    return not damaged_in(span.version, [span])
