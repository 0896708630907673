"""Drafts, sealed judgements and what they decide."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction

from adjudication.claims.actions import propose_evidence_set
from adjudication.claims.models import EvidenceSet
from adjudication.errors import Refused
from adjudication.journal.actions import record
from adjudication.review.actions.assigning import check_no_conflict, extend, lock, regain
from adjudication.review.answers import (
    Answers,
    answers_of,
    basis,
    completed,
    faults,
    reasons_to_json,
    to_json,
)
from adjudication.review.integrity import check_sound
from adjudication.review.models import (
    Assignment,
    Draft,
    Item,
    Judgement,
    MemberJudgement,
    Verdict,
)
from adjudication.review.queries.material import members_of
from adjudication.review.queries.queue import was_shown
from adjudication.review.queries.records import current_verdict, deciding
from adjudication.review.rules import Outcome, decide
from adjudication.review.transitions import move_assignment, move_item
from adjudication.statements import Statement, insert, insert_all, update


class AlreadySealed(Refused):
    """Another judgement was sealed here before."""


class GuidelinesChanged(Refused):
    """Another version of the guidelines came in force since the reviewer read them."""


class Incomplete(Refused):
    """The answers cannot be sealed yet; ``faults`` says why, by dimension key."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        self.faults = faults
        super().__init__(" ".join(f"{key}: {fault}" for key, fault in faults.items()))


@transaction.atomic
def save_draft(
    assignment: Assignment, answers: Answers, unsent: Mapping[str, str] | None = None
) -> Draft | None:
    """Keep answers that are not yet sealed and renew the lease; None if sealed before.

    ``unsent`` is what was typed beside them; None leaves what is kept of it.
    """
    _, assignment = lock(assignment)
    if assignment.state == Assignment.State.SEALED:
        return None
    draft, _ = Draft.objects.update_or_create(
        assignment=assignment,
        defaults={"answers": to_json(answers)} | ({} if unsent is None else {"unsent": unsent}),
    )
    extend(assignment)
    return draft


def forget_unsent(assignment: Assignment, *names: str) -> None:
    """What was typed beside the answers for these fields is sent now."""
    draft = Draft.objects.filter(assignment=assignment).first()
    if draft is not None:
        left = {name: words for name, words in draft.unsent.items() if name not in names}
        Draft.objects.filter(pk=draft.pk).update(unsent=left)


@transaction.atomic
def seal(
    assignment: Assignment, answers: Answers, *, idempotency_key: UUID, read: str | None = None
) -> Judgement:
    """Seal a judgement, once; the same key with the same answers returns the first.

    Work that lost its slot is kept as surplus. When the last slot of the round is sealed,
    agreement decides the item, or it is disputed.

    Args:
        read: id of the guidelines that the reviewer had before them, "" for none; None skips
            the check that no others came since.

    Raises:
        Incomplete: an answer or a reason is missing, or two contradict each other.
        AlreadySealed: this assignment or this key has another judgement.
        GuidelinesChanged: the judgement would name a version that the reviewer has not read.
        Refused: a member's bytes are not what they were, or a conflict of interest was declared.
    """
    item, assignment = lock(assignment)
    check_no_conflict(item, assignment)
    answers = _checked(item, answers)
    if assignment.state == Assignment.State.SEALED:
        return _same(_first_of(assignment), answers, idempotency_key)
    shown = was_shown(assignment.reviewer, item)
    counts = not shown and regain(item, assignment)
    judgement = _store(
        assignment,
        answers,
        idempotency_key=idempotency_key,
        surplus=not shown and not counts,
        after_exposure=shown,
    )
    _check_read(judgement, read)
    move_assignment(assignment, Assignment.State.SEALED)
    assignment.slot = assignment.slot if counts else None
    update(assignment, "state", "slot")
    _journal("sealed judgement", judgement)
    if counts:
        _settle(item)
    return judgement


@transaction.atomic
def amend(
    judgement: Judgement,
    answers: Answers,
    *,
    reason: str,
    idempotency_key: UUID,
    read: str | None = None,
) -> Judgement:
    """A new judgement that names the one it replaces.

    It decides in its place only while the round still waits for others and the reviewer was
    shown no hidden side; otherwise it is kept and shown. ``read`` as for ``seal``.

    Raises:
        Incomplete: as for ``seal``.
        AlreadySealed: this judgement was amended before, with other answers.
        GuidelinesChanged: as for ``seal``.
        Refused: no reason.
    """
    item, assignment = lock(judgement.assignment)
    answers = _checked(item, answers)
    if not reason.strip():
        raise Refused("Say why you amend your judgement.")
    if later := Judgement.objects.filter(amends=judgement).first():
        return _same(later, answers, idempotency_key)
    amended = _store(
        assignment,
        answers,
        idempotency_key=idempotency_key,
        surplus=judgement.surplus,
        after_exposure=judgement.after_exposure or was_shown(assignment.reviewer, item),
        amends=judgement,
        amendment_reason=reason.strip(),
    )
    _check_read(amended, read)
    _journal("amended judgement", amended)
    return amended


@transaction.atomic
def propose_smaller(judgement: Judgement) -> EvidenceSet:
    """Propose the set without the members that its judge called not needed.

    Raises:
        Refused: every member was needed, or none would be left.
    """
    said = answers_of(judgement)
    members = members_of(judgement.item)
    kept = [m for m in members if said.member(m.pk).needed != MemberJudgement.Needed.NOT_NEEDED]
    if len(kept) == len(members):
        raise Refused("You called every member needed, so there is no smaller set to propose.")
    evidence_set = judgement.item.evidence_set
    return propose_evidence_set(
        evidence_set.claim,
        [member.span for member in kept],
        origin=EvidenceSet.Origin.PERSON,
        author=judgement.reviewer,
        rules=list(evidence_set.rules.all()),
    )


def _checked(item: Item, answers: Answers) -> Answers:
    members = members_of(item)
    check_sound(members)
    keys = [member.pk for member in members]
    if found := faults(answers, keys):
        raise Incomplete(found)
    return completed(answers, keys)


def _check_read(judgement: Judgement, read: str | None) -> None:
    if read is not None and read != str(judgement.guideline_id or ""):
        raise GuidelinesChanged("The guidelines changed: read them and seal again.")


def _first_of(assignment: Assignment) -> Judgement:
    return Judgement.objects.get(assignment=assignment, amends__isnull=True)


def _same(known: Judgement, answers: Answers, key: UUID) -> Judgement:
    if known.idempotency_key == key and answers_of(known) == answers:
        return known
    raise AlreadySealed(
        "You sealed another judgement here before, and that one stands. "
        "To change it, amend it with a reason."
    )


def _store(
    assignment: Assignment,
    answers: Answers,
    *,
    idempotency_key: UUID,
    surplus: bool,
    after_exposure: bool,
    amends: Judgement | None = None,
    amendment_reason: str = "",
) -> Judgement:
    if _USED(assignment.reviewer_id, idempotency_key):
        raise AlreadySealed("This key has sealed another judgement: use a new key for each.")
    judgement = Judgement(
        item=assignment.item,
        assignment=assignment,
        reviewer=assignment.reviewer,
        round=assignment.round,
        idempotency_key=idempotency_key,
        minimality_basis=basis(answers),
        reasons=reasons_to_json(answers.reasons),
        surplus=surplus,
        after_exposure=after_exposure,
        amends=amends,
        amendment_reason=amendment_reason,
        **answers.given,
    )
    insert(judgement, "guideline")
    insert_all(
        [
            MemberJudgement(
                judgement=judgement,
                member_id=key,
                needed=member.needed,
                measured=member.measured,
                admissible=member.admissible,
            )
            for key, member in answers.members.items()
        ]
    )
    return judgement


_USED = Statement(
    lambda reviewer, key: Judgement.objects.filter(
        reviewer=reviewer, idempotency_key=key
    ).values_list("pk")
)


_STATE_OF = {
    Outcome.ACCEPTED: Item.State.ACCEPTED,
    Outcome.REJECTED: Item.State.REJECTED,
    Outcome.DISPUTED: Item.State.DISPUTED,
}


def _settle(item: Item) -> None:
    """Decide a locked item whose round may be complete."""
    counted = deciding(_OF_ROUND(item.pk, item.round))
    outcome = decide([answers_of(j) for j in counted], item.specification.reviewers_per_item)
    if outcome is Outcome.WAITING:
        return
    move_item(item, _STATE_OF[outcome])
    if outcome is not Outcome.DISPUTED:
        verdict = Verdict(
            item=item,
            round=item.round,
            decision=outcome.value,
            basis=Verdict.Basis.AGREEMENT,
            judgements=sorted(j.pk for j in counted),
            supersedes=current_verdict(item),
        )
        insert(verdict)
    record(f"{outcome.value} by the reviewers", item, actor=None, project_id=item.project_id)


_OF_ROUND = Statement(
    lambda item, round_: Judgement.objects.filter(item=item, round=round_).prefetch_related(
        "members"
    )
)


def _journal(verb: str, judgement: Judgement) -> None:
    record(verb, judgement, actor=judgement.reviewer, project_id=judgement.item.project_id)
