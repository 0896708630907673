"""Independent judgements on evidence sets, and the verdicts that follow from them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast, Left, Now

from adjudication.append_only import AppendOnly
from adjudication.claims.models import EvidenceMember, EvidenceSet
from adjudication.projects.models import Project
from adjudication.review.discussion import Guideline
from adjudication.specifications.models import Specification

QUEUE_DIGITS = 3
"""Of an item's id: 4,096 buckets, few enough to be put in an order for each person."""


class Item(models.Model):
    """An evidence set under review for one specification.

    The only mutable row about a set: it carries the state and is what gets locked.
    ``round`` counts independent rounds; a fresh round needs fresh reviewers.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed", "proposed"
        IN_REVIEW = "in-review", "in review"
        ACCEPTED = "accepted", "accepted"
        REJECTED = "rejected", "rejected"
        DISPUTED = "disputed", "disputed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    specification = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=12, choices=State.choices, default=State.PROPOSED)
    round = models.PositiveSmallIntegerField(default=1)
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["specification", "evidence_set"], name="item_once_per_specification"
            )
        ]
        indexes = [
            models.Index(fields=["project", "state"], name="item_project_state"),
            # The queue is walked by the first digits of ids, over what is still open.
            models.Index(
                "specification",
                Left(Cast("id", models.TextField()), QUEUE_DIGITS),
                condition=Q(state__in=["proposed", "in-review"]),
                name="item_open_by_digits",
            ),
        ]


OPEN_STATES = (Item.State.PROPOSED, Item.State.IN_REVIEW)
"""In which an item takes judgements."""

WITHOUT_VERDICT = (*OPEN_STATES, Item.State.DISPUTED)
"""In which no verdict stands on an item yet."""


class Assignment(models.Model):
    """A reviewer holds an item for a while. ``slot`` 1..k makes over-assignment impossible;
    late work that found its slot given away has none and is surplus."""

    class State(models.TextChoices):
        HELD = "held", "held"
        SEALED = "sealed", "sealed"
        RELEASED = "released", "released"
        EXPIRED = "expired", "expired"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="assignments")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    round = models.PositiveSmallIntegerField()
    slot = models.PositiveSmallIntegerField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    lease_until = models.DateTimeField()
    held_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "reviewer"], name="item_once_per_reviewer"),
            models.UniqueConstraint(
                fields=["item", "round", "slot"],
                condition=Q(state__in=["held", "sealed"]),
                name="slot_taken_once",
            ),
            models.CheckConstraint(condition=Q(slot__range=(1, 9)), name="slot_1_to_9"),
        ]
        indexes = [
            models.Index(fields=["reviewer", "state"], name="assignment_reviewer_state"),
            models.Index(
                fields=["lease_until"], condition=Q(state="held"), name="assignment_held_until"
            ),
        ]


class Draft(models.Model):
    """Answers not yet sealed. Only their author ever reads them.

    ``unsent`` is what was typed beside them for a comment or a flag, by field of the desk.
    """

    assignment = models.OneToOneField(
        Assignment, on_delete=models.PROTECT, primary_key=True, related_name="draft"
    )
    answers = models.JSONField(default=dict)
    unsent = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)


class Entailment(models.TextChoices):
    ENTAILS = "entails", "entails"
    DOES_NOT = "does-not", "does not"
    UNSURE = "unsure", "unsure"


class Minimality(models.TextChoices):
    MINIMAL = "minimal", "minimal"
    NOT_MINIMAL = "not-minimal", "not minimal"
    UNSURE = "unsure", "unsure"


class Admissibility(models.TextChoices):
    ADMISSIBLE = "admissible", "admissible"
    NOT_ADMISSIBLE = "not-admissible", "not admissible"
    UNSURE = "unsure", "unsure"


class Alternatives(models.TextChoices):
    ON_ITS_OWN = "on-its-own", "on its own"
    LEANS = "leans", "leans on another"
    NOT_APPLICABLE = "not-applicable", "not applicable"


class ContradictionAnswer(models.TextChoices):
    NONE = "none", "none"
    IMMATERIAL = "immaterial", "immaterial"
    MATERIAL = "material", "material"
    RESOLVED = "resolved", "resolved"


class Boundary(models.TextChoices):
    WITHIN = "within", "within"
    ADDS = "adds", "adds a claim"
    NOT_APPLICABLE = "not-applicable", "not applicable"


class Judgement(AppendOnly):
    """One reviewer's sealed record on one evidence set: six answers with reasons.

    ``reasons`` maps a dimension to ``{"choice", "words"}``: a reason of its closed list and
    what the reviewer added. ``surplus`` and ``after_exposure`` records are kept and shown
    but never decide. ``guideline`` is the version in force at the seal, set by the database;
    none where the project had none.
    """

    class Basis(models.TextChoices):
        ASSERTED = "asserted", "asserted"
        MEASURED = "measured", "measured by blind removal"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="+")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    round = models.PositiveSmallIntegerField()
    idempotency_key = models.UUIDField()
    entailment = models.CharField(max_length=20, choices=Entailment.choices)
    minimality = models.CharField(max_length=20, choices=Minimality.choices)
    minimality_basis = models.CharField(max_length=10, choices=Basis.choices)
    admissibility = models.CharField(max_length=20, choices=Admissibility.choices)
    alternatives = models.CharField(max_length=20, choices=Alternatives.choices)
    contradiction = models.CharField(max_length=20, choices=ContradictionAnswer.choices)
    boundary = models.CharField(max_length=20, choices=Boundary.choices)
    reasons = models.JSONField(default=dict)
    surplus = models.BooleanField(default=False)
    after_exposure = models.BooleanField(default=False)
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")
    amends = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="+")
    amendment_reason = models.TextField(blank=True)
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["reviewer", "idempotency_key"], name="judgement_sealed_once"
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(amends__isnull=True),
                name="one_first_judgement_per_assignment",
            ),
            models.CheckConstraint(
                condition=Q(entailment__in=Entailment.values)
                & Q(minimality__in=Minimality.values)
                & Q(minimality_basis__in=["asserted", "measured"])
                & Q(admissibility__in=Admissibility.values)
                & Q(alternatives__in=Alternatives.values)
                & Q(contradiction__in=ContradictionAnswer.values)
                & Q(boundary__in=Boundary.values),
                name="judgement_answers_known",
            ),
            models.CheckConstraint(
                condition=Q(amends__isnull=True, amendment_reason="")
                | (Q(amends__isnull=False) & ~Q(amendment_reason="")),
                name="amendment_has_reason",
            ),
        ]


class MemberJudgement(AppendOnly):
    """Per member: is it needed in this set, is it admissible."""

    class Needed(models.TextChoices):
        NEEDED = "needed", "needed"
        NOT_NEEDED = "not-needed", "not needed"
        UNSURE = "unsure", "unsure"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    judgement = models.ForeignKey(Judgement, on_delete=models.PROTECT, related_name="members")
    member = models.ForeignKey(EvidenceMember, on_delete=models.PROTECT, related_name="+")
    needed = models.CharField(max_length=12, choices=Needed.choices)
    measured = models.BooleanField(default=False)
    admissible = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgement", "member"], name="member_judged_once"),
            models.CheckConstraint(
                condition=Q(needed__in=["needed", "not-needed", "unsure"]),
                name="member_judgement_known",
            ),
        ]


class CarryOver(AppendOnly):
    """One action that took verdicts of an earlier specification into a later one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    earlier = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    later = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="carry_over_has_reason")
        ]


class Verdict(AppendOnly):
    """The decision on an evidence set. Superseded by a later one, never edited.

    A carried one names the verdict of an earlier specification, reached by people, that it
    repeats: same set, same decision, same judgements.
    """

    class Decision(models.TextChoices):
        ACCEPTED = "accepted", "accepted"
        REJECTED = "rejected", "rejected"

    class Basis(models.TextChoices):
        AGREEMENT = "agreement", "agreement of the reviewers"
        ADJUDICATION = "adjudication", "an adjudicator's decision"
        CARRIED = "carried", "carried over from an earlier specification"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    round = models.PositiveSmallIntegerField()
    decision = models.CharField(max_length=10, choices=Decision.choices)
    basis = models.CharField(max_length=12, choices=Basis.choices)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField(blank=True)
    judgements = ArrayField(models.UUIDField(), default=list)
    supersedes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="+")
    carried_from = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    carry_over = models.ForeignKey(
        CarryOver, on_delete=models.PROTECT, null=True, related_name="verdicts"
    )
    decided_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            # One first verdict per item; every later one continues the chain.
            models.UniqueConstraint(
                fields=["item"],
                condition=Q(supersedes__isnull=True),
                name="one_first_verdict_per_item",
            ),
            models.CheckConstraint(
                condition=Q(basis__in=["agreement", "carried"], by__isnull=True)
                | (Q(basis="adjudication", by__isnull=False) & ~Q(reason="")),
                name="adjudication_has_person_and_reason",
            ),
            models.CheckConstraint(
                condition=Q(basis="carried", carried_from__isnull=False, carry_over__isnull=False)
                | (~Q(basis="carried") & Q(carried_from__isnull=True, carry_over__isnull=True)),
                name="carried_names_its_origin",
            ),
            models.CheckConstraint(
                condition=Q(decision__in=["accepted", "rejected"]), name="verdict_decision_known"
            ),
        ]

    @property
    def basis_in_words(self) -> str:
        """How it was reached; of a carried one, how and where people reached it."""
        original = self.carried_from
        if original is None:
            return self.get_basis_display()
        number = original.item.specification.number
        return f"{original.get_basis_display()}, carried over from specification {number}"


class FreshRound(AppendOnly):
    """An adjudicator asked for round ``round`` of independent judgements by other reviewers."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    round = models.PositiveSmallIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "round"], name="fresh_round_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="fresh_round_has_reason"),
        ]


class Reopening(AppendOnly):
    """A lead or an adjudicator put a verdict in question: its item waits for another one.

    The verdict stays as it is. One that follows supersedes it, and stands beside it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    verdict = models.OneToOneField(Verdict, on_delete=models.PROTECT, related_name="reopening")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="reopening_has_reason")]
