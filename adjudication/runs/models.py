"""Certify over a set of questions: one configuration, one attempt per question, every step kept."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.claims.models import Claim, EvidenceSet, Question
from adjudication.corpus.models import SHA256, SourceVersion
from adjudication.projects.models import Project
from adjudication.specifications.models import Specification


class Run(AppendOnly):
    """A frozen configuration over a frozen specification. Its progress is its attempts'."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    specification = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    configuration = models.JSONField()
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    code_version = models.CharField(max_length=80)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="run_number_once")
        ]

    def __str__(self) -> str:
        return f"run {self.number}"


class Attempt(models.Model):
    """One try at one question. The row is the outbox: a broker message is only a hint.

    Claimed with a fresh ``token`` and a lease by the database's clock; only the holder of
    the token can finish it. A retry is a new attempt with the next number.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        CERTIFIED = "certified", "certified"
        ABSTAINED = "abstained", "abstained"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="attempts")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    deliveries = models.PositiveSmallIntegerField(default=0)
    token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    queued_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "question", "number"], name="attempt_once"),
            models.UniqueConstraint(
                fields=["run", "question"],
                condition=~Q(state="failed"),
                name="one_living_attempt_per_question",
            ),
            models.CheckConstraint(
                condition=Q(state="running", token__isnull=False, lease_until__isnull=False)
                | ~Q(state="running"),
                name="running_attempt_is_leased",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                condition=Q(state__in=["queued", "running"]),
                name="attempt_unfinished",
            )
        ]


class RecordedSearch(AppendOnly):
    """A retrieval: what was asked for a requirement, and the ranked versions that came."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="searches")
    ordinal = models.PositiveIntegerField()
    requirement = models.PositiveIntegerField()
    binding = models.JSONField(default=list)
    query = models.TextField()
    round = models.PositiveSmallIntegerField()
    versions = ArrayField(models.UUIDField(), default=list)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "ordinal"], name="search_ordinal_once")
        ]


class RecordedLink(AppendOnly):
    """A version states a value for a requirement about exactly this entity, or does not."""

    class Grade(models.TextChoices):
        ANCHORED = "anchored", "anchored by title"
        VERIFIED = "verified", "verified by the reader"
        REJECTED = "rejected", "rejected"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="links")
    ordinal = models.PositiveIntegerField()
    requirement = models.PositiveIntegerField()
    binding = models.JSONField(default=list)
    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="+")
    value = models.TextField()
    canonical = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    sentence_start = models.PositiveIntegerField()
    sentence_end = models.PositiveIntegerField()
    grade = models.CharField(max_length=10, choices=Grade.choices)
    reason = models.TextField()
    cue = models.CharField(max_length=120)
    rank = models.PositiveIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "ordinal"], name="link_ordinal_once")
        ]


class Outcome(AppendOnly):
    """How a question ended: a certificate or an abstention, once per run.

    ``body`` is the core's value as JSON (derivation, core and alternatives, or the open and
    blocked requirements). A certificate names the claim and the evidence set it proposed.
    """

    class Kind(models.TextChoices):
        CERTIFICATE = "certificate", "certificate"
        ABSTENTION = "abstention", "abstention"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="outcome")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="outcomes")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    graph = models.JSONField(null=True)
    body = models.JSONField()
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, null=True, related_name="+")
    evidence_set = models.ForeignKey(
        EvidenceSet, on_delete=models.PROTECT, null=True, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "question"], name="one_outcome_per_question"),
            models.CheckConstraint(
                condition=Q(kind="certificate", claim__isnull=False, evidence_set__isnull=False)
                | Q(kind="abstention", claim__isnull=True, evidence_set__isnull=True),
                name="certificate_names_its_set",
            ),
        ]
