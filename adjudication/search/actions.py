"""Get the index of what somebody searches: found, built at once, or asked of a worker."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass

from adjudication import tell_workers
from adjudication.errors import Refused
from adjudication.search import index
from adjudication.search.index import Index
from adjudication.search.queries import Changed, Contents, Shelf

logger = logging.getLogger("adjudication.search")

TASK = "adjudication.search.build_index"
AT_ONCE = 3_000  # texts; an index of so many takes about as long as a slow page
PATIENCE = 20.0  # seconds until a worker that has not begun is asked again
TRIES = 5
UNUSED = 30 * 24 * 3600.0  # seconds until an index that nobody uses is removed


@dataclass(frozen=True, slots=True)
class Building:
    """An index on its way: how many of its texts are in it."""

    done: int
    total: int


def index_for(shelf: Shelf) -> Index | Building:
    """The index of ``shelf``. A large one is built by a worker, which is asked for it here."""
    contents = shelf.contents()
    if (found := index.find(contents.name)) is not None:
        return found
    return build(shelf) if contents.count <= AT_ONCE else _on_its_way(shelf, contents)


def build(shelf: Shelf) -> Index:
    """The index of ``shelf``, built here and now unless it is there.

    Raises:
        Refused: what it holds changed each time before it was read.
    """
    for _ in range(TRIES):
        contents = shelf.contents()
        units = shelf.units_named(contents.name)
        try:
            return index.find_or_build(contents.name, units, contents.count)
        except Changed as changed:
            logger.info("what is in the index %s changed before it was built", changed)
    raise Refused("What you may read is changing just now. Search again in a moment.")


def _on_its_way(shelf: Shelf, contents: Contents) -> Building:
    if (built := index.progress(contents.name)) is not None:
        done, total = built
        return Building(done, total or contents.count)
    if index.ask(contents.name, PATIENCE):
        _ask_worker(shelf)
    return Building(0, contents.count)


def _ask_worker(shelf: Shelf) -> None:
    under = str(shelf.specification.pk) if shelf.specification else None
    tell_workers(TASK, [[str(shelf.membership.pk), under]])


def sweep() -> int:
    """Remove indexes that nobody used for a month; how many there were."""
    started = time.monotonic()
    gone = index.sweep(UNUSED)
    if gone:
        logger.info("removed %d unused indexes in %.1f s", gone, time.monotonic() - started)
    return gone
