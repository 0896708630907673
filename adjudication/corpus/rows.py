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
from psycopg.pq import Format

# https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"
_BEGIN = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # no flags, nothing more in the header
_END = struct.pack("!h", -1)
_LENGTH = struct.Struct("!i")
_ABSENT = _LENGTH.pack(-1)


class Layout:
    """Some columns of a table, and how one row of them is written."""

    def __init__(self, model: type[Model], columns: Sequence[str]) -> None:
        known = {one.name: one for one in model._meta.concrete_fields}
        fields = [known[name] for name in columns]
        self._table = model._meta.db_table
        self._names = [one.get_attname() for one in fields]
        types = [(one.db_type(connection) or "").partition("(")[0] for one in fields]
        self._columns = [_Column(one) for one in types]
        self._begin = struct.pack("!h", len(fields))

    def row(self, values: Sequence[Any]) -> bytes:
        """One row, its ``values`` in the order of the columns."""
        parts = [one.field(value) for one, value in zip(self._columns, values, strict=True)]
        return b"".join((self._begin, *parts))

    def copy_in(self, rows: Iterable[bytes]) -> None:
        """Insert what ``row`` made: no object per row. Triggers and constraints check as ever."""
        names = ", ".join(connection.ops.quote_name(one) for one in self._names)
        statement = f"COPY {self._table} ({names}) FROM STDIN (FORMAT BINARY)"
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join((_BEGIN, *rows, _END)))


class _Column:
    """How values of one type are written. One that comes again is not written anew."""

    def __init__(self, type_name: str) -> None:
        oid = psycopg.adapters.types.get_oid(type_name)
        dumper = psycopg.adapters.get_dumper_by_oid(oid, Format.BINARY)
        self._dump = dumper(type(None)).dump
        self._last: Any = None
        self._written = _ABSENT

    def field(self, value: Any) -> bytes:
        if value is not self._last:
            self._last, self._written = value, self._write(value)
        return self._written

    def _write(self, value: Any) -> bytes:
        written = None if value is None else self._dump(value)
        return _ABSENT if written is None else _LENGTH.pack(len(written)) + bytes(written)
