"""Choices that a recorded seed fixes, alike on every machine and Python version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from certify_core.canonical import digest

Option = TypeVar("Option")


def draw(options: Sequence[Option], seed: int, key: str) -> Option:
    """One of the options, depending on nothing but their number, the seed and the key.

    Raises:
        IndexError: there are no options.
    """
    return options[int(digest([seed, key]), 16) % max(len(options), 1)]
