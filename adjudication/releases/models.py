"""Annotation versions: numbered, immutable releases of adjudicated evidence sets."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.claims.models import EvidenceSet
from adjudication.corpus.models import SHA256
from adjudication.projects.models import Project
from adjudication.review.models import Verdict
from adjudication.specifications.models import Specification


class ReleaseRequest(models.Model):
    """A lead asks for a release; another person approves it. At most one waits per project."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for approval"
        APPROVED = "approved", "approved"
        WITHDRAWN = "withdrawn", "withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    specification = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(state="waiting"), name="one_waiting_request"
            )
        ]


class AnnotationVersion(AppendOnly):
    """``body`` is the canonical JSON of the version's head: what it follows, counts, specification.

    ``sha256`` digests the sealed head together with the digests of its items in order, and
    ``key`` makes the commitments (see ``sealing``). Versions of one project share the key, so
    that an item which did not change keeps its digest.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    specification = models.ForeignKey(Specification, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    parent = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="+")
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    released_at = models.DateTimeField(db_default=Now())
    body = models.TextField()
    key = models.CharField(max_length=64, validators=[SHA256])
    sha256 = models.CharField(max_length=64, validators=[SHA256])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="annotation_version_once"),
            models.CheckConstraint(
                condition=~Q(released_by=F("approved_by")), name="release_needs_two_people"
            ),
        ]

    def __str__(self) -> str:
        return f"annotation version {self.number}"


class FrozenItem(AppendOnly):
    """An adjudicated evidence set as it stood: ``body`` is canonical JSON, kept as text.

    ``sha256`` digests the sealed body, which every reader may see. Items are stored before
    their version: once the version exists, a trigger refuses further ones.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    annotation_version = models.ForeignKey(
        AnnotationVersion, on_delete=models.PROTECT, related_name="items"
    )
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="+")
    verdict = models.ForeignKey(Verdict, on_delete=models.PROTECT, related_name="+")
    ordinal = models.PositiveIntegerField()
    body = models.TextField()
    sha256 = models.CharField(max_length=64, validators=[SHA256])

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation_version", "evidence_set"], name="frozen_item_once"
            ),
            models.UniqueConstraint(
                fields=["annotation_version", "ordinal"], name="frozen_ordinal_once"
            ),
        ]
