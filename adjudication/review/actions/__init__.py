"""Everything that changes the review. Each action is one transaction and one journal entry."""

from adjudication.review.actions.adjudicating import (
    adjudicate,
    ask_fresh_round,
    open_judgements,
    open_verdicts,
    reopen,
)
from adjudication.review.actions.assigning import (
    LEASE,
    check_no_conflict,
    release,
    renew,
    sweep,
    take,
    take_back,
    take_next,
)
from adjudication.review.actions.carrying import carry_over
from adjudication.review.actions.discussing import (
    comment,
    flag,
    open_flags,
    publish_guidelines,
    resolve_flag,
)
from adjudication.review.actions.judging import (
    AlreadySealed,
    GuidelinesChanged,
    Incomplete,
    amend,
    forget_unsent,
    propose_smaller,
    save_draft,
    seal,
)
from adjudication.review.actions.opening import Opened, open_items

__all__ = [
    "LEASE",
    "AlreadySealed",
    "GuidelinesChanged",
    "Incomplete",
    "Opened",
    "adjudicate",
    "amend",
    "ask_fresh_round",
    "carry_over",
    "check_no_conflict",
    "comment",
    "flag",
    "forget_unsent",
    "open_flags",
    "open_items",
    "open_judgements",
    "open_verdicts",
    "propose_smaller",
    "publish_guidelines",
    "release",
    "renew",
    "reopen",
    "resolve_flag",
    "save_draft",
    "seal",
    "sweep",
    "take",
    "take_back",
    "take_next",
]
