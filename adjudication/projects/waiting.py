"""What waits for a person, as every app reports it to the home page of a project."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """One line of an inbox: "3 of 60 sets to judge" with its next action.

    ``home_counts(membership) -> tuple[Waiting, ...]`` of an app returns the lines that
    concern this member's roles. ``count`` is what still waits and ``of`` the fixed whole it
    is counted against (None where there is none); both must be facts that this member may
    know, so a reviewer's line holds their own totals only.
    """

    label: str
    count: int
    of: int | None
    url: str
    action: str
