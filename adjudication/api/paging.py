"""Lists in parts: each begins just after the last row of the part before.

By key and not by number: rows that arrive meanwhile shift nothing, and the last part costs
what the first does. The key is the id of a row that the caller was shown, so that it tells
nothing else; a row they may not see is no row of the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request

from adjudication.api.errors import Invalid
from adjudication.api.reading import as_key, number

PAGING: Final = frozenset({"after", "size"})
SIZE: Final = 50
MOST: Final = 200

Row = TypeVar("Row", bound=Model)


def part(
    request: Request,
    rows: QuerySet[Row],
    order: tuple[str, ...],
    body: Callable[[list[Row]], list[dict[str, Any]]],
) -> dict[str, Any]:
    """``{"items": […], "next": key or null}``; ``order`` ends with the key."""
    size = number(request, "size", SIZE, least=1, most=MOST)
    after = as_key(request, "after", rows.model)
    rows = rows.order_by(*order)
    if after is not None:
        last = rows.filter(pk=after).first()
        if last is None:
            raise Invalid(fields={"after": ["No row of this list has this id."]})
        rows = rows.filter(_beyond(last, order))
    found = list(rows[: size + 1])
    shown = found[:size]
    return {"items": body(shown), "next": str(shown[-1].pk) if len(found) > size else None}


def _beyond(last: Model, order: tuple[str, ...]) -> Q:
    """Rows after ``last``: (a, b) beyond (x, y) is a > x, or a = x and b > y."""
    first, *rest = order
    direction, first = ("lt", first[1:]) if first.startswith("-") else ("gt", first)
    value = getattr(last, first)
    beyond = Q(**{f"{first}__{direction}": value})
    return beyond | (Q(**{first: value}) & _beyond(last, tuple(rest))) if rest else beyond
