"""Every pair of colours that meets on a page is readable, in light and in dark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = Path(__file__).parents[2] / "static" / "css" / "tokens.css"
STATES = ("open", "accepted", "disputed", "blocked")
GROUNDS = ("paper", "surface", "sunken")
# WCAG 2.2: 4.5 for text (1.4.3), 3 for the edges of controls and for marks (1.4.11).
TEXT = [(front, ground) for front in ("ink", "ink-2", *STATES) for ground in GROUNDS]
TEXT += [(state, f"{state}-bg") for state in STATES]
TEXT += [("on-evidence", "evidence"), ("on-press", "press"), ("on-press", "press-hover")]
EDGES = [("line-strong", ground) for ground in GROUNDS]
EDGES += [("evidence-edge", ground) for ground in ("paper", "surface")]


def colours(scheme: str) -> dict[str, str]:
    """Token name to #rrggbb, as the browser resolves them under ``scheme``."""
    light, dark = TOKENS.read_text().split("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    if scheme == "dark":
        found |= re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark)
    return found


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("front", "ground", "least"),
    [(*pair, 4.5) for pair in TEXT] + [(*pair, 3.0) for pair in EDGES],
)
def test_contrast_of_colours_that_meet(scheme: str, front: str, ground: str, least: float) -> None:
    """Text reaches 4.5 to 1 and edges 3 to 1 under both colour schemes."""
    found = colours(scheme)
    assert ratio(found[front], found[ground]) >= least


def test_ratio_of_black_on_white() -> None:
    """The measure itself is right at its known end points."""
    assert ratio("#000000", "#ffffff") == pytest.approx(21)
    assert ratio("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
