"""Whether spans stand where they say, in one text with its bytes."""

from __future__ import annotations

from certify_core.canonical import sha256_hex
from certify_core.datasets.bundle.fields import Wrong
from certify_core.datasets.bundle.records import Span


class Ranges:
    """One version's text. Spans in order cost no more than the text between them."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self.encoding = encoding
        self._known = (0, 0)

    def check(self, span: Span) -> None:
        """Refuse a span whose words, bytes or digest are not those at its place."""
        start, end = span.start, span.end
        if not start < end <= len(self.text):
            size = len(self.text)
            raise Wrong(f"start: {start}–{end} is not a range of the {size} characters")
        self._check_words(span)
        byte_start = self._bytes_before(start)
        byte_end = byte_start + len(span.exact.encode(self.encoding))
        if (span.byte_start, span.byte_end) != (byte_start, byte_end):
            given = f"{span.byte_start}–{span.byte_end}"
            raise Wrong(f"byte_start: {given}, but the words stand at {byte_start}–{byte_end}")
        if span.sha256 != sha256_hex(span.exact.encode()):
            raise Wrong(f"sha256: the digest of the words is {sha256_hex(span.exact.encode())}")

    def _check_words(self, span: Span) -> None:
        found = self.text[span.start : span.end]
        if found == span.exact:
            return
        pairs = zip(found, span.exact, strict=False)
        for position, (here, claimed) in enumerate(pairs, start=span.start):
            if here != claimed:
                raise Wrong(
                    f"exact: the words differ at position {position}: the text has "
                    f"U+{ord(here):04X}, the span U+{ord(claimed):04X}"
                )
        raise Wrong(f"exact: has {len(span.exact)} characters, the range has {len(found)}")

    def _bytes_before(self, start: int) -> int:
        """How many bytes stand before the code point ``start``."""
        point, byte = self._known if self._known[0] <= start else (0, 0)
        byte += len(self.text[point:start].encode(self.encoding))
        self._known = (start, byte)
        return byte
