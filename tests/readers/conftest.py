"""An endpoint that misbehaves on demand, and models that ask it without waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from adjudication.readers.endpoint import ModelEndpoint
from adjudication.readers.settings import Format, ReaderSettings
from bench.endpoint import Endpoint
from tests.readers.asking import KEY, Connect
from tests.readers.clocks import Waiting


@pytest.fixture(scope="module")
def running() -> Iterator[Endpoint]:
    with Endpoint() as server:
        yield server


@pytest.fixture
def server(running: Endpoint) -> Endpoint:
    running.forget()
    return running


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def connect(waiting: Waiting) -> Iterator[Connect]:
    """Makes endpoints at an address, and closes their connections."""
    with ExitStack() as made:

        def connect(url: str, timeout: float = 20.0, form: Format = "json_schema") -> ModelEndpoint:
            chosen = ReaderSettings(url, KEY, ("small",), timeout, format=form)
            return made.enter_context(closing(ModelEndpoint(chosen, waiting.clock)))

        yield connect


@pytest.fixture
def model(server: Endpoint, connect: Connect) -> ModelEndpoint:
    return connect(server.url)


@pytest.fixture
def hasty(server: Endpoint, connect: Connect) -> ModelEndpoint:
    """One that gives up a try soon."""
    return connect(server.url, timeout=0.3)
