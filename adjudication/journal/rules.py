"""What of the journal somebody may read who may still have to judge."""

from __future__ import annotations

from typing import Final

OPEN_KINDS: Final = frozenset(
    {
        "inferencerule",
        "membership",
        "project",
        "question",
        "readerclass",
        "source",
        "sourceversion",
        "specification",
        "user",
    }
)
"""Kinds of object whose entries tell nothing of what a machine or another person answered.

A list of what is open, not of what is hidden: a kind that nobody thought of stays closed.
"""
