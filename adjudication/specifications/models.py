"""The frozen test: under which rules, over which versions, evidence sets are judged."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from adjudication.claims.models import InferenceRule
from adjudication.corpus.models import SHA256, SourceVersion
from adjudication.projects.models import Project, ReaderClass


class Demand(models.TextChoices):
    """What a source policy may demand of a version: each can be looked up, none is a judgement."""

    LICENCE = "licence-recorded", "its licence is recorded"
    AUTHORITY = "authority-recorded", "its authority is recorded"
    OBSERVED = "observed-established", "when it was observed is established"
    PUBLISHED = "published-established", "when it was published is established"
    EFFECTIVE = "effective-established", "from when it is in effect is established"
    UNDISPUTED = "no-open-dispute", "no open dispute is noted on it"


class Specification(models.Model):
    """Numbered per project. A draft may change; once frozen a trigger refuses every change.

    ``body`` and ``sha256`` are written on freezing: the canonical JSON of everything below
    and its digest. ``corpus_sha256`` digests the eligible versions and their bytes.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        FROZEN = "frozen", "frozen"

    class Granularity(models.TextChoices):
        SPAN = "span", "a citation must contain each member's range"
        DOCUMENT = "document", "a whole cited document counts for its members"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="specifications")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    corpus_boundary = models.TextField()
    observation_cutoff = models.DateTimeField()
    population = models.TextField()
    answerability_policy = models.TextField()
    granularity = models.CharField(
        max_length=10, choices=Granularity.choices, default=Granularity.SPAN
    )
    reviewers_per_item = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1), MaxValueValidator(9)]
    )
    consequential_policy = models.TextField()
    origins = ArrayField(
        models.CharField(max_length=60),
        default=list,
        blank=True,
        help_text="the origins whose sources are inside; none named means every origin",
    )
    source_policy = ArrayField(
        models.CharField(max_length=24, choices=Demand.choices), default=list, blank=True
    )
    shows_proposer = models.BooleanField(default=False)
    shows_machine = models.BooleanField(default=False)
    reader_classes = models.ManyToManyField(ReaderClass, related_name="+")
    rules = models.ManyToManyField(InferenceRule, related_name="+")
    body = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True, validators=[SHA256])
    corpus_sha256 = models.CharField(max_length=64, blank=True, validators=[SHA256])
    created_at = models.DateTimeField(db_default=Now())
    frozen_at = models.DateTimeField(null=True)
    frozen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="specification_number_once"),
            models.UniqueConstraint(
                fields=["project"], condition=Q(state="draft"), name="one_draft_per_project"
            ),
            models.CheckConstraint(
                condition=Q(reviewers_per_item__range=(1, 9)), name="reviewers_per_item_1_to_9"
            ),
            models.CheckConstraint(
                condition=Q(source_policy__contained_by=Demand.values), name="source_policy_known"
            ),
            models.CheckConstraint(
                condition=Q(state="draft", frozen_at__isnull=True)
                | (Q(state="frozen", frozen_at__isnull=False) & ~Q(sha256="") & ~Q(body="")),
                name="frozen_has_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"specification {self.number}"


class EligibleVersion(models.Model):
    """A source version inside a specification's evidence universe (fixed on freezing)."""

    id = models.BigAutoField(primary_key=True)
    specification = models.ForeignKey(
        Specification, on_delete=models.PROTECT, related_name="eligible"
    )
    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["specification", "version"], name="eligible_once")
        ]
