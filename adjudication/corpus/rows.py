"""Rows as PostgreSQL's binary COPY takes them, made without a connection.

The making costs more than the sending; apart from the connection it can go on in another
process while the database takes in what was made before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from django.db import connection
from django.db.models import Model
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import Format

# https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"
_BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # no flags, nothing more in the header
_END = struct.pack("!h", -1)
_ABSENT = struct.pack("!i", -1)


class Layout:
    """Some columns of a table, and how one row of them is written."""

    def __init__(self, model: type[Model], columns: Sequence[str]) -> None:
        known = {one.name: one for one in model._meta.concrete_fields}
        fields = [known[name] for name in columns]
        types = [(one.db_type(connection) or "").partition("(")[0] for one in fields]
        self._table = model._meta.db_table
        self._names = [one.get_attname() for one in fields]
        self._formats = [PyFormat.BINARY] * len(fields)
        self._dumpers = Transformer()
        oids = [psycopg.adapters.types.get_oid(one) for one in types]
        self._dumpers.set_dumper_types(oids, Format.BINARY)
        self._begin = struct.pack("!h", len(fields))
        self._length = struct.Struct("!i").pack

    def row(self, values: Sequence[Any]) -> bytes:
        """One row, its ``values`` in the order of the columns."""
        parts = [self._begin]
        for value in self._dumpers.dump_sequence(values, self._formats):
            parts += [_ABSENT] if value is None else [self._length(len(value)), bytes(value)]
        return b"".join(parts)

    def copy_in(self, rows: Iterable[bytes]) -> None:
        """Insert what ``row`` made: no object per row. Triggers and constraints check as ever."""
        names = ", ".join(connection.ops.quote_name(one) for one in self._names)
        statement = f"COPY {self._table} ({names}) FROM STDIN (FORMAT BINARY)"
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join((_BEGIN, *rows, _END)))
