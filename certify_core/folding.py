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
    decomposed = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    unmarked = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    plain = unmarked.casefold().translate(_LETTERS)
    return _NOT_WORD.sub(" ", _POSSESSIVE.sub("", plain)).strip()


def split_title(title: str) -> tuple[str, str]:
    """A title without its trailing parenthesis, and what that says.

    "Cedar (film)" gives ("Cedar", "film"); without one, the whole title and "". A title
    that is a parenthesis alone has the base "".
    """
    match = _SUFFIX.search(title)
    return (title[: match.start()], match[1]) if match else (title, "")
