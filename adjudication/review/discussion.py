"""What people say beside the judgements: guidelines, comments and flags."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.projects.models import Project

GUIDELINE_LENGTH = 50_000
"""Characters of guidelines: more than anybody reads beside a desk."""


class Guideline(AppendOnly):
    """How reviewers of a project are asked to judge. The last version is the one in force.

    ``text`` is Markdown. Each judgement names the version in force when it was sealed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guideline_number_once"),
            models.CheckConstraint(
                condition=~Q(text="") & ~Q(reason=""), name="guideline_has_text_and_reason"
            ),
        ]


class Comment(AppendOnly):
    """Somebody's words on an item. ``capacity`` is what they were to it when they wrote them."""

    class Capacity(models.TextChoices):
        REVIEWER = "reviewer", "Reviewer"
        ADJUDICATOR = "adjudicator", "Adjudicator"
        LEAD = "lead", "Lead"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey("review.Item", on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    capacity = models.CharField(max_length=12, choices=Capacity.choices)
    text = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="comment_has_text"),
            models.CheckConstraint(
                condition=Q(capacity__in=["reviewer", "adjudicator", "lead"]),
                name="comment_capacity_known",
            ),
        ]


class Flag(AppendOnly):
    """A reviewer says that something is wrong with an item they have in hand.

    It is neither a judgement nor a skip. A conflict of interest holds for the evidence set:
    whoever declared one never has it in hand again, under any specification.
    """

    class Kind(models.TextChoices):
        BROKEN_EXCERPT = "broken-excerpt", "an excerpt is broken"
        WRONG_CLAIM = "wrong-claim", "the claim is wrong or not atomic"
        NOT_COMPETENT = "not-competent", "not in my competence"
        CONFLICT = "conflict", "conflict of interest"
        OTHER = "other", "something else"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    item = models.ForeignKey("review.Item", on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    words = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=["broken-excerpt", "wrong-claim", "not-competent", "conflict", "other"]
                ),
                name="flag_kind_known",
            ),
            models.CheckConstraint(
                condition=~Q(kind="other", words=""), name="flag_for_something_else_says_what"
            ),
        ]


class FlagResolution(AppendOnly):
    """What became of a flag, and why."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    flag = models.OneToOneField(Flag, on_delete=models.PROTECT, related_name="resolution")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="flag_resolution_has_reason")
        ]
