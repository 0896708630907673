"""Projects, who takes part in which role, and what classes of reader there are."""

from __future__ import annotations

import uuid
from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.functional import cached_property

from adjudication.statements import Statement


class Role(models.TextChoices):
    LEAD = "lead", "Lead"
    REVIEWER = "reviewer", "Reviewer"
    ADJUDICATOR = "adjudicator", "Adjudicator"
    ANNOTATOR = "annotator", "Annotator"
    READER = "reader", "Reader"
    AUDITOR = "auditor", "Auditor"


WRITERS = (Role.LEAD, Role.REVIEWER, Role.ADJUDICATOR)
"""Who adds spans, routes, contradictions and premise notes."""


class Project(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.title


class ReaderClass(models.Model):
    """A group of people cleared to inspect certain source versions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="reader_classes")
    key = models.SlugField(max_length=40)
    title = models.CharField(max_length=120)

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="reader_class_key_once")
        ]

    def __str__(self) -> str:
        return self.title


class Membership(models.Model):
    """A person's roles and clearance in one project. Deactivated, never deleted."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships"
    )
    roles = ArrayField(models.CharField(max_length=20, choices=Role.choices))
    reader_classes = models.ManyToManyField(ReaderClass, related_name="+")
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(roles__contained_by=list(Role.values)),
                name="membership_roles_known",
            ),
        ]

    @cached_property
    def held_classes(self) -> frozenset[ReaderClass]:
        """The reader classes this person holds, read once: for what answers one request."""
        return frozenset(_HELD(self.pk))

    @cached_property
    def class_ids(self) -> tuple[UUID, ...]:
        return tuple(sorted(one.pk for one in self.held_classes))

    def has(self, *roles: str) -> bool:
        """Whether this person has any of ``roles`` here."""
        return not set(roles).isdisjoint(self.roles)

    @property
    def judges(self) -> bool:
        """Whether this person may have to judge here, and so must stay blind until they do."""
        return self.has(Role.REVIEWER, Role.ADJUDICATOR, Role.ANNOTATOR)


_HELD = Statement(
    lambda member: ReaderClass.objects.filter(
        pk__in=Membership.reader_classes.through.objects.filter(membership=member).values(
            "readerclass"
        )
    )
)
