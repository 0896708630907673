"""Vectors of texts, bought once, and the corpora that are searched by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from adjudication.append_only import AppendOnly
from adjudication.corpus.models import SHA256, SourceVersion

if TYPE_CHECKING:
    FloatField = models.FloatField[float, float]
else:
    FloatField = models.FloatField


class RealField(FloatField):
    """A number of 32 bits."""

    def db_type(self, connection: Any) -> str:
        return "real"


class Vector(AppendOnly):
    """What a model made of a text, named by the SHA-256 of the text in UTF-8.

    A ranking rests on it, so it is never bought again, which could give other numbers. An array
    needs no extension: the table is the same on every server.
    """

    model = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64, validators=[SHA256])
    numbers = ArrayField(RealField())
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "sha256"], name="vector_once")]


class EmbeddedCorpus(models.Model):
    """The texts of a corpus under one model: how many have their vectors, and what those cost.

    ``contents`` is the name that says exactly which versions these are. ``tokens`` is null once
    a server did not say how many it took. ``error`` says why the last build ended early.
    """

    model = models.CharField(max_length=200)
    contents = models.CharField(max_length=64, validators=[SHA256])
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    dimension = models.PositiveIntegerField(null=True)
    calls = models.PositiveBigIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(null=True, default=0)
    asked_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["model", "contents"], name="embedded_corpus_once"),
            models.CheckConstraint(
                condition=Q(finished_at__isnull=True) | Q(done=F("total"), error=""),
                name="finished_corpus_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contents[:12]} under {self.model}"


class Placed(models.Model):
    """A version of an embedded corpus and its vector."""

    pk = models.CompositePrimaryKey("corpus", "version")
    corpus = models.ForeignKey(EmbeddedCorpus, on_delete=models.CASCADE, db_index=False)
    version = models.ForeignKey(
        SourceVersion, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    vector = models.ForeignKey(Vector, on_delete=models.PROTECT, related_name="+", db_index=False)
