"""Scenes that many tests begin with, made once and kept in databases of their own.

``@kept`` makes a fixture whose rows are committed, at its first use, to a database beside
the others. A test that asks for kept fixtures works in the database that holds just these, in
a transaction that is rolled back, and gets copies of the objects. So every test begins with
the same rows whichever tests ran before it, as if each had made them itself, only sooner.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

Build = Callable[..., Any]
Clone = Callable[[str], None]


def kept(build: Build) -> Any:
    """A fixture made once. ``build`` may ask for other kept fixtures alone."""

    def fixture(kept_scene: dict[str, Any], **_: object) -> Any:
        return kept_scene[build.__name__]

    asked = inspect.Parameter("kept_scene", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parents = inspect.signature(build).parameters.values()
    fixture.__signature__ = inspect.Signature([asked, *parents])
    fixture.__doc__ = build.__doc__
    fixture.build = build
    return pytest.fixture(name=build.__name__)(fixture)


def builds_of(item: pytest.Item) -> dict[str, Build]:
    """What makes the kept fixtures of a test, by their names. Those a module redefines are its."""
    # Pytest has no public way to ask which of several fixtures of one name a test will get.
    found = {name: defs[-1].func for name, defs in item._fixtureinfo.name2fixturedefs.items()}
    return {name: func.build for name, func in sorted(found.items()) if hasattr(func, "build")}


class Shelf:
    """The databases of one test process, and the objects that were made in each."""

    def __init__(self, clone: Clone, prefix: str) -> None:
        self._clone, self._prefix = clone, prefix
        self._places: dict[tuple[Build, ...], tuple[BaseDatabaseWrapper, dict[str, Any]]] = {}

    @contextmanager
    def scene(self, builds: dict[str, Build]) -> Iterator[dict[str, Any]]:
        """Copies of the objects, in a transaction of their database that ends with the block."""
        there, made = self._place(builds)
        with _at(there), _outermost():
            yield copy.deepcopy(made)
            # What is checked on commit is checked here, as Django's own test case does.
            if not there.needs_rollback and there.is_usable():
                there.check_constraints()
            transaction.set_rollback(True)

    def close(self) -> None:
        for there, _ in self._places.values():
            there.close()

    def _place(self, builds: dict[str, Build]) -> tuple[BaseDatabaseWrapper, dict[str, Any]]:
        key = tuple(builds.values())
        if key not in self._places:
            name = f"{self._prefix}_{len(self._places)}"
            self._clone(name)
            there = connections["default"].copy()
            there.settings_dict["NAME"] = name
            with _at(there), transaction.atomic():
                made = _made(builds)
                # As in a test, nobody is told of what was committed.
                there.run_on_commit.clear()
            self._places[key] = there, made
        return self._places[key]


@contextmanager
def _at(there: BaseDatabaseWrapper) -> Iterator[None]:
    before = connections["default"]
    connections["default"] = there
    try:
        yield
    finally:
        connections["default"] = before


def _outermost() -> transaction.Atomic:
    """A transaction in which a durable block may stand, as in the one of a test case."""
    block = transaction.atomic()
    block._from_testcase = True
    return block


def _made(builds: dict[str, Build]) -> dict[str, Any]:
    made: dict[str, Any] = {}

    def make(name: str) -> Any:
        if name not in made:
            parents = inspect.signature(builds[name]).parameters
            made[name] = builds[name](**{parent: make(parent) for parent in parents})
        return made[name]

    for name in builds:
        make(name)
    return made
