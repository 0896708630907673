"""Reading ahead changes nothing but the time it takes."""

from __future__ import annotations

import os
import signal
import struct
from collections.abc import Iterator
from multiprocessing import Pipe

import pytest

from adjudication.errors import Refused
from adjudication.imports import ahead as module
from adjudication.imports.ahead import ReadingEnded, ahead
from certify_core.errors import InvalidGraph


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The processes that were started; none of them may be left when the test ends."""
    processes: list[int] = []
    fork = os.fork

    def noted() -> int:
        process = fork()
        processes.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    yield processes
    assert len(processes) == 1
    with pytest.raises(ChildProcessError):
        os.waitpid(processes[0], os.WNOHANG)


def test_items_come_in_order_from_another_process(forked: list[int]):
    """All of them, and the process is gone."""
    items = list(ahead((number, os.getpid()) for number in range(100)))
    assert items == [(number, forked[0]) for number in range(100)]


@pytest.mark.usefixtures("forked")
def test_error_comes_where_it_belongs():
    """After the items before it, in its own words, not earlier and not lost."""

    def failing() -> Iterator[int]:
        yield from range(5)
        raise Refused("line 6: not a record")

    found: list[int] = []
    with pytest.raises(Refused, match=r"^line 6: not a record$"):
        found.extend(ahead(failing()))
    assert found == list(range(5))


@pytest.mark.usefixtures("forked")
def test_process_ends_when_nobody_asks_any_more():
    """A refused import leaves no reader behind, even of a file without end."""

    def endless() -> Iterator[int]:
        while True:
            yield 1

    items = ahead(endless())
    assert next(items) == 1
    items.close()


@pytest.mark.usefixtures("forked")
def test_killed_process_is_no_end_of_the_file():
    """Half a file that looks whole would be stored as if it were."""

    def killed() -> Iterator[int]:
        yield 1
        os.kill(os.getpid(), signal.SIGKILL)

    items = ahead(killed())
    assert next(items) == 1
    with pytest.raises(ReadingEnded, match="was killed"):
        next(items)


def test_process_killed_in_the_middle_of_an_item_is_named():
    """The words for people are the same wherever it was killed."""
    receiving, sending = Pipe(duplex=False)
    os.write(sending.fileno(), struct.pack("!i", 1000) + b"half of it")
    sending.close()
    with receiving, pytest.raises(ReadingEnded, match="was killed"):
        module._received(receiving)


@pytest.mark.usefixtures("forked")
def test_error_that_cannot_be_handed_on_is_told_in_its_words():
    """Of an error that is made of two things and told as one, nothing would be left."""

    def failing() -> Iterator[int]:
        raise InvalidGraph(2, "refers to a later step")
        yield 1

    with pytest.raises(RuntimeError, match=r"^InvalidGraph: requirement 2: refers to a later"):
        next(ahead(failing()))


@pytest.mark.usefixtures("forked")
def test_silent_process_is_given_up(monkeypatch: pytest.MonkeyPatch):
    """An import that waits for ever would hold its project for ever."""
    monkeypatch.setattr(module, "SILENCE", 0.05)

    def silent() -> Iterator[int]:
        signal.pause()
        yield 1

    with pytest.raises(ReadingEnded, match="said nothing"):
        next(ahead(silent()))
