"""What question answering systems answered, and what they cited for it: as imported, for good."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.claims.models import Claim, Question
from adjudication.corpus.models import SourceVersion, Span
from adjudication.projects.models import Project

ONE_PLACE = Q(span__isnull=True) ^ Q(version__isnull=True)


class SystemRun(AppendOnly):
    """A system, run once over some of the project's questions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="system_runs")
    key = models.SlugField(max_length=60)
    system = models.CharField(max_length=200)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="system_run_key_once")
        ]

    def __str__(self) -> str:
        return self.system


class Output(AppendOnly):
    """What a system answered to one question. ``key`` identifies it within its run."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(SystemRun, on_delete=models.PROTECT, related_name="outputs")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="outputs")
    key = models.CharField(max_length=200)
    text = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="output_key_once")]

    def __str__(self) -> str:
        return self.text


class PlaceOf(AppendOnly):
    """A span, or a version as a whole: exactly one of the two."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    span = models.ForeignKey(Span, on_delete=models.PROTECT, null=True, related_name="+")
    version = models.ForeignKey(
        SourceVersion, on_delete=models.PROTECT, null=True, related_name="+"
    )
    ordinal = models.PositiveIntegerField()

    class Meta:
        abstract = True
        ordering = ["ordinal"]


class Retrieved(PlaceOf):
    """What the system had before it when it answered, best first from 1."""

    output = models.ForeignKey(Output, on_delete=models.PROTECT, related_name="retrieved")

    class Meta(PlaceOf.Meta):
        constraints = [
            models.UniqueConstraint(fields=["output", "ordinal"], name="retrieved_ordinal_once"),
            models.UniqueConstraint(
                fields=["output", "span", "version"],
                name="retrieved_place_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=ONE_PLACE, name="retrieved_one_place"),
        ]


class OutputClaim(AppendOnly):
    """One assertion of an output, in the output's order from 1.

    ``text`` is the assertion standing alone, ``start``/``end`` the range of code points of the
    output that makes it (half open). ``claim`` is the claim it is matched with, if any.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    output = models.ForeignKey(Output, on_delete=models.PROTECT, related_name="claims")
    ordinal = models.PositiveIntegerField()
    text = models.TextField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["output", "ordinal"], name="output_claim_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="output_claim_range"),
        ]

    def __str__(self) -> str:
        return self.text


class Citation(PlaceOf):
    """What an output cites for one of its claims, in its order from 1."""

    output_claim = models.ForeignKey(
        OutputClaim, on_delete=models.PROTECT, related_name="citations"
    )

    class Meta(PlaceOf.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["output_claim", "ordinal"], name="citation_ordinal_once"
            ),
            models.UniqueConstraint(
                fields=["output_claim", "span", "version"],
                name="citation_place_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=ONE_PLACE, name="citation_one_place"),
        ]
