"""Everything that changes the review. Each action is one transaction and one journal entry."""

from adjudication.review.actions.adjudicating import (
    adjudicate,
    ask_fresh_round,
    open_judgements,
    open_verdicts,
)
from adjudication.review.actions.assigning import LEASE, release, renew, sweep, take, take_next
from adjudication.review.actions.carrying import carry_over
from adjudication.review.actions.judging import (
    AlreadySealed,
    Incomplete,
    amend,
    propose_smaller,
    save_draft,
    seal,
)
from adjudication.review.actions.opening import Opened, open_items

__all__ = [
    "LEASE",
    "AlreadySealed",
    "Incomplete",
    "Opened",
    "adjudicate",
    "amend",
    "ask_fresh_round",
    "carry_over",
    "open_items",
    "open_judgements",
    "open_verdicts",
    "propose_smaller",
    "release",
    "renew",
    "save_draft",
    "seal",
    "sweep",
    "take",
    "take_next",
]
