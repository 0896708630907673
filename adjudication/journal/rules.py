"""What of the journal a page shows, and what to somebody who may still have to judge."""

from __future__ import annotations

from typing import Final

OPEN_KINDS: Final = frozenset(
    {
        "guideline",
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

KEYED_DIGESTS: Final = frozenset({"annotationversion"})
"""Kinds of object whose digest tells nothing of the words under it.

Any other digest covers source texts, and who lacks a few words of them could guess those. It is
shown on the page of its object, to whoever may read everything under it.
"""
