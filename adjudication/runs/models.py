"""Certify over a set of questions: one configuration, one attempt per question, every step kept."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
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


class RunControl(models.Model):
    """What may still change about a run: whether it goes on, and how much it may buy.

    Each change is in the journal. ``calls`` and ``tokens`` are what was bought under the budget;
    the database refuses a call beyond it.
    """

    class State(models.TextChoices):
        OPEN = "open", "open"
        PAUSED = "paused", "paused"
        CANCELLED = "cancelled", "cancelled"

    run = models.OneToOneField(
        Run, on_delete=models.PROTECT, primary_key=True, related_name="control"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    budget_calls = models.PositiveBigIntegerField(null=True)
    budget_tokens = models.PositiveBigIntegerField(null=True)
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(budget_calls__isnull=True) | Q(calls__lte=F("budget_calls")),
                name="no_call_beyond_the_budget",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "paused", "cancelled"]), name="control_state_known"
            ),
        ]


class Attempt(models.Model):
    """One try at one question. The row is the outbox: a broker message is only a hint.

    Claimed with a fresh ``token`` and a lease by the database's clock; only the holder of
    the token can finish it. A retry is a new attempt with the next number. The attempt at a
    question's ``twin`` searches a corpus that lost one of its facts; where no such twin can be
    made, that attempt is dropped.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        CERTIFIED = "certified", "certified"
        ABSTAINED = "abstained", "abstained"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"
        DROPPED = "dropped", "no twin"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="attempts")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    twin = models.BooleanField(default=False, db_default=False)
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
            models.UniqueConstraint(
                fields=["run", "question", "twin", "number"], name="attempt_once"
            ),
            models.UniqueConstraint(
                fields=["run", "question", "twin"],
                condition=~Q(state="failed"),
                name="one_living_attempt_per_question",
            ),
            models.CheckConstraint(
                condition=~Q(state="dropped") | Q(twin=True), name="only_a_twin_is_dropped"
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


class Twin(AppendOnly):
    """What an attempt at a twin took away: one fact, and the passages that state it.

    ``deleted`` are the passages known to state it, then those found to restate it; ``cleared``
    were looked at and do not. ``audited`` says whether restatements were looked for, which
    needs to know the fact: ``fact`` and ``value`` are empty where it was not found. The reason
    why it was ``dropped`` is empty where the twin was asked.
    """

    class Dropped(models.TextChoices):
        UNSTATED = "nothing-states-it", "no passage states the fact"
        TOO_MANY = "too-many-statements", "too many passages state the fact"
        SURVIVES = "answer-survives", "the answer follows without the fact"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="made")
    fact = models.TextField(blank=True)
    value = models.TextField(blank=True)
    deleted = ArrayField(models.UUIDField(), default=list)
    cleared = ArrayField(models.UUIDField(), default=list)
    audited = models.BooleanField()
    dropped = models.CharField(max_length=20, choices=Dropped.choices, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(dropped="") | Q(deleted__len__gt=0), name="a_twin_lost_something"
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
    """How a question ended: a certificate or an abstention, once per run and once for its twin.

    ``body`` is the core's value as JSON (derivation, core and alternatives, or the open and
    blocked requirements). A certificate names the claim and the evidence set it proposed; one on
    a twin is an error of the reader's and proposes nothing.
    """

    class Kind(models.TextChoices):
        CERTIFICATE = "certificate", "certificate"
        ABSTENTION = "abstention", "abstention"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.OneToOneField(Attempt, on_delete=models.PROTECT, related_name="outcome")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="outcomes")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    twin = models.BooleanField(default=False, db_default=False)
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
            models.UniqueConstraint(
                fields=["run", "question", "twin"], name="one_outcome_per_question"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind="certificate",
                    twin=False,
                    claim__isnull=False,
                    evidence_set__isnull=False,
                )
                | Q(kind="certificate", twin=True, claim__isnull=True, evidence_set__isnull=True)
                | Q(kind="abstention", claim__isnull=True, evidence_set__isnull=True),
                name="certificate_names_its_set",
            ),
        ]


class ReadAnswer(AppendOnly):
    """The answer a reader gave to the question from passages alone, beside its certificate.

    ``text`` is null where the reader found the answer not stated; ``correct`` is null where the
    question has no reference answer to compare with.
    """

    class Context(models.TextChoices):
        CERTIFICATE = "certificate", "the certificate's passages"
        POOL = "pool", "everything retrieved"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    outcome = models.ForeignKey(Outcome, on_delete=models.PROTECT, related_name="read_answers")
    context = models.CharField(max_length=12, choices=Context.choices)
    passages = models.PositiveIntegerField()
    text = models.TextField(null=True)
    correct = models.BooleanField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["outcome", "context"], name="answer_read_once")
        ]


# --- Calls of a model ------------------------------------------------------------------------


class ReaderCall(AppendOnly):
    """A request that an attempt had for the reader: sent to the endpoint, or answered before.

    ``request`` is what was sent, without address or key. A call that ``reuses`` a stored answer
    was not sent and keeps no copy of the request. ``token`` is the attempt's when it was sent: a
    call with neither answer nor failure, whose attempt is no longer held with it, is in doubt.
    """

    class Kind(models.TextChoices):
        DECOMPOSE = "decompose", "decompose the question"
        LINK = "link", "find a value in passages"
        VERIFY = "verify", "verify a value"
        ANSWER = "answer", "answer from passages"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="calls")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="calls")
    token = models.UUIDField()
    ordinal = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    model = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64, validators=[SHA256])
    sample = models.PositiveIntegerField()
    request = models.JSONField(null=True)
    reuses = models.ForeignKey(
        "ReaderAnswer", on_delete=models.PROTECT, null=True, related_name="reused_by"
    )
    sent_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "ordinal"], name="call_ordinal_once"),
            models.CheckConstraint(
                condition=Q(request__isnull=False, reuses__isnull=True)
                | Q(request__isnull=True, reuses__isnull=False),
                name="call_is_sent_or_reuses",
            ),
        ]


class ReaderAnswer(AppendOnly):
    """What the endpoint answered to a call. Tokens are null where it did not report them.

    The first answer to a request and sample counts in the whole project, and is never bought
    again. Where two attempts asked at once the later answer is ``surplus``: kept, since it was
    paid for, and not used. The database decides which is which.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    call = models.OneToOneField(ReaderCall, on_delete=models.PROTECT, related_name="answer")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    request_sha256 = models.CharField(max_length=64, validators=[SHA256])
    sample = models.PositiveIntegerField()
    surplus = models.BooleanField(db_default=False)
    text = models.TextField()
    finish = models.CharField(max_length=40)
    tokens_in = models.PositiveIntegerField(null=True)
    tokens_out = models.PositiveIntegerField(null=True)
    seconds = models.FloatField()
    answered_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "request_sha256", "sample"],
                condition=Q(surplus=False),
                name="one_answer_counts",
            )
        ]


class ReaderFailure(AppendOnly):
    """Why a call got no answer that could be read."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    call = models.OneToOneField(ReaderCall, on_delete=models.PROTECT, related_name="failure")
    error = models.TextField()
    seconds = models.FloatField()
    failed_at = models.DateTimeField(db_default=Now())


class ReaderNote(AppendOnly):
    """Why the reader took an answer for less than it might have said, such as "truncated"."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="notes")
    ordinal = models.PositiveIntegerField()
    request_sha256 = models.CharField(max_length=64, validators=[SHA256])
    reason = models.TextField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "ordinal"], name="note_ordinal_once")
        ]
