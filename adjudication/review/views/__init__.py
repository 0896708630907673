"""Pages of review and adjudication."""

from adjudication.review.views.adjudicating import (
    adjudicate,
    adjudication,
    adjudication_item,
    fresh_round,
    reopen,
)
from adjudication.review.views.adjudicating import comment as adjudication_comment
from adjudication.review.views.agreement import agreement
from adjudication.review.views.carrying import carry_over
from adjudication.review.views.desk import comment as desk_comment
from adjudication.review.views.desk import desk, draft, renew, seal, skip
from adjudication.review.views.desk import flag as desk_flag
from adjudication.review.views.discussing import flag, flags, guidelines, guidelines_diff, resolve
from adjudication.review.views.judgements import amend, judgement, others, smaller
from adjudication.review.views.judgements import comment as judgement_comment
from adjudication.review.views.overview import open_items, review, take_next
from adjudication.review.views.workload import take_back, workload

__all__ = [
    "adjudicate",
    "adjudication",
    "adjudication_comment",
    "adjudication_item",
    "agreement",
    "amend",
    "carry_over",
    "desk",
    "desk_comment",
    "desk_flag",
    "draft",
    "flag",
    "flags",
    "fresh_round",
    "guidelines",
    "guidelines_diff",
    "judgement",
    "judgement_comment",
    "open_items",
    "others",
    "renew",
    "reopen",
    "resolve",
    "review",
    "seal",
    "skip",
    "smaller",
    "take_back",
    "take_next",
    "workload",
]
