"""Pages of review and adjudication."""

from adjudication.review.views.adjudicating import (
    adjudicate,
    adjudication,
    adjudication_item,
    fresh_round,
)
from adjudication.review.views.agreement import agreement
from adjudication.review.views.carrying import carry_over
from adjudication.review.views.desk import desk, draft, renew, seal, skip
from adjudication.review.views.judgements import amend, judgement, others, smaller
from adjudication.review.views.overview import open_items, review, take_next

__all__ = [
    "adjudicate",
    "adjudication",
    "adjudication_item",
    "agreement",
    "amend",
    "carry_over",
    "desk",
    "draft",
    "fresh_round",
    "judgement",
    "open_items",
    "others",
    "renew",
    "review",
    "seal",
    "skip",
    "smaller",
    "take_next",
]
