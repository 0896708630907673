"""The evidence universe: sources, their captured versions, and exact spans of them.

Where a constraint's index begins with a foreign key, that key has no index of its own: an
import writes every one of them for every passage.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left, Now

from adjudication.append_only import AppendOnly
from adjudication.corpus.encodings import ENCODINGS, UTF_8
from adjudication.corpus.times import UNESTABLISHED, Observed, Precision
from adjudication.projects.models import Project, ReaderClass
from certify_core.canonical import sha256_hex

DAMAGED = "[damaged: these are not the words that were stored, so they are not shown]"
"""In place of the words of a span that changed after it was cut."""

TIME_PATTERN = rf"^({UNESTABLISHED}|-?\d{{4}}(-\d{{2}}(-\d{{2}})?)?)$"

SHA256 = RegexValidator(r"^[0-9a-f]{64}$", "A SHA-256 digest has 64 hexadecimal digits.")


TIME = RegexValidator(TIME_PATTERN, f"Write 2013, 2013-05, 2013-05-12 or {UNESTABLISHED}.")


def partial_time(help_text: str = "") -> models.CharField[str, str]:
    """A year, month or day (ISO 8601), or "cannot-be-established"; its length is its precision."""
    return models.CharField(
        max_length=24, default=UNESTABLISHED, validators=[TIME], help_text=help_text
    )


def _readable(name: str) -> Q:
    """The pattern says it all, but most times are unestablished, which is seen at a glance."""
    return Q(**{name: UNESTABLISHED}) | Q(**{f"{name}__regex": TIME_PATTERN})


class Source(AppendOnly):
    """Something at an original address. Two paragraphs of one page are two sources."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="sources", db_index=False
    )
    origin = models.CharField(max_length=60, help_text="data set, or upload")
    key = models.CharField(max_length=64, help_text="identity within the origin")
    title = models.TextField()
    address = models.TextField(blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "origin", "key"], name="source_once")
        ]
        # The order of lists. Of a title only so much, since an entry cannot hold a long one.
        indexes = [models.Index("project", Left("title", 200), "id", name="source_by_title")]

    def __str__(self) -> str:
        return self.title


class SourceVersion(AppendOnly):
    """The bytes of a source as captured once, the text in them, and four separate times."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(
        Source, on_delete=models.PROTECT, related_name="versions", db_index=False
    )
    number = models.PositiveIntegerField()
    snapshot = models.BinaryField()
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    media_type = models.CharField(max_length=100)
    encoding = models.CharField(max_length=20, default=UTF_8)
    text = models.TextField()
    observed_at = models.DateTimeField(
        help_text="when the bytes were captured, at the latest that its precision allows"
    )
    observed_precision = models.CharField(
        max_length=24, choices=Precision.choices, default=Precision.MOMENT
    )
    published = partial_time("what the source says")
    effective_from = partial_time()
    effective_to = partial_time()
    licence = models.CharField(max_length=200, blank=True)
    authority = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            # With the id, so that who may read which source is known without reading texts.
            models.UniqueConstraint(
                fields=["source", "number"], include=["id"], name="version_number_once"
            ),
            # The same bytes read in another encoding are another text, so another version.
            models.UniqueConstraint(
                fields=["source", "sha256", "encoding"], name="version_bytes_once"
            ),
            models.CheckConstraint(
                condition=Q(encoding__in=list(ENCODINGS)), name="version_encoding_known"
            ),
            models.CheckConstraint(
                condition=_readable("published")
                & _readable("effective_from")
                & _readable("effective_to"),
                name="version_times_readable",
            ),
            models.CheckConstraint(
                condition=Q(observed_precision__in=Precision.values),
                name="version_observed_precision_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} · version {self.number}"

    @property
    def observed(self) -> Observed:
        """When the bytes were captured, with how exactly that is known."""
        return Observed(self.observed_at, Precision(self.observed_precision))


class Invalidation(AppendOnly):
    """From a date on, a version is no longer available for use. What rests on it is shown so."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.OneToOneField(
        SourceVersion, on_delete=models.PROTECT, related_name="invalidation"
    )
    at = models.DateTimeField(db_default=Now())
    reason = models.TextField()


class Clearance(AppendOnly):
    """A reader class may inspect a version. Whoever holds none of its classes is blocked.

    A version is captured with its clearances; one that was given later says by whom and why.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(
        SourceVersion, on_delete=models.PROTECT, related_name="clearances", db_index=False
    )
    reader_class = models.ForeignKey(
        ReaderClass, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        db_index=False,
    )
    reason = models.TextField(blank=True, db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "reader_class"], name="clearance_once"),
            models.CheckConstraint(
                condition=Q(by=None, reason="") | (Q(by__isnull=False) & ~Q(reason="")),
                name="later_clearance_has_reason",
            ),
        ]
        indexes = [
            models.Index(
                fields=["version"], condition=Q(by__isnull=False), name="clearance_given_later"
            )
        ]


class Span(AppendOnly):
    """An exact excerpt of one version.

    ``start``/``end`` are Unicode code points of the version's text (half open), ``byte_start``
    and ``byte_end`` the same range in its snapshot. A trigger compares ``exact`` with the
    text, so no code path can store a span that is not where it says.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="spans")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    byte_start = models.PositiveIntegerField()
    byte_end = models.PositiveIntegerField()
    exact = models.TextField()
    prefix = models.TextField(blank=True)
    suffix = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "start", "end"], name="span_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="span_not_empty"),
            models.CheckConstraint(
                condition=Q(byte_start__lt=F("byte_end")), name="span_bytes_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return self.words

    @property
    def is_as_cut(self) -> bool:
        """Whether the stored words still have their digest; ``soundness`` compares the rest."""
        return sha256_hex(self.exact.encode()) == self.sha256

    @property
    def words(self) -> str:
        """The words as people are shown them: never others than were cut."""
        return self.exact if self.is_as_cut else DAMAGED


class Tightening(AppendOnly):
    """A reader class may no longer inspect a version, or one span of it. Never taken back.

    Without ``span`` the whole version is closed to the class. With it, every range that
    overlaps the span is: its words are withheld wherever the text is shown.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(SourceVersion, on_delete=models.PROTECT, related_name="tightenings")
    span = models.ForeignKey(Span, on_delete=models.PROTECT, null=True, related_name="tightenings")
    reader_class = models.ForeignKey(ReaderClass, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["version", "span", "reader_class"],
                name="tightened_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="tightening_has_reason"),
        ]


class Successor(AppendOnly):
    """A person confirmed that ``successor`` has the words of ``span`` in a later version.

    Nothing that rests on ``span`` moves with it: people propose again what they want to keep.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    span = models.ForeignKey(Span, on_delete=models.PROTECT, related_name="successors")
    successor = models.ForeignKey(Span, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["span", "successor"], name="successor_once"),
        ]
