"""Read on in another process while what was read before is being stored."""

from __future__ import annotations

import fcntl
import os
import pickle
import signal
from collections.abc import Generator, Iterator
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

SILENCE = 600.0  # seconds without an item, after which the other process is given up


class ReadingEnded(RuntimeError):
    """The process that reads is no more, or says nothing; the file need not be to blame."""


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """``items``, made in a process of their own. What they raise is raised here.

    A process, not a thread: making items and storing them both take all of a processor.
    It is a copy of this one, so ``items`` may use whatever is in memory, but must not use the
    database, whose connection belongs to this one. It ends with the generator.

    Raises:
        ReadingEnded: the process was killed, or said nothing for ``SILENCE``.
    """
    receiving, sending = Pipe(duplex=False)
    fcntl.fcntl(sending.fileno(), fcntl.F_SETPIPE_SZ, 1 << 20)
    process = os.fork()
    if not process:
        receiving.close()
        _make(items, sending)
    sending.close()
    try:
        while (item := _received(receiving)) is not None:
            yield item
    finally:
        receiving.close()
        # It holds nothing that would have to be put in order.
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _received(receiving: Connection) -> Any:
    """The next item, or ``None`` after the last one."""
    if not receiving.poll(SILENCE):
        raise ReadingEnded(f"The process that reads the file said nothing for {SILENCE:.0f} s.")
    try:
        # Nobody but a copy of this process can have written it.
        kind, content = pickle.loads(receiving.recv_bytes())  # noqa: S301
    except (EOFError, OSError):  # before an item, or in the middle of one
        raise ReadingEnded(
            "The process that reads the file was killed, as the system does where memory is short."
        ) from None
    if kind == "error":
        raise content
    return content


def _make(items: Iterator[T], sending: Connection) -> NoReturn:
    """The other process: it leaves without undoing anything that belongs to the first."""
    try:
        with suppress(BrokenPipeError):
            try:
                for item in items:
                    _send(sending, "item", item)
                _send(sending, "item", None)
            except Exception as error:
                _send(sending, "error", _portable(error))
    finally:
        os._exit(0)


def _portable(error: Exception) -> Exception:
    """``error``, or its words where it is of a kind that cannot be handed on."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # made in this very process
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(sending: Connection, kind: str, content: object) -> None:
    sending.send_bytes(pickle.dumps((kind, content), pickle.HIGHEST_PROTOCOL))
