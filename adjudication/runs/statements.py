"""The statements that every call of a model makes, said once instead of built anew.

A run makes thousands of calls. Building their statements took most of this program's own time
for a call, many times as long as the database took to answer them.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from adjudication.runs.models import Attempt, ReaderAnswer

_STORED = """
SELECT id FROM runs_readeranswer
WHERE project_id = %s AND request_sha256 = %s AND sample = %s AND NOT surplus
"""

_HOLD = """
SELECT control.state
FROM runs_attempt attempt JOIN runs_runcontrol control ON control.run_id = attempt.run_id
WHERE attempt.id = %s AND attempt.token = %s AND attempt.state = 'running'
FOR NO KEY UPDATE OF attempt
"""


def stored_answer(project_id: UUID, request_sha256: str, sample: int) -> ReaderAnswer | None:
    """The answer that counts, if there is one."""
    with connection.cursor() as cursor:
        cursor.execute(_STORED, [project_id, request_sha256, sample])
        found = cursor.fetchone()
    return ReaderAnswer.objects.get(pk=found[0]) if found else None


def hold(attempt: Attempt) -> str | None:
    """Lock the attempt's row; the state of its run's control.

    ``None`` if it is no longer held with its token.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [attempt.pk, attempt.token])
        found = cursor.fetchone()
    return found[0] if found else None
