"""Who sees which side of an item, and when. The one place that decides it; pure.

Pages, interfaces, exports and live updates ask ``may_see`` and show nothing it does not
grant. What a person answered themselves is theirs and is not asked about.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, IntEnum


class Relation(Enum):
    """What a person is to one item. Whoever reviews it is its reviewer, whatever else."""

    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ANNOTATOR = "annotator"
    LEAD = "lead"
    AUDITOR = "auditor"
    MEMBER = "member"


class Phase(IntEnum):
    """How far an item is for this person; each phase includes what the ones before show."""

    OPEN = 1
    """Before their own seal; for an annotator, while the batch is open."""
    SEALED = 2
    """They sealed, others have not."""
    ALL_SEALED = 3
    """Every judgement of the round is sealed."""
    DECIDED = 4
    """A verdict stands; for an annotator, the batch is closed."""
    RELEASED = 5
    """The verdict is part of a released annotation version."""


class Side(Enum):
    MATERIAL = "claim, members, context, rules and requirements"
    MACHINE = "links, derivation, certificate or abstention"
    PROPOSER = "who proposed the set: a data set, a person or a run"
    JUDGEMENTS = "others' answers, counts and comments"
    FLAGS = "others' flags, and what became of any flag"
    AUDIT_CLASS = "class, stratum or machine verdict of an audited object"


class Sight(Enum):
    """What is granted. ``EXPOSED`` is everything, at the price of a recorded exposure."""

    NOTHING = "nothing"
    TOTALS = "totals only"
    OWN_OBJECT = "the audited link or set only"
    NAMELESS = "everything but names"
    EXPOSED = "everything, recorded as an exposure"
    FULL = "everything"


_Grants = tuple[tuple[Phase, Sight], ...]

# From which phase on a relation is granted what; before the first phase, nothing.
_TABLE: dict[Relation, dict[Side, _Grants]] = {
    Relation.REVIEWER: {
        Side.MATERIAL: ((Phase.OPEN, Sight.FULL),),
        Side.MACHINE: ((Phase.SEALED, Sight.EXPOSED),),
        Side.PROPOSER: ((Phase.SEALED, Sight.EXPOSED),),
        Side.JUDGEMENTS: ((Phase.ALL_SEALED, Sight.NAMELESS),),
        Side.FLAGS: ((Phase.ALL_SEALED, Sight.NAMELESS),),
    },
    Relation.ADJUDICATOR: {
        Side.MATERIAL: ((Phase.OPEN, Sight.FULL),),
        Side.MACHINE: ((Phase.DECIDED, Sight.FULL),),
        Side.PROPOSER: ((Phase.DECIDED, Sight.FULL),),
        Side.JUDGEMENTS: ((Phase.ALL_SEALED, Sight.NAMELESS),),
        Side.FLAGS: ((Phase.ALL_SEALED, Sight.NAMELESS),),
    },
    Relation.ANNOTATOR: {
        Side.MATERIAL: ((Phase.OPEN, Sight.OWN_OBJECT), (Phase.DECIDED, Sight.FULL)),
        Side.MACHINE: ((Phase.DECIDED, Sight.FULL),),
        Side.PROPOSER: ((Phase.DECIDED, Sight.FULL),),
        Side.JUDGEMENTS: ((Phase.DECIDED, Sight.FULL),),
        Side.FLAGS: ((Phase.DECIDED, Sight.FULL),),
        Side.AUDIT_CLASS: ((Phase.DECIDED, Sight.FULL),),
    },
    Relation.LEAD: {
        Side.MATERIAL: ((Phase.OPEN, Sight.FULL),),
        Side.MACHINE: ((Phase.OPEN, Sight.EXPOSED),),
        Side.PROPOSER: ((Phase.OPEN, Sight.EXPOSED),),
        Side.JUDGEMENTS: ((Phase.OPEN, Sight.TOTALS), (Phase.ALL_SEALED, Sight.FULL)),
        # Somebody has to put right what is wrong with an item while it is judged.
        Side.FLAGS: ((Phase.OPEN, Sight.EXPOSED), (Phase.ALL_SEALED, Sight.FULL)),
        Side.AUDIT_CLASS: ((Phase.OPEN, Sight.TOTALS),),
    },
    Relation.AUDITOR: {
        Side.MATERIAL: ((Phase.OPEN, Sight.FULL),),
        Side.MACHINE: ((Phase.RELEASED, Sight.FULL),),
        Side.PROPOSER: ((Phase.RELEASED, Sight.FULL),),
        Side.JUDGEMENTS: ((Phase.RELEASED, Sight.FULL),),
        Side.FLAGS: ((Phase.RELEASED, Sight.FULL),),
        Side.AUDIT_CLASS: ((Phase.RELEASED, Sight.FULL),),
    },
    Relation.MEMBER: {Side.MATERIAL: ((Phase.OPEN, Sight.FULL),)},
}


PERMISSIBLE = frozenset({Side.MACHINE, Side.PROPOSER})
"""What a specification can let reviewers see before their seal."""


def may_see(
    relation: Relation, phase: Phase, side: Side, permitted: Collection[Side] = ()
) -> Sight:
    """What ``relation`` may see of ``side`` in ``phase``.

    ``permitted`` are the sides that the item's specification shows every reviewer from the
    start, so that seeing them is no exposure. Nobody else is shown more for it.
    """
    if relation is Relation.REVIEWER and side in PERMISSIBLE.intersection(permitted):
        return Sight.FULL
    granted = Sight.NOTHING
    for start, sight in _TABLE[relation].get(side, ()):
        if phase >= start:
            granted = sight
    return granted
