"""Files on their way into a project: what was sent, how far it is, what came of it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from adjudication.projects.models import Project, ReaderClass


class Import(models.Model):
    """One file, from its first byte to its end.

    The row is the outbox: a broker message is only a hint. While its state is one of
    ``WORK`` it waits for a worker, or one holds it with ``token`` and a lease by the
    database's clock. The bytes lie in ``uploads`` until the import ends or a day has passed;
    the row, with digest, format and version, stays for the record.
    """

    class State(models.TextChoices):
        RECEIVING = "receiving", "being sent"
        CHECKING = "checking", "being checked"
        READY = "ready", "to be confirmed"
        IMPORTING = "importing", "being imported"
        DONE = "done", "imported"
        REFUSED = "refused", "refused"
        FAILED = "failed", "failed"
        DISCARDED = "discarded", "discarded"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=255, help_text="of the file, as its owner calls it")
    size = models.BigIntegerField(help_text="bytes")
    received = models.BigIntegerField(default=0, help_text="bytes that are here")
    mark = models.CharField(
        max_length=64, blank=True, help_text="by which a browser finds again what it began to send"
    )
    sha256 = models.CharField(max_length=64, blank=True, help_text="once the whole file is here")
    format = models.CharField(max_length=40)
    format_version = models.CharField(max_length=40)
    licence = models.CharField(max_length=200, blank=True)
    reader_classes = models.ManyToManyField(ReaderClass, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    touched_at = models.DateTimeField(db_default=Now(), help_text="last byte or step")

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVING)
    token = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    deliveries = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True, help_text="of the present step")
    finished_at = models.DateTimeField(null=True)
    bytes_read = models.BigIntegerField(default=0, help_text="in the present step")
    records = models.BigIntegerField(default=0, help_text="in the present step")

    dataset = models.CharField(max_length=60, blank=True)
    counts = models.JSONField(default=list, help_text="[what, new, known] each")
    problems_by_code = models.JSONField(default=dict, help_text="code → how many")
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(received__gte=0, received__lte=F("size")),
                name="import_received_in_size",
            ),
            models.CheckConstraint(
                condition=Q(token__isnull=True)
                | Q(state__in=["checking", "importing"], lease_until__isnull=False),
                name="held_import_is_leased",
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state="importing", token__isnull=False),
                name="one_import_into_a_project",
            ),
        ]
        indexes = [
            models.Index(
                fields=["touched_at"],
                condition=Q(state__in=["receiving", "checking", "ready", "importing", "failed"]),
                name="import_unfinished",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_whole(self) -> bool:
        return self.received == self.size

    @property
    def is_working(self) -> bool:
        """Whether a worker has it or is to have it."""
        return self.state in (self.State.CHECKING, self.State.IMPORTING)


class ImportProblem(models.Model):
    """Something of a file that is not used, or is read under another name."""

    id = models.BigAutoField(primary_key=True)
    of = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="problems")
    code = models.CharField(max_length=60)
    where = models.TextField()
    message = models.TextField()

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["of", "code", "id"], name="import_problem_by_code")]
