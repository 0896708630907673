"""What folding to words leaves unsearchable: writing without spaces, joined letters, symbols.

``fold`` cuts a text where letters end. Japanese or Thai has no spaces, so that a whole
sentence would be one word; the vowel signs of Hindi would cut a word in the middle; of an
emoji nothing would be left. People search such texts too, by the *signs* named here: single
characters and pairs, whole joined words, symbols. The engine's ranking does not read them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from certify_core.folding import fold

# Thai, Lao, Tibetan, Myanmar, Hangul letters, Khmer, kana, Han and Hangul syllables.
_UNSPACED = (
    r"[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0f40-\u0f84\u1000-\u1049\u1100-\u11ff\u1780-\u17d3"
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003fffd]+"
)
# The scripts of India and its neighbours, without their full stops.
_JOINED = (
    r"[\u0900-\u0963\u0966-\u0df3\u1b00-\u1b59\u1b80-\u1bf3"
    r"\ua880-\ua8d9\ua980-\ua9c0\uaa00-\uaa59]+"
)
_SYMBOL = r"[^\w\s\x00-\x7f]"
_SIGNS = re.compile(f"(?P<unspaced>{_UNSPACED})|(?P<joined>{_JOINED})|(?P<symbol>{_SYMBOL})")


def beside_words(title: str, text: str, known: set[str]) -> list[str]:
    """What a text is found by beside its folded words ``known``: signs, and further words.

    Further words are those of a title that the text does not repeat, and words right beside
    signs, as in "GDPは", which folding does not part.
    """
    signs = signs_of(text)
    words = [*words_asked(title), *(words_asked(text) if signs else ())]
    further = dict.fromkeys(word for word in words if word not in known)
    return [*signs, *signs_of(title), *further]


def signs_of(text: str) -> list[str]:
    """The signs in ``text``, in order; none in most European texts."""
    return list(_signs(text, single=True))


def signs_asked(query: str) -> list[str]:
    """The signs to look for: pairs where there are any, since they say more."""
    return list(_signs(query, single=False))


def words_asked(query: str) -> list[str]:
    """The folded words to look for, each once, beside the signs."""
    return list(dict.fromkeys(fold(_without_signs(query)).split()))


def _without_signs(text: str) -> str:
    return text if text.isascii() else _SIGNS.sub(" ", _same_width(text))


def sign_places(text: str, asked: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Where ``text`` has a sign of ``asked``, as code points: for showing, not for finding."""
    for found in () if text.isascii() else _SIGNS.finditer(text):
        start, run = found.start(), found[0]
        if found.lastgroup != "unspaced":
            if _same_width(run) in asked:
                yield found.span()
            continue
        for place in range(len(run)):
            for length in (2, 1):
                if _same_width(run[place : place + length]) in asked:
                    yield start + place, min(start + place + length, found.end())
                    break


def _signs(text: str, *, single: bool) -> Iterator[str]:
    if text.isascii():
        return
    for found in _SIGNS.finditer(_same_width(text)):
        run = found[0]
        if found.lastgroup == "unspaced":
            if single or len(run) == 1:
                yield from run
            yield from (run[place : place + 2] for place in range(len(run) - 1))
        elif found.lastgroup == "joined" or unicodedata.category(run)[0] == "S":
            yield run


def _same_width(text: str) -> str:
    """Half-width and composed forms of one character are one character."""
    return unicodedata.normalize("NFKC", text)
