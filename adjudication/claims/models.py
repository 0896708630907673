"""What is asked, what is claimed, and which sets of spans are proposed to entail it."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import MD5, Now

from adjudication.append_only import AppendOnly
from adjudication.corpus.models import SHA256, SourceVersion, Span, partial_time
from adjudication.projects.models import Project


class Question(AppendOnly):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    origin = models.CharField(max_length=60, help_text="data set, or person")
    key = models.CharField(max_length=200, help_text="identity within the origin")
    sha256 = models.CharField(
        max_length=64, validators=[SHA256], help_text="digest of the record it came from"
    )
    text = models.TextField()
    kind = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "origin", "key"], name="question_once")
        ]

    def __str__(self) -> str:
        return self.text


class Claim(AppendOnly):
    """One atomic assertion. ``value`` is the answer it gives to its question.

    ``supersedes`` names the claim it replaces: a split leaves several successors.
    """

    class Origin(models.TextChoices):
        REFERENCE = "reference", "reference answer of the data set"
        CERTIFY = "certify", "proposed by a run"
        PERSON = "person", "written by a person"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="claims")
    text = models.TextField()
    value = models.TextField()
    aliases = ArrayField(models.TextField(), default=list)
    entities = ArrayField(models.TextField(), default=list)
    qualifiers = models.TextField(blank=True)
    applicable_time = partial_time()
    origin = models.CharField(max_length=20, choices=Origin.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    supersedes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="successors"
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            # Digests, since an index entry cannot hold a long text.
            models.UniqueConstraint("question", MD5("text"), MD5("value"), name="claim_once"),
            models.CheckConstraint(
                condition=Q(origin__in=["reference", "certify", "person"]),
                name="claim_origin_known",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class ClaimDecision(AppendOnly):
    """What a person decided on a claim that a run proposed."""

    class Decision(models.TextChoices):
        ACCEPTED = "accepted", "accepted as a claim of the question"
        MERGED = "merged", "the same as another claim"
        REFUSED = "refused", "not a claim of this question"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    claim = models.OneToOneField(Claim, on_delete=models.PROTECT, related_name="decision")
    decision = models.CharField(max_length=20, choices=Decision.choices)
    into = models.ForeignKey(Claim, on_delete=models.PROTECT, null=True, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(decision="merged", into__isnull=False)
                | (Q(decision__in=["accepted", "refused"]) & Q(into__isnull=True)),
                name="claim_merge_names_other",
            )
        ]


class InferenceRule(AppendOnly):
    """A permitted step that is not in the sources."""

    class Kind(models.TextChoices):
        JOIN = "join", "join"
        ARITHMETIC = "arithmetic", "arithmetic"
        TEMPORAL = "temporal", "temporal rule"
        IDENTITY = "identity", "identity mapping"
        COMPARISON = "comparison", "comparison"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="inference_rules")
    key = models.SlugField(max_length=60)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    statement = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        # Everywhere: a list in the order of the day would tell one state of the table from another.
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="rule_key_once")]

    def __str__(self) -> str:
        return self.statement


class RequirementGraph(AppendOnly):
    """What a question needs: lookups and reasoning steps, as ``certify_core`` reads them."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="graphs")
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=60)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    body = models.JSONField()
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "number"], name="graph_number_once"),
            models.UniqueConstraint(fields=["question", "sha256"], name="graph_once"),
        ]


class EvidenceSet(AppendOnly):
    """A proposed route: spans that jointly entail one claim under recorded rules.

    ``sha256`` digests the sorted members and rules, so one route exists once per claim.
    Whether it is accepted is not here: see ``review``.
    """

    class Origin(models.TextChoices):
        REFERENCE = "reference", "reference set of the data set"
        CERTIFY = "certify", "certificate of a run"
        PERSON = "person", "proposed by a person"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="evidence_sets")
    origin = models.CharField(max_length=20, choices=Origin.choices)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    rules = models.ManyToManyField(InferenceRule, through="EvidenceSetRule", related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["claim", "sha256"], name="evidence_set_once"),
            models.CheckConstraint(
                condition=Q(origin__in=["reference", "certify", "person"]),
                name="evidence_set_origin_known",
            ),
        ]


class EvidenceMember(AppendOnly):
    """One span of a set. ``ordinal`` counts from 1 in the order the set is read."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="members")
    span = models.ForeignKey(Span, on_delete=models.PROTECT, related_name="memberships")
    ordinal = models.PositiveIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["evidence_set", "span"], name="member_once"),
            models.UniqueConstraint(fields=["evidence_set", "ordinal"], name="member_ordinal_once"),
        ]


class EvidenceSetRule(AppendOnly):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    evidence_set = models.ForeignKey(EvidenceSet, on_delete=models.PROTECT, related_name="+")
    rule = models.ForeignKey(InferenceRule, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evidence_set", "rule"], name="set_rule_once")
        ]


class Contradiction(AppendOnly):
    """Conflicting evidence on a claim, and how it was treated."""

    class Treatment(models.TextChoices):
        UNRESOLVED = "unresolved", "unresolved"
        RESOLVED = "resolved", "resolved"
        IMMATERIAL = "immaterial", "immaterial"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="contradictions")
    material = models.BooleanField()
    treatment = models.CharField(max_length=20, choices=Treatment.choices)
    note = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    supersedes = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="successor"
    )
    spans = models.ManyToManyField(Span, through="ContradictionSpan", related_name="+")


class ContradictionSpan(AppendOnly):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    contradiction = models.ForeignKey(Contradiction, on_delete=models.PROTECT, related_name="+")
    span = models.ForeignKey(Span, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["contradiction", "span"], name="conflict_span_once")
        ]


class PremiseNote(AppendOnly):
    """Whether a premise should be believed; beside the entailment result, never in it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="notes")
    authority = models.TextField()
    basis = models.TextField()
    open_dispute = models.BooleanField(default=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
