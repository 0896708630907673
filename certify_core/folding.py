"""Text reduced to comparable tokens: the one rule for "same spelling"."""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u00b4`\uff07", "'"))
# Letters that carry no removable mark, after casefolding (which already maps sharp s).
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h"}
    | {"\u02bc": "'"}  # which decomposing "ŉ" brings back
)
_POSSESSIVE = re.compile(r"(?<=\w)'s\b|(?<=s)'(?!\w)")
_NOT_WORD = re.compile(r"[\W_]+")
_SUFFIX = re.compile(r"\s*\(([^()]*)\)\s*$")


def fold(text: str) -> str:
    """Lower-case tokens joined by single spaces, without marks, possessives, punctuation.

    Digits and Roman numerals stay tokens. Text of punctuation alone folds to ``""``:
    callers that compare such names fall back to the exact text.
    """
    plain = _plain(text)
    if "'" in plain:
        plain = _POSSESSIVE.sub("", plain)
    return _NOT_WORD.sub(" ", plain).strip()


def _plain(text: str) -> str:
    if text.isascii():  # most texts, and three times as fast
        return text.replace("`", "'").lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    return decomposed.translate(_MARKS).casefold().translate(_LETTERS)


class _Marks(dict[int, int | None]):
    """Takes marks away, as ``str.translate`` asks: each character is looked up once."""

    def __missing__(self, code: int) -> int | None:
        self[code] = kept = None if unicodedata.category(chr(code)) == "Mn" else code
        return kept


_MARKS = _Marks()


def split_title(title: str) -> tuple[str, str]:
    """A title without its trailing parenthesis, and what that says.

    "Cedar (film)" gives ("Cedar", "film"); without one, the whole title and "". A title
    that is a parenthesis alone has the base "".
    """
    match = _SUFFIX.search(title)
    return (title[: match.start()], match[1]) if match else (title, "")
