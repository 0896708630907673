"""What happened, by whom, to what; and who was shown a hidden side."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly


class Entry(AppendOnly):
    """One thing that happened. ``actor`` is empty where the system acted by itself."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(db_default=Now())
    # The journal lies below projects, so it names them without a foreign key.
    project_id = models.UUIDField(null=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    verb = models.CharField(max_length=60)
    object_kind = models.CharField(max_length=40)
    object_id = models.UUIDField()
    detail = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["project_id", "-at"], name="entry_project_at"),
            models.Index(fields=["project_id", "verb", "-at"], name="entry_project_verb_at"),
            models.Index(fields=["object_id", "at"], name="entry_object_at"),
        ]


class Exposure(AppendOnly):
    """A person was shown an item's hidden side: which side, where and when."""

    class Side(models.TextChoices):
        MACHINE_VERDICT = "machine-verdict", "machine verdict, links or derivation"
        JUDGEMENT = "judgement", "another person's judgement"
        AUDIT_CLASS = "audit-class", "class of an audited object"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(db_default=Now())
    project_id = models.UUIDField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    object_kind = models.CharField(max_length=40)
    object_id = models.UUIDField()
    side = models.CharField(max_length=20, choices=Side.choices)
    place = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "object_id", "side", "place"], name="exposure_recorded_once"
            )
        ]
