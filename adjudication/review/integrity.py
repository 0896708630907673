"""Whether a member still is what was captured: checked whenever it is shown for judgement."""

from __future__ import annotations

from collections.abc import Iterable

from adjudication.claims.models import EvidenceMember
from adjudication.corpus.soundness import is_sound
from adjudication.errors import Refused

DAMAGED = "is damaged: its bytes are not those that were captured."


def check_sound(members: Iterable[EvidenceMember]) -> None:
    """Raises Refused, naming the member, if one is no longer what was captured."""
    if member := first_damaged(members):
        raise Refused(
            f"Member {member.ordinal} {DAMAGED} It cannot be judged; tell the lead of the project."
        )


def first_damaged(members: Iterable[EvidenceMember]) -> EvidenceMember | None:
    """The first member that is no longer what was captured, if one is."""
    return next((member for member in members if not is_sound(member.span)), None)
