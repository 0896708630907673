"""Reading the review. What shows a judgement asks ``visibility`` first."""

from adjudication.review.queries.counts import (
    Progress,
    StateCounts,
    Workload,
    home_counts,
    progress_of,
    state_counts,
    workload,
)
from adjudication.review.queries.items import (
    awaiting_opening,
    disputed_items,
    item_for,
    items_of,
)
from adjudication.review.queries.material import Material, Member, material_of
from adjudication.review.queries.queue import (
    assignment_for,
    available_to,
    cleared_items,
    held_by,
    unexposed,
)
from adjudication.review.queries.records import (
    Adjudicated,
    Sealed,
    Seen,
    adjudicated_items,
    amendment_of,
    current_verdict,
    is_permitted,
    judgement_for,
    judgements_seen,
    phase_of,
    relation_to,
    sealed_by,
)
from adjudication.review.queries.staffing import short_of_reviewers

__all__ = [
    "Adjudicated",
    "Material",
    "Member",
    "Progress",
    "Sealed",
    "Seen",
    "StateCounts",
    "Workload",
    "adjudicated_items",
    "amendment_of",
    "assignment_for",
    "available_to",
    "awaiting_opening",
    "cleared_items",
    "current_verdict",
    "disputed_items",
    "held_by",
    "home_counts",
    "is_permitted",
    "item_for",
    "items_of",
    "judgement_for",
    "judgements_seen",
    "material_of",
    "phase_of",
    "progress_of",
    "relation_to",
    "sealed_by",
    "short_of_reviewers",
    "state_counts",
    "unexposed",
    "workload",
]
