"""What differs between two versions of a text, so that a person can read it. Pure; no database.

Lines are compared first, then the sentences and the words of those that changed, within a limit
of time and length beyond which a passage counts as replaced as a whole. Line breaks of another
kind are counted and not shown one by one. Nothing is normalised: words that look alike and
differ are told apart.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from diff_match_patch import diff_match_patch

Kind = Literal["", "gone", "new"]

SECONDS: Final = 2.0
LONGEST: Final = 200_000  # code points of a passage in both texts whose words are compared

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_SENTENCE: Final = re.compile(
    r"\r\n|[^.!?\u3002\u061f\u0964\r\n]+[.!?\u3002\u061f\u0964]*|.", re.DOTALL
)
# Scripts without spaces between words: each letter is compared by itself.
_SPACELESS: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
)
_WORD: Final = re.compile(rf"\r\n|(?:(?![{_SPACELESS}])\w)+|.", re.DOTALL)
_BREAKS: Final = {"\r\n": "CR LF", "\r": "CR", "\n": "LF"}


class Piece(NamedTuple):
    """A run of text that both versions have (""), or that is "gone" or "new".

    ``old`` and ``new`` are where it begins in each version, in code points; in the version
    that lacks it, where it would stand. ``why`` tells apart what looks like the piece beside it.
    """

    kind: Kind
    text: str
    old: int
    new: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts as pieces in order.

    ``breaks`` counts line breaks that only changed their kind, such as "CR LF → LF"; the
    pieces show those of the old version. ``composed`` and ``hidden`` count words that look
    alike: composed of other code points, or with other hidden characters or blanks.
    ``coarse`` says that a passage is shown as replaced though some of it may be the same.
    """

    pieces: tuple[Piece, ...]
    breaks: dict[str, int]
    composed: int
    hidden: int
    coarse: bool

    @property
    def same(self) -> bool:
        return not self.breaks and all(not piece.kind for piece in self.pieces)


def compare(old: str, new: str, seconds: float = SECONDS) -> Comparison:
    """What is gone from ``old`` and new in ``new``, in hardly more than ``seconds``."""
    found = _Found(old, new, time.time() + seconds)
    found.compare(0, len(old), 0, len(new), _LEVELS)
    return Comparison(
        tuple(found.pieces), dict(found.breaks), found.composed, found.hidden, found.coarse
    )


# --- Units of comparison -------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    """``text`` cut into words, single other characters and line breaks; marks stay in words."""
    words: list[str] = []
    for word in _WORD.findall(text):
        if words and _goes_on(words[-1], word):
            words[-1] += word
        else:
            words.append(word)
    return words


def _goes_on(before: str, word: str) -> bool:
    """Whether ``word`` is a mark on what stands before it, or the rest of a word after one."""
    marked = _is_mark(before[-1]) and word.isalnum()
    return not before.isspace() and (_is_mark(word[0]) or marked)


def _is_mark(character: str) -> bool:
    return character > "\u02ff" and unicodedata.category(character).startswith("M")


def _with_any_break(unit: str) -> str:
    return unit.rstrip("\r\n") + "\n" if unit[-1:] in "\r\n" else unit


def _as_seen(unit: str) -> str:
    """What a reader sees of ``unit``: no hidden character, and one kind of blank.

    What hides altogether is kept, so that it is not the same as another hidden character.
    """
    if unit in _BREAKS:
        return "\n"
    if unit.isascii():
        return " " if unit == "\t" else unit
    return "".join(map(_seen, unicodedata.normalize("NFC", unit))) or unit


def _seen(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Zs":
        return " "
    return (
        "" if kind in {"Cc", "Cf", "Cn", "Co"} or "\ufe00" <= character <= "\ufe0f" else character
    )


@dataclass(frozen=True, slots=True)
class _Level:
    """How a text is cut, and what two units must have in common to count as the same."""

    cut: Callable[[str], list[str]]
    key: Callable[[str], str]
    longest: int | None = None


_LEVELS: Final = (
    _Level(_LINE.findall, _with_any_break),
    _Level(_SENTENCE.findall, _with_any_break),
    _Level(words_of, _as_seen, LONGEST),
)


class _Units:
    """Units of a text from ``start`` on, and where each begins; one more place for the end."""

    def __init__(self, units: Sequence[str], start: int) -> None:
        self.units = units
        self.places = list(accumulate(map(len, units), initial=start))


# --- Comparing -----------------------------------------------------------------------------------


@dataclass
class _Found:
    """What was found so far of the differences between ``old`` and ``new``."""

    old: str
    new: str
    until: float
    pieces: list[Piece] = field(default_factory=list)
    breaks: Counter[str] = field(default_factory=Counter)
    composed: int = 0
    hidden: int = 0
    coarse: bool = False

    def compare(
        self, old: int, old_end: int, new: int, new_end: int, levels: Sequence[_Level]
    ) -> None:
        """Add the differences of one passage, cut as the first of ``levels`` says."""
        level, *finer = levels
        empty = old == old_end or new == new_end
        long = level.longest and old_end - old + new_end - new > level.longest
        if empty or long or time.time() > self.until:
            self.coarse |= not empty
            self._replace(old, old_end, new, new_end)
            return
        olds = _Units(level.cut(self.old[old:old_end]), old)
        news = _Units(level.cut(self.new[new:new_end]), new)
        for same, a, b, c, d in self._matches(olds, news, level.key):
            if same:
                self._keep(olds, a, b, news, c, d)
            else:
                places = olds.places[a], olds.places[b], news.places[c], news.places[d]
                self.compare(*places, finer) if finer else self._replace(*places)

    def _matches(
        self, olds: _Units, news: _Units, key: Callable[[str], str]
    ) -> Iterator[tuple[bool, int, int, int, int]]:
        """Ranges of units in order, each the same in both texts or not."""
        letters = _Letters(key)
        library = diff_match_patch()
        diffs = library.diff_main(letters.of(olds.units), letters.of(news.units), False, self.until)
        self.coarse |= time.time() >= self.until
        a = c = 0
        for same, gone, added in _grouped(_readable(diffs, letters.of(["\n"]))):
            yield same, a, a + gone, c, c + added
            a, c = a + gone, c + added

    def _keep(self, olds: _Units, a: int, b: int, news: _Units, c: int, d: int) -> None:
        """Units that count as the same; those whose characters differ are looked at."""
        begin = a
        for n, m in zip(range(a, b), range(c, d), strict=True):
            old, new = olds.units[n], news.units[m]
            if old == new:
                continue
            if old[-1:] in "\r\n" and new[-1:] in "\r\n":
                self.breaks[f"{_break_of(old)} → {_break_of(new)}"] += 1
                continue
            self._add("", olds.places[begin], olds.places[n], news.places[m - (n - begin)])
            self._alike(old, olds.places[n], new, news.places[m])
            begin = n + 1
        self._add("", olds.places[begin], olds.places[b], news.places[d - (b - begin)])

    def _alike(self, old: str, old_place: int, new: str, new_place: int) -> None:
        composed = unicodedata.normalize("NFC", old) == unicodedata.normalize("NFC", new)
        self.composed += composed
        self.hidden += not composed
        before, after = _differing(old, new)
        why = f"{_numbers(before)} → {_numbers(after)}"
        self.pieces.append(Piece("gone", old, old_place, new_place))
        self.pieces.append(Piece("new", new, old_place + len(old), new_place, why))

    def _replace(self, old: int, old_end: int, new: int, new_end: int) -> None:
        self._add("gone", old, old_end, new)
        if new < new_end:
            self.pieces.append(Piece("new", self.new[new:new_end], old_end, new))

    def _add(self, kind: Kind, old: int, old_end: int, new: int) -> None:
        """A run of the old text; what is the same goes on where the last piece ended."""
        text = self.old[old:old_end]
        last = self.pieces[-1] if self.pieces else None
        if last and last.kind == kind == "":
            self.pieces[-1] = last._replace(text=last.text + text)
        elif text:
            self.pieces.append(Piece(kind, text, old, new))


class _Letters:
    """One character for each unit, the same for units of the same key."""

    def __init__(self, key: Callable[[str], str]) -> None:
        self.key = key
        self.by_unit: dict[str, str] = {}
        self.by_key: dict[str, str] = {}

    def of(self, units: Iterable[str]) -> str:
        return "".join(self.by_unit.get(unit) or self._new(unit) for unit in units)

    def _new(self, unit: str) -> str:
        letter = self.by_key.setdefault(self.key(unit), chr(len(self.by_key) + 1))
        self.by_unit[unit] = letter
        return letter


Diffs = list[tuple[int, str]]


def _readable(diffs: Diffs, line_break: str) -> Iterator[tuple[int, str]]:
    """``diffs`` with short words that are the same between two changes taken into the change,
    but never across a line break."""
    line: Diffs = []
    for kind, letters in diffs:
        before, *after = letters.split(line_break) if kind == 0 else [letters]
        line.append((kind, before))
        for rest in after:
            yield from _cleaned(line)
            yield 0, line_break
            line = [(0, rest)]
    yield from _cleaned(line)


def _cleaned(line: Diffs) -> Diffs:
    diffs = [one for one in line if one[1]]
    diff_match_patch().diff_cleanupSemantic(diffs)
    return diffs


def _grouped(diffs: Iterable[tuple[int, str]]) -> Iterator[tuple[bool, int, int]]:
    """Whether the same, and how many units of each text; what is gone and new together."""
    same = gone = added = 0
    for kind, letters in diffs:
        if same and kind:
            yield True, same, same
            same = 0
        if (gone or added) and not kind:
            yield False, gone, added
            gone = added = 0
        same += len(letters) * (kind == 0)
        gone += len(letters) * (kind < 0)
        added += len(letters) * (kind > 0)
    if same:
        yield True, same, same
    if gone or added:
        yield False, gone, added


def _break_of(unit: str) -> str:
    return _BREAKS["\r\n" if unit.endswith("\r\n") else unit[-1]]


def _differing(old: str, new: str) -> tuple[str, str]:
    """Both without what they begin and end with in common."""
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    return old[head : len(old) - tail], new[head : len(new) - tail]


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _numbers(text: str, most: int = 8) -> str:
    numbers = [f"U+{ord(character):04X}" for character in text[:most]]
    return " ".join([*numbers, "…"] if len(text) > most else numbers) or "nothing"


# --- Folding what is the same --------------------------------------------------------------------

NEAR_LINES: Final = 3
NEAR_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True)
class Hunk:
    """Pieces that are shown together; before them, ``folded`` characters are the same."""

    pieces: tuple[Piece, ...]
    folded: int


def hunks_of(pieces: Sequence[Piece]) -> tuple[list[Hunk], int]:
    """Every change with a little of what is around it, and how much is folded after the last."""
    hunks: list[Hunk] = []
    shown: list[Piece] = []
    folded = 0
    for number, piece in enumerate(pieces):
        length = len(piece.text)
        head = _near(piece.text) if number else 0
        tail = _near_end(piece.text) if number < len(pieces) - 1 else 0
        if piece.kind or head + tail >= length:
            shown.append(piece)
            continue
        if number:
            hunks.append(Hunk((*shown, _part(piece, 0, head)), folded))
        folded = length - head - tail
        shown = [_part(piece, length - tail, length)]
    if any(piece.kind for piece in shown):
        return [*hunks, Hunk(tuple(shown), folded)], 0
    return hunks, folded


def _near(text: str) -> int:
    """How many characters from the begin of ``text`` on are near: some lines, or a part of one."""
    start = text[:NEAR_CHARACTERS]
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", start)]
    return ends[NEAR_LINES - 1] if len(ends) >= NEAR_LINES else len(start)


def _near_end(text: str) -> int:
    """The same from the end on; what is near begins with a line and not with a break."""
    end = text[-NEAR_CHARACTERS:]
    begins = [match.end() for match in re.finditer(r"\r\n|\r|\n", end)]
    return len(end) - begins[-NEAR_LINES] if len(begins) >= NEAR_LINES else len(end)


def _part(piece: Piece, start: int, end: int) -> Piece:
    return piece._replace(text=piece.text[start:end], old=piece.old + start, new=piece.new + start)
