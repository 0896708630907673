"""Read on in a thread while what was read before is being stored."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

DEPTH = 2  # items that wait to be used


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """``items``, each made before it is asked for. What they raise is raised here.

    ``items`` runs in a thread of its own and must not use the database, whose connection
    belongs to this one. The thread ends with the generator.
    """
    made: queue.Queue[T | _End] = queue.Queue(DEPTH)
    unwanted = threading.Event()

    def put(item: T | _End) -> bool:
        while not unwanted.is_set():
            with suppress(queue.Full):
                made.put(item, timeout=0.1)
                return True
        return False

    def run() -> None:
        error: BaseException | None = None
        try:
            for item in items:
                if not put(item):
                    return
        except BaseException as raised:  # whatever it is, it belongs to the one who asked
            error = raised
        put(_End(error))

    thread = threading.Thread(target=run, name="reading ahead", daemon=True)
    thread.start()
    try:
        while not isinstance(item := made.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        unwanted.set()
        thread.join()


class _End:
    """No more items; ``error`` is why, where something went wrong."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error
