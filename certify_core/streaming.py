"""A long JSON array, element by element, as strictly as ``canonical.strict_loads`` reads it.

The text is held in a window that grows to the longest element and no further.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from certify_core.canonical import MAX_DEPTH, DecodedPairs, WrittenConstant, plain
from certify_core.errors import InvalidJson

ELEMENT_LIMIT = 64 * 2**20
"""Characters of one element: a longer one would have to be held in memory as a whole."""

_BLOCK = 2**18  # bytes read at a time, at least
_SPACE = re.compile(r"[ \t\r\n]*")
_LONGEST_TOKEN = 16  # so close to the end of what is read, a token may be cut in two
_DECODER = json.JSONDecoder(object_pairs_hook=DecodedPairs, parse_constant=WrittenConstant)


def strict_items(file: BinaryIO) -> Iterator[Any]:
    """The elements of the array that ``file`` holds from here to its end.

    Raises:
        InvalidJson: as ``strict_loads`` does with the whole text, when the element at fault
            is reached; or an element of more than ``ELEMENT_LIMIT`` characters.
    """
    window = _Window(file)
    if window.skip() != "[":
        raise window.error("Expecting an array")
    window.at += 1
    number = 0
    if window.skip() != "]":
        while True:
            yield plain(window.value(number), f"$[{number}]", MAX_DEPTH - 1)
            number += 1
            if (after := window.skip()) == "]":
                break
            if after != ",":
                raise window.error("Expecting ',' delimiter")
            window.at += 1
            window.skip()
    window.at += 1
    if window.skip():
        raise window.error("Extra data")


class _Window:
    """The part of a text that is read and not yet used; ``at`` is the next character."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._bytes = file.tell()
        self._line, self._column = 1, 1  # of the window's first character
        self._ended = False
        self._text = ""
        self.at = 0

    def skip(self) -> str:
        """The next character that is no white space, or "" at the end of the text."""
        while True:
            space = _SPACE.match(self._text, self.at)
            assert space is not None, "an empty match is a match"
            self.at = space.end()
            if self.at < len(self._text):
                return self._text[self.at]
            if self._ended:
                return ""
            self._more()

    def value(self, number: int) -> Any:
        """The element that begins here; ``number`` is its index."""
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except json.JSONDecodeError as error:
                if self._ended or not self._may_be_cut(error):
                    raise self.error(error.msg, error.pos) from None
            except RecursionError:
                message = f"nested deeper than {MAX_DEPTH} levels"
                raise InvalidJson(f"$[{number}]", message) from None
            except ValueError:
                raise InvalidJson(f"$[{number}]", "a number with too many digits") from None
            else:
                # A number near the end may go on beyond it: "1e" is 1, and then something.
                if end + _LONGEST_TOKEN < len(self._text) or self._ended:
                    self.at = end
                    return value
            if len(self._text) - self.at > ELEMENT_LIMIT:
                message = f"longer than {ELEMENT_LIMIT // 2**20} million characters"
                raise InvalidJson(f"$[{number}]", message)
            self._more()

    def error(self, message: str, at: int | None = None) -> InvalidJson:
        line, column = self._place(self.at if at is None else at)
        return InvalidJson(f"line {line} column {column}", message)

    def _may_be_cut(self, error: json.JSONDecodeError) -> bool:
        near_the_end = error.pos + _LONGEST_TOKEN >= len(self._text)
        return near_the_end or error.msg.startswith("Unterminated string")

    def _more(self) -> None:
        """Drop what is used and read on, as much again as is left: no element is read often."""
        self._line, self._column = self._place(self.at)
        rest = self._text[self.at :]
        self._text, self.at = rest + self._decoded(max(_BLOCK, len(rest))), 0

    def _decoded(self, size: int) -> str:
        block = self._file.read(size)
        pending = len(self._decoder.getstate()[0])
        self._ended = not block
        try:
            text = self._decoder.decode(block, final=self._ended)
        except UnicodeDecodeError as error:
            place = self._bytes - pending + error.start
            raise InvalidJson(f"byte {place}", "not UTF-8") from None
        self._bytes += len(block)
        return text

    def _place(self, at: int) -> tuple[int, int]:
        """Line and column of a character of the window."""
        breaks = self._text.count("\n", 0, at)
        if not breaks:
            return self._line, self._column + at
        return self._line + breaks, at - self._text.rfind("\n", 0, at)
