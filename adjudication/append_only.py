"""Tables that only grow: refused in Python, by privilege and by trigger.

Three walls, because each has a hole: the application role lacks the privilege (but the
owner has it), the row trigger fires for the owner too (but not on TRUNCATE), and the
statement trigger covers TRUNCATE. ``ENABLE ALWAYS`` keeps them on under
``session_replication_role = replica``, which restores and replication tools set.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connection, migrations, models


class AppendOnlyError(TypeError):
    """Code tried to change or delete a row of an append-only table."""


class AppendOnly(models.Model):
    """Base of records that are never changed; a correction is a new row naming the old."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{self._meta.label} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{self._meta.label} rows are never deleted")


_REFUSE = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
"""

_PROTECT = """
CREATE TRIGGER append_only_row BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_row;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_truncate;
"""

_UNPROTECT = """
DROP TRIGGER append_only_row ON {table};
DROP TRIGGER append_only_truncate ON {table};
"""


def revoke_changes(table: str) -> str:
    """SQL that leaves the application's role only SELECT and INSERT on ``table``.

    Where one role owns and uses the tables there is nobody to revoke from, and the
    triggers stand alone.
    """
    return f"""
DO $$ BEGIN
    IF current_user <> '{settings.APP_DATABASE_ROLE}' THEN
        REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES
            ON {table} FROM "{settings.APP_DATABASE_ROLE}";
    END IF;
END $$;
"""


class Protect(migrations.RunSQL):
    """Migration operation: make a freshly created table append-only."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(
            _REFUSE + _PROTECT.format(table=table) + revoke_changes(table),
            _UNPROTECT.format(table=table),
        )

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (self.__class__.__name__, [self.table], {})

    def describe(self) -> str:
        return f"Make {self.table} append-only"


def one_at_a_time(subject: models.Model, doing: str = "") -> None:
    """Until the transaction ends, whoever else calls this for ``subject`` waits.

    What is ``doing`` another thing does not wait. Rows that nobody may change cannot be locked
    as rows.
    """
    key = f"{doing}{subject.pk}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])


def hold_still() -> None:
    """At the begin of a transaction: see everything as it is now, whatever is written meanwhile.

    Only the outermost transaction can be told so.
    """
    if len(connection.savepoint_ids) == 0:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
