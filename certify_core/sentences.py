"""Where sentences begin and end: the one splitter of the project."""

from __future__ import annotations

import re

_ENDING = re.compile(r"[.!?]+[\"'\u201d\u2019)\]]*(?=\s+\S)|\n+")
_CONTINUING = tuple("\u2013\u2014-,;:)&")
_SOON = 200
_LAST_WORD = re.compile(r"(?:[^\W\d_]|\.(?=[^\W\d_]))+$")
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr gen col capt lt sgt rev hon gov sen rep pres maj cmdr adm "
    "vs etc no vol op ca cf approx fl inc ltd co corp dept est feat ft ed eds trans "
    "jan feb mar apr jun jul aug sep sept oct nov dec b d r c i.e e.g a.k.a".split()
)


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Half-open code-point ranges of the sentences of ``text``, without outer spaces.

    A line break always ends a sentence, so a title line stands alone. A full stop does
    not after an initial ("J. Smith"), a common abbreviation ("St. Louis"), inside
    parentheses or before a lower-case letter.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _ENDING.finditer(text):
        if _ends(text, match) and not _inside_parentheses(text, start, match.end()):
            _append(spans, text, start, match.end())
            start = match.end()
    _append(spans, text, start, len(text))
    return tuple(spans)


def sentence_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The range from the sentence holding ``start`` to the one holding ``end - 1``.

    Raises:
        ValueError: the range is empty, outside the text, or between sentences only.
    """
    touched = [span for span in sentences(text) if span[0] < end and span[1] > start]
    if not 0 <= start < end <= len(text) or not touched:
        raise ValueError(f"no sentence at {start}..{end}")
    return touched[0][0], touched[-1][1]


def _ends(text: str, match: re.Match[str]) -> bool:
    if match[0].startswith("\n"):
        return True
    follows = text[match.end() : match.end() + 9].lstrip()
    if follows[:1].islower() or follows[:1] in _CONTINUING:
        return False
    return match[0] != "." or not _abbreviated(text[max(0, match.start() - 30) : match.start()])


def _abbreviated(before: str) -> bool:
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    initial = len(word[0]) == 1 and word[0].isupper()
    dotted = "." in word[0] and all(len(part) == 1 for part in word[0].split("."))
    return initial or dotted or word[0].lower() in _ABBREVIATIONS


def _inside_parentheses(text: str, start: int, end: int) -> bool:
    """Whether a parenthesis is open at ``end`` and closes soon on the same line."""
    sentence = text[start:end]
    if sentence.count("(") <= sentence.count(")"):
        return False
    return ")" in text[end : end + _SOON].partition("\n")[0]


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
