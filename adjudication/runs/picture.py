"""A derivation as a picture: steps as boxes, what is needed together joined into one arrow.

Passages stand on the left in the row of the step they feed, steps further right the more
they rest on. A second passage for the same value is an arrow of its own: an alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudication.runs.trace import Need, Trace

ROW, COLUMN, GAP = 60, 276, 64
WIDTH, HEIGHT, PASSAGE = 212, 46, 200
MARGIN, REACH = 8, 26
LETTERS = 27  # that fit a box


@dataclass(frozen=True, slots=True)
class Box:
    """A step or a passage. ``y`` is its middle; ``kind`` becomes its class."""

    x: float
    y: float
    width: float
    kind: str
    lines: tuple[str, ...]
    title: str

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
    def text_lines(self) -> list[tuple[float, str]]:
        first = self.y + 4.5 - 9 * (len(self.lines) - 1)
        return [(first + 18 * number, line) for number, line in enumerate(self.lines)]


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
    left = MARGIN + PASSAGE + GAP if any(map(trace.stating, trace.known)) else MARGIN
    steps: dict[int, Box] = {}
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    described: list[str] = []
    row = 0
    for need in trace.needs:
        passages = _passages(trace, need, row)
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


def _passages(trace: Trace, need: Need, row: int) -> list[Box]:
    return [
        Box(
            MARGIN,
            (row + number + 0.5) * ROW,
            PASSAGE,
            "passage" if trace.uses(link) or not trace.certified else "passage spare",
            (_short(trace.titles[link.version_id]),),
            trace.titles[link.version_id],
        )
        for number, link in enumerate(trace.stating(need.rid) if need.looked_up else ())
    ]


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
    lines = (_short(f"{need.rid} {need.text}"), _short(need.value or need.state))
    return Box(x, y, WIDTH, f"step {need.state}", lines, f"{need.text} {need.value or need.state}")


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
    ways = [" and ".join([*together, f"“{box.title}”"]) for box in passages]
    source = ", or ".join(ways) or " and ".join(together)
    result = need.value or need.state
    return f"Step {need.rid}, {need.text} {result}" + (f", from {source}." if source else ".")


def _short(text: str) -> str:
    return text if len(text) <= LETTERS else text[: LETTERS - 1].rstrip() + "…"
