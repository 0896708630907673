"""Collecting passages, and building bodies from sentences.

The joining rule (HotpotQA gives sentences that carry their own leading space, 2Wiki
sentences that do not, and a file of passages may hold either): if any sentence after the
first begins with white space, the sentences are joined as they are, else by one space.
It looks at one passage alone, so a passage reads the same in every file it occurs in.
"""

from __future__ import annotations

from collections.abc import Sequence

from certify_core.datasets.reading import Node
from certify_core.datasets.records import Passage, Problem

Range = tuple[int, int]


def joined(sentences: Sequence[str]) -> tuple[str, tuple[Range, ...]]:
    """The body, and each sentence's half-open range in it without leading white space.

    The range of a blank sentence is empty.
    """
    spaced = any(s.lstrip() not in ("", s) for s in sentences[1:])
    gap = "" if spaced else " "
    ranges = []
    position = 0
    for sentence in sentences:
        end = position + len(sentence)
        ranges.append((end - len(sentence.lstrip()), end))
        position = end + len(gap)
    return gap.join(sentences), tuple(ranges)


def empty_passage(node: Node, title: str) -> Problem:
    """What is said of a passage without text, which cannot be cited."""
    return node.problem("empty-passage", f"{title!r} has no text")


class Gathering:
    """Passages in the order given, each kept once; what is left out becomes a problem."""

    def __init__(self) -> None:
        self._numbers: dict[Passage, int] = {}
        self.problems: list[Problem] = []

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(self._numbers)

    def add(self, node: Node, title: str, body: str) -> int | None:
        """The passage's index, or ``None`` if it is empty. ``node`` is where it stands."""
        passage = Passage(title, body)
        if not passage.filled:
            self.problems.append(empty_passage(node, title))
            return None
        if passage in self._numbers:
            self.problems.append(node.problem("repeated-passage", f"{title!r} is kept once"))
        return self._numbers.setdefault(passage, len(self._numbers))
