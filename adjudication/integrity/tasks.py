"""What a worker does when somebody asked for a check."""

from __future__ import annotations

from uuid import UUID

from adjudication import celery_app
from adjudication.integrity.actions import TASK, carry_out

_DAY = 24 * 3600


# A message that comes again meanwhile finds the check begun, and does nothing.
@celery_app.task(name=TASK, time_limit=_DAY, soft_time_limit=_DAY)
def check(check_id: str) -> None:
    carry_out(UUID(check_id))
