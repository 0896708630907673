"""Claims and facts whose documents are in other files, in one form; and where a spot lies.

A document whose sentences are counted holds one sentence on each line of its body, so that
the stored text itself says where a sentence begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from certify_core.canonical import digest, sha256_hex
from certify_core.datasets.claims import assertion
from certify_core.datasets.records import (
    ClaimRecord,
    FactRecord,
    PlacedRecord,
    Problem,
    QuotedSpot,
    SentenceSpot,
    Spot,
)

KEY = 64  # characters that a source's identity may have


def document_key(name: str) -> str:
    """The identity of the document called ``name``: its name, or the digest of a long one."""
    return name if len(name) <= KEY else sha256_hex(name.encode())


def from_claims(records: Iterator[ClaimRecord]) -> Iterator[PlacedRecord]:
    """Each claim as the question whether it holds."""
    for one in records:
        yield PlacedRecord(
            dataset=one.dataset,
            key=one.key,
            text=one.text,
            answer=one.label,
            sets=tuple(
                tuple(SentenceSpot(page, line) for page, line in members) for members in one.sets
            ),
            claim=assertion(one.text, one.label),
            problems=one.problems,
        )


def from_facts(records: Iterator[FactRecord]) -> Iterator[PlacedRecord]:
    """Each question with one set: all of its facts. Its key is a digest of its words.

    The data set numbers its questions file by file, so a number would mean another question
    in another file.
    """
    seen: set[str] = set()
    for one in records:
        key = digest([one.text, one.answer])[:20]
        problems = list(one.problems)
        if key in seen:
            problems.append(Problem(one.key, "repeated-question", "stood before; kept once"))
        seen.add(key)
        facts = dict.fromkeys(QuotedSpot(fact.url or fact.title, fact.text) for fact in one.facts)
        yield PlacedRecord(
            dataset=one.dataset,
            key=key,
            text=one.text,
            answer=one.answer,
            sets=(tuple(facts),) if facts else (),
            kind=one.kind,
            problems=tuple(problems),
        )


def locate(text: str, spot: Spot) -> tuple[int, int] | str:
    """The range of ``spot`` in its document's text, or why there is none."""
    if isinstance(spot, SentenceSpot):
        return _sentence(text, spot.number)
    return _quotation(text, spot.words)


def _sentence(text: str, number: int) -> tuple[int, int] | str:
    lines = text.split("\n")[1:]
    if not 0 <= number < len(lines):
        return f"it has {len(lines)} sentences, none numbered {number}"
    if not lines[number].strip():
        return f"its sentence {number} is blank"
    start = len("\n".join(text.split("\n")[: number + 1])) + 1
    blank = len(lines[number]) - len(lines[number].lstrip())
    return start + blank, start + len(lines[number])


def _quotation(text: str, words: str) -> tuple[int, int] | str:
    """Where ``words`` stand, whatever white space stands between them; once, or nowhere."""
    pattern = r"\s*".join(map(re.escape, "".join(words.split())))
    places = [found.span() for found in re.finditer(pattern, text)]
    if len(places) == 1:
        return places[0]
    return f"these words stand in it {len(places)} times" if places else "these words are not in it"
