"""Reading ahead changes nothing but the time it takes."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from adjudication.imports.ahead import ahead


def reading() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "reading ahead"]


def test_items_come_in_order() -> None:
    """All of them, and the thread is gone."""
    assert list(ahead(iter(range(100)))) == list(range(100))
    assert not reading()


def test_error_comes_where_it_belongs() -> None:
    """After the items before it, not earlier and not lost."""

    def failing() -> Iterator[int]:
        yield from range(5)
        raise ValueError("the sixth")

    found: list[int] = []
    with pytest.raises(ValueError, match="the sixth"):
        found.extend(ahead(failing()))
    assert found == list(range(5))


def test_thread_ends_when_nobody_asks_any_more() -> None:
    """A refused import leaves no reader behind, even of a file without end."""

    def endless() -> Iterator[int]:
        while True:
            yield 1

    items = ahead(endless())
    assert next(items) == 1
    items.close()
    assert not reading()
