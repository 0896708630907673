"""How much text attempts retrieved, and whether that alone tells an original from its twin."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from adjudication.runs.models import Attempt
from certify_core.metrics.certificates import length_auroc
from certify_core.metrics.rates import Rate

_LENGTHS = """
SELECT found.attempt_id, sum(length(version.text))
FROM (
    SELECT DISTINCT attempt_id, unnest(versions) AS version_id
    FROM runs_recordedsearch WHERE attempt_id = ANY(%s)
) AS found
JOIN corpus_sourceversion version ON version.id = found.version_id
GROUP BY found.attempt_id
"""


def retrieved_lengths(attempts: QuerySet[Attempt]) -> dict[UUID, int]:
    """Code points that each attempt retrieved, each version once; 0 where nothing came."""
    ids = list(attempts.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute(_LENGTHS, [ids])
        found = dict(cursor.fetchall())
    return {attempt_id: int(found.get(attempt_id, 0)) for attempt_id in ids}


def length_only_auroc(originals: QuerySet[Attempt], twins: QuerySet[Attempt]) -> Rate:
    """How well the length of what was retrieved tells originals from twins; one half is not.

    The denominator counts pairs. Undefined, with the reason, where one side is empty.
    """
    for side, missing in ((originals, "no original has ended"), (twins, "no twin has ended")):
        if not side.exists():
            return Rate(0, 0, reason=missing)
    long, short = (list(retrieved_lengths(side).values()) for side in (originals, twins))
    return length_auroc(long, short)
