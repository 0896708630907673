"""A derivation as a picture: steps as boxes, what is needed together joined into one arrow.

Passages stand on the left in the row of the step they feed, steps further right the more
they rest on. A second passage for the same value is an arrow of its own: an alternative.
Where the passages of an open step disagree, each carries the value that it states.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width
from uuid import UUID

from django.template.defaultfilters import pluralize

from adjudication.runs.models import RecordedLink
from adjudication.runs.pages.trace import Need, Trace

ROW, COLUMN, GAP = 76, 296, 64
WIDTH, HEIGHT, PASSAGE = 232, 62, 216
MARGIN, REACH, LINE = 8, 26, 17
LETTERS = 30  # that fit a line of a box; half as many where one takes the room of two
MOST = 4  # passages drawn for one step; further ones are counted


@dataclass(frozen=True, slots=True)
class Box:
    """A step or a passage: its ``words``, and the ``value`` found for it or in it.

    ``y`` is its middle; ``kind`` becomes its class.
    """

    x: float
    y: float
    width: float
    kind: str
    words: str
    value: str = ""

    @property
    def title(self) -> str:
        return f"{self.words} {self.value}".strip()

    @property
    def height(self) -> float:
        return HEIGHT

    @property
    def top(self) -> float:
        return self.y - HEIGHT / 2

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def text_x(self) -> float:
        return self.x + 10

    @property
    def text_lines(self) -> Iterator[tuple[float, str, str]]:
        """Each line with the height it stands at and its class."""
        lines = [(line, "") for line in _wrapped(self.words, 2)]
        lines += [(line, "value") for line in _wrapped(self.value, 1)]
        first = self.y + 4.5 - LINE / 2 * (len(lines) - 1)
        for number, (line, kind) in enumerate(lines):
            yield first + LINE * number, line, kind


@dataclass(frozen=True, slots=True)
class Arrow:
    """One way to a step: its lines meet in a joint and go on as one."""

    kind: str
    tails: tuple[str, ...]
    joint: tuple[float, float] | None
    head: str
    tip: str


@dataclass(frozen=True, slots=True)
class Picture:
    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    described: tuple[str, ...]


def draw(trace: Trace) -> Picture | None:
    """The picture of an outcome; None where there are no requirements to draw."""
    if not trace.needs:
        return None
    stated = {need.rid: _stated(trace, need) for need in trace.needs}
    left = MARGIN + PASSAGE + GAP if any(stated.values()) else MARGIN
    steps: dict[int, Box] = {}
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    described: list[str] = []
    row = 0
    for need in trace.needs:
        passages = _passages(trace, need, stated[need.rid], row)
        row += max(len(passages), 1) if need.looked_up else 0
        box = _step(need, steps, passages, (row - 0.5) * ROW, left)
        before = [steps[dep] for dep in need.deps]
        arrows += _arrows(need, box, before, passages)
        boxes += [*passages, box]
        steps[need.rid] = box
        described.append(_described(need, passages))
    bottom = max(box.y for box in boxes) + HEIGHT / 2 + MARGIN
    right = max(box.right for box in boxes) + MARGIN
    return Picture(right, bottom, tuple(boxes), tuple(arrows), tuple(described))


def _stated(trace: Trace, need: Need) -> list[RecordedLink]:
    """Links that state the value of a lookup, or those between which it is undecided; each
    passage once."""
    found: dict[UUID, RecordedLink] = {}
    if need.looked_up:
        for link in trace.stating(need.rid) or trace.accepted(need.rid):
            found.setdefault(link.version_id, link)
    return list(found.values())


def _passages(trace: Trace, need: Need, links: Sequence[RecordedLink], row: int) -> list[Box]:
    shown = links if len(links) <= MOST else links[: MOST - 1]
    boxes = [
        Box(
            MARGIN,
            (row + number + 0.5) * ROW,
            PASSAGE,
            "passage" if trace.uses(link) or not trace.certified else "passage spare",
            trace.titles[link.version_id],
            "" if need.value else link.value,
        )
        for number, link in enumerate(shown)
    ]
    if more := len(links) - len(shown):
        y = (row + len(shown) + 0.5) * ROW
        boxes.append(
            Box(MARGIN, y, PASSAGE, "passage spare more", f"{more} more passage{pluralize(more)}")
        )
    return boxes


def _step(
    need: Need, steps: dict[int, Box], passages: Sequence[Box], row_y: float, left: float
) -> Box:
    before = [steps[dep] for dep in need.deps]
    x = max((box.x + COLUMN for box in before), default=left)
    beside = passages if need.looked_up else before
    y = sum(box.y for box in beside) / len(beside) if beside else row_y
    taken = [box.y for box in steps.values() if box.x == x]
    while any(abs(y - other) < ROW - 1 for other in taken):
        y += ROW / 2
    words = f"{need.rid} {need.text}"
    return Box(x, y, WIDTH, f"step {need.state}", words, need.value or need.state)


def _arrows(
    need: Need, box: Box, before: Sequence[Box], passages: Sequence[Box]
) -> Iterable[Arrow]:
    """One arrow per passage; a step without passages has one from what it rests on."""
    ways = [[*before, passage] for passage in passages] or ([list(before)] if before else [])
    middle = (len(ways) - 1) / 2
    for number, tails in enumerate(ways):
        y = box.y + (number - middle) * 14
        joint = (box.x - REACH, y)
        kind = "spare" if "spare" in tails[-1].kind else need.state
        tip = f"M{box.x - 8} {y - 4.5}L{box.x} {y}L{box.x - 8} {y + 4.5}z"
        yield Arrow(
            kind,
            tuple(_line(tail.right, tail.y, *joint) for tail in tails),
            joint if len(tails) > 1 else None,
            f"M{joint[0]} {y}H{box.x - 7}",
            tip,
        )


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    """A curve that leaves and arrives level; long ones stay level until near their end."""
    bend = max(to_x - 60, x)
    return f"M{x} {y}H{bend}C{bend + 30} {y} {to_x - 30} {to_y} {to_x} {to_y}"


def _described(need: Need, passages: Sequence[Box]) -> str:
    together = [f"step {dep}" for dep in need.deps]
    ways = [" and ".join([*together, _named(box)]) for box in passages]
    source = ", or ".join(ways) or " and ".join(together)
    result = need.value or need.state
    return f"Step {need.rid}, {need.text} {result}" + (f", from {source}." if source else ".")


def _named(box: Box) -> str:
    if box.kind.endswith("more"):
        return box.words
    return f"“{box.words}”" + (f" (which states {box.value})" if box.value else "")


def _wrapped(text: str, lines: int) -> list[str]:
    """``text`` in so many lines of a box, cut where it is longer."""
    wide = any(east_asian_width(letter) in "WF" for letter in text)
    width = LETTERS // 2 if wide else LETTERS
    return textwrap.wrap(text, width, max_lines=lines, placeholder=" …")
