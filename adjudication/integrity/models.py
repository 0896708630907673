"""Checks of a whole project: when, by whom, how much was hashed again, and what differed."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.projects.models import Project


class Check(models.Model):
    """Everything of a project with a digest, hashed again. Once ended, a trigger keeps it so.

    ``counted`` says how many of each kind there were to check when it began.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        ENDED = "ended", "ended"
        INTERRUPTED = "interrupted", "interrupted"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    asked_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    alive_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    counted = models.JSONField(default=dict)
    total = models.PositiveBigIntegerField(default=0)
    checked = models.PositiveBigIntegerField(default=0)
    faults = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["queued", "running"]),
                name="one_unfinished_check_per_project",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | Q(state__in=["ended", "interrupted"], finished_at__isnull=False),
                name="finished_check_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"integrity check of {self.project}"

    @property
    def is_running(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)


class Fault(AppendOnly):
    """A record that differs from its digest: which, what of it, as stored and as found."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    check_run = models.ForeignKey(Check, on_delete=models.PROTECT, related_name="found")
    ordinal = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    object_id = models.UUIDField()
    version_id = models.UUIDField(null=True, help_text="the source version it is or rests on")
    place = models.CharField(max_length=200, help_text="where it is, in words without evidence")
    part = models.CharField(max_length=100)
    stored = models.CharField(max_length=100)
    found = models.CharField(max_length=100)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["check_run", "ordinal"], name="fault_ordinal_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id} ({self.place}): {self.part}"
