"""Markdown as plain values: headings, lists, quotes, code, and words that stand out. Pure.

Whatever else is written stays the text it is, links and HTML too: templates escape every word,
so that nothing a person wrote becomes an address or an element.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

Kind = Literal["heading", "paragraph", "bullets", "numbers", "quote", "code"]

_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\Z")
_BULLET: Final = re.compile(r"[ ]{0,3}[-*+][ \t]+(.*)\Z")
_NUMBER: Final = re.compile(r"[ ]{0,3}(\d{1,6})[.)][ \t]+(.*)\Z")
_QUOTE: Final = re.compile(r"[ ]{0,3}>[ ]?(.*)\Z")
_FENCE: Final = "```"
_INLINE: Final = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*\s](?:[^*]*[^*\s])?)\*\*|\*(?P<em>[^*\s](?:[^*]*[^*\s])?)\*"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one kind: "", "strong", "em" or "code"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a text. ``lines`` are the items of a list; any other kind has one.

    ``number`` is the level of a heading, and where the numbers of a list begin.
    """

    kind: Kind
    lines: tuple[tuple[Run, ...], ...]
    number: int = 1


@lru_cache(maxsize=64)
def blocks_of(text: str) -> tuple[Block, ...]:
    """``text`` cut into blocks, in order; of no words, none."""
    return tuple(_blocks(text.splitlines()))


def runs_of(text: str) -> tuple[Run, ...]:
    """A line cut into runs. A mark without its partner is the character it is."""
    found: list[Run] = []
    end = 0
    for match in _INLINE.finditer(text):
        found.append(Run("", text[end : match.start()]))
        found.append(Run(match.lastgroup or "", match[match.lastgroup or 0]))
        end = match.end()
    found.append(Run("", text[end:]))
    return tuple(run for run in found if run.text)


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        kind, number, _ = _read(lines[at])
        end = _end(lines, at, kind)
        if kind == "code":
            yield Block("code", ((Run("code", "\n".join(_inside(lines[at:end]))),),))
        elif kind in {"bullets", "numbers"}:
            yield Block(kind, tuple(map(runs_of, _items(lines[at:end]))), number)
        elif kind == "heading":
            yield Block("heading", (runs_of(_read(lines[at])[2]),), number)
        elif kind is not None:
            yield Block(kind, (runs_of(" ".join(_read(line)[2] for line in lines[at:end])),))
        at = end


def _read(line: str) -> tuple[Kind | None, int, str]:
    """What a line begins, its number, and its words; no kind for a blank one."""
    if not line.strip():
        return None, 1, ""
    if line.startswith(_FENCE):
        return "code", 1, ""
    if match := _HEADING.match(line):
        return "heading", len(match[1]), match[2]
    if match := _BULLET.match(line):
        return "bullets", 1, match[1]
    if match := _NUMBER.match(line):
        return "numbers", int(match[1]), match[2]
    if match := _QUOTE.match(line):
        return "quote", 1, match[1]
    return "paragraph", 1, line.strip()


def _end(lines: list[str], at: int, kind: Kind | None) -> int:
    """Where the block that begins at line ``at`` ends."""
    if kind == "code":
        fences = (n for n in range(at + 1, len(lines)) if lines[n].startswith(_FENCE))
        return next(fences, len(lines) - 1) + 1
    if kind in {None, "heading"}:
        return at + 1
    # A line of plain words goes on with the item or the quote before it.
    goes_on = {kind, "paragraph"}
    return next(
        (n for n in range(at + 1, len(lines)) if _read(lines[n])[0] not in goes_on), len(lines)
    )


def _inside(fenced: list[str]) -> list[str]:
    closed = len(fenced) > 1 and fenced[-1].startswith(_FENCE)
    return fenced[1:-1] if closed else fenced[1:]


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        kind, _, words = _read(line)
        if kind == "paragraph" and items:
            items[-1] += f" {words}"
        else:
            items.append(words)
    return items
