"""Statements that are said once and asked again with other values.

For what a page asks at every request, building the expressions of a query takes this program
many times as long as the database takes to answer it. The query of the ORM stays the one place
that says what is asked for; only its text is kept.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, ClassVar, Generic, TypeVar
from uuid import UUID, uuid5

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.postgresql.base import ServerBindingCursor
from django.db.backends.utils import CursorWrapper
from django.db.models import Field, Model, QuerySet, prefetch_related_objects
from django.db.transaction import TransactionManagementError
from psycopg import sql

Row = TypeVar("Row", covariant=True)
_KEPT = 64  # texts of one statement
_MARKS = UUID("b0a1f3de-6b0f-4a58-9d0e-2f6f6f1f8c11")


class Statement(Generic[Row]):
    """The query that ``build`` returns for its arguments, as rows.

    Ids, and tuples of ids or words, are given to the database anew with every call. Any other
    argument is part of the text, as is how long a tuple is. ``build`` must not look at what it
    is given, only ask for it.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]]) -> None:
        self._build = build
        self._said = lru_cache(maxsize=_KEPT)(self._say)

    def __call__(self, *values: Hashable) -> list[Row]:
        """The rows for these ``values``.

        Raises:
            TransactionManagementError: it locks rows, and no transaction is open.
        """
        said = self._said(*map(_shape_of, values))
        return said.ask(values) if said else []

    def first(self, *values: Hashable) -> Row | None:
        """The first row; the query itself must not ask for many."""
        return next(iter(self(*values)), None)

    def _say(self, *shapes: Hashable) -> _Said | None:
        """The text for values of these shapes; None if nothing can match any."""
        places: dict[Hashable, _Place] = {}
        given: list[Hashable] = []
        for number, shape in enumerate(shapes):
            if shape is UUID:
                given.append(mark := _mark(number))
                places[mark] = _Place(number)
            elif isinstance(shape, _Many):
                ids = [_mark(number, at) for at in range(len(shape.kinds))]
                marks = tuple(
                    one if kind is UUID else one.hex
                    for one, kind in zip(ids, shape.kinds, strict=True)
                )
                given.append(marks)
                places |= {mark: _Place(number, at) for at, mark in enumerate(marks)}
            else:
                given.append(shape)
        queryset = self._build(*given)
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        try:
            text, parameters = compiler.as_sql()
        except EmptyResultSet:
            return None
        asked = [places.get(one) for one in parameters]
        if missing := set(places.values()).difference(asked):
            raise AssertionError(f"the statement does not ask for its arguments {missing}")
        # What never changes is part of the text, so that an index on some of a table serves it.
        fixed = tuple(
            "%s" if place else _literal(one) for place, one in zip(asked, parameters, strict=True)
        )
        return _Said(queryset, compiler, text % fixed, [one for one in asked if one])


def _mark(*place: int) -> UUID:
    """Stands for a value in the text. No chance is drawn: what a process said before would tell
    in every id that it draws after."""
    return uuid5(_MARKS, repr(place))


@dataclass(frozen=True, slots=True)
class _Many:
    """The shape of a tuple: what kind each of it is."""

    kinds: tuple[type, ...]


def _shape_of(value: Hashable) -> Hashable:
    if isinstance(value, UUID):
        return UUID
    return _Many(tuple(map(type, value))) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the value of a parameter is found: an argument, or one of a tuple."""

    argument: int
    at: int | None = None

    def value(self, values: Sequence[Any]) -> Any:
        found = values[self.argument]
        return found if self.at is None else found[self.at]


@dataclass(frozen=True, slots=True)
class _Said:
    queryset: QuerySet[Any, Any]
    compiler: Any
    text: str
    parameters: list[_Place]

    def ask(self, values: Sequence[Hashable]) -> list[Any]:
        if self.queryset.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("rows are locked in a transaction only")
        with _cursor() as cursor:
            cursor.execute(self.text, [one.value(values) for one in self.parameters])
            found = cursor.fetchall()
        # Rows become what they become for the query itself.
        asked: Any = self.queryset
        rows = list(asked._iterable_class(_Asked(_answered(self.compiler, found))))
        if rows and asked._prefetch_related_lookups:
            prefetch_related_objects(rows, *asked._prefetch_related_lookups)
        return rows


def _literal(value: Any) -> str:
    literal: str = sql.Literal(value).as_string(connection.connection)
    return literal.replace("%", "%%")


def _cursor() -> CursorWrapper:
    """A cursor over which the database plans a statement once that it is asked again and again."""
    connection.cursor().close()  # connects, or finds out that the connection is lost
    cursor: Any = ServerBindingCursor(connection.connection)  # type: ignore[call-arg]
    if connection.queries_logged:
        return connection.make_debug_cursor(cursor)
    return connection.make_cursor(cursor)


def _answered(compiler: Any, rows: list[Any]) -> Any:
    """A compiler of this thread whose query was answered with ``rows``."""
    answered = copy.copy(compiler)
    answered.connection = connections[DEFAULT_DB_ALIAS]
    answered.execute_sql = lambda *_, **__: [rows]
    return answered


class _Asked:
    """As much of a query set as its rows are made of."""

    db = DEFAULT_DB_ALIAS
    _known_related_objects: ClassVar[dict[Any, Any]] = {}

    def __init__(self, compiler: Any) -> None:
        self._compiler = compiler

    @property
    def query(self) -> _Asked:
        return self

    def get_compiler(self, using: str) -> Any:
        return self._compiler


# --- Rows to store -----------------------------------------------------------------------------


def insert(row: Model, *changed: str) -> None:
    """Store an unsaved row, and take over what the database filled in.

    Triggers and constraints check as ever.

    Args:
        changed: names of further fields, which a trigger may have changed.
    """
    fields, filled, statement = _insertion(type(row), changed)
    with connection.cursor() as cursor:
        cursor.execute(statement, _given(fields, row))
        for one, value in zip(filled, cursor.fetchone() or (), strict=True):
            setattr(row, one.attname, value)
    row._state.adding = False
    row._state.db = DEFAULT_DB_ALIAS


def insert_all(rows: Sequence[Model]) -> None:
    """Store a few unsaved rows of one table, without what the database fills in."""
    if not rows:
        return
    fields, statement = _insertions(type(rows[0]), len(rows))
    with connection.cursor() as cursor:
        cursor.execute(statement, [value for row in rows for value in _given(fields, row)])


def update(row: Model, *names: str) -> None:
    """Store these fields of a row that was stored before."""
    fields, statement = _update(type(row), names)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*_given(fields, row), row.pk])
        if cursor.rowcount != 1:
            raise AssertionError(f"{cursor.rowcount} rows have the key of {row!r}")


def now() -> datetime:
    """The time of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment


_Fields = Sequence["Field[Any, Any]"]


def _given(fields: _Fields, row: Model) -> list[Any]:
    return [one.get_db_prep_save(getattr(row, one.attname), connection) for one in fields]


# Every name in these statements comes from a model.


@cache
def _insertion(model: type[Model], changed: tuple[str, ...]) -> tuple[_Fields, _Fields, str]:
    """The fields to give, those that come back, and the statement."""
    fields, into = _into(model)
    filled = [*model._meta.db_returning_fields, *_named(model, changed)]
    returned = ", ".join(_column(one) for one in filled)
    return fields, filled, f"{into} VALUES {_places(fields)} RETURNING {returned}"


@lru_cache(maxsize=_KEPT)
def _insertions(model: type[Model], number: int) -> tuple[_Fields, str]:
    fields, into = _into(model)
    return fields, f"{into} VALUES {', '.join([_places(fields)] * number)}"


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> tuple[_Fields, str]:
    fields = _named(model, names)
    settings = ", ".join(f"{_column(one)} = %s" for one in fields)
    table, key = _quoted(model._meta.db_table), _column(model._meta.pk)
    return fields, f"UPDATE {table} SET {settings} WHERE {key} = %s"  # noqa: S608


def _named(model: type[Model], names: Sequence[str]) -> _Fields:
    return [one for name in names for one in model._meta.concrete_fields if one.name == name]


def _into(model: type[Model]) -> tuple[_Fields, str]:
    fields = [one for one in model._meta.concrete_fields if not one.has_db_default()]
    columns = ", ".join(_column(one) for one in fields)
    return fields, f"INSERT INTO {_quoted(model._meta.db_table)} ({columns})"


def _places(fields: _Fields) -> str:
    return f"({', '.join('%s' for _ in fields)})"


def _column(field: Any) -> str:
    return _quoted(field.column)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
