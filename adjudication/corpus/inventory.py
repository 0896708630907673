"""What a collection of versions holds, in one digest that only the same versions share."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.postgres.aggregates import StringAgg
from django.db.models import Count, Func, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from adjudication.corpus.models import SourceVersion


@dataclass(frozen=True, slots=True)
class Inventory:
    """How many versions there are, and the SHA-256 that says which."""

    count: int
    sha256: str


class _Sha256(Func):
    """SHA-256 of a text in UTF-8, in lower-case hex."""

    template = "encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')"
    output_field = TextField()


def inventory_of(versions: QuerySet[SourceVersion]) -> Inventory:
    """Digests one line per version, "<version id> <sha256>" with a line feed, sorted by id.

    In the database, since to fetch the lines would take most of the time.
    """
    line = Concat(Cast("pk", TextField()), Value(" "), "sha256", Value("\n"))
    lines = StringAgg(line, delimiter="", order_by="pk", default=Value(""))
    found = versions.order_by().aggregate(count=Count("pk"), sha256=_Sha256(lines))
    return Inventory(found["count"], found["sha256"])
