"""One call of a model server over HTTP: bounded in size and time, tried again where that helps.

The ``openai`` client speaks the protocol; its own retries are off. They have no bound on the
time of all tries together, wait up to two minutes wherever a server says so, try again what
another try cannot help (409, or anything a header asks for), and read replies whole. See
``_base_client.py`` of https://github.com/openai/openai-python.
"""

from __future__ import annotations

import email.utils
import json
import math
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import openai

from adjudication.readers.bounded import bound
from adjudication.readers.requests import EndpointDown

if TYPE_CHECKING:
    import httpx2

CONNECTING = 10.0
"""Seconds for a connection; a server that is there accepts at once."""

PATIENCE = 180.0
"""Seconds for all tries of a call, or three time-outs where those are longer."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
ERROR_LIMIT = 64_000
_HEADERS = {"Accept-Encoding": "identity"}  # compressed, a small reply could become a large one
_CODE = re.compile(r"[A-Za-z][A-Za-z_]{0,59}")

Send = Callable[
    [openai.OpenAI, Mapping[str, Any]], AbstractContextManager["openai.APIResponse[Any]"]
]
"""Sends one request by the client's ``with_streaming_response``, with these options."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance, so that tests need neither."""

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


SYSTEM_CLOCK = Clock()


@dataclass(frozen=True, slots=True)
class Body:
    """What came with a success. ``whole`` is false where it was cut off at the limit."""

    content: bytes
    whole: bool
    seconds: float


class Refused(Exception):
    """The server answered with something else than a success.

    ``words`` are its own, in lower case, to look at and not to show: they may quote a passage
    or a key. ``code`` is its name for the error, "" if that is no plain word.
    """

    def __init__(self, status: int, retry_after: str | None, body: bytes, seconds: float) -> None:
        super().__init__(_STATUS.get(status, f"it answers with status {status}"))
        self.status = status
        self.seconds = seconds
        self.retry_after = retry_after
        self.words = body.decode("utf-8", "replace").lower()
        self.code = code_in(_json(body))

    @property
    def passes(self) -> bool:
        """Whether another try may help."""
        return self.status == 429 or self.status >= 500

    def __str__(self) -> str:
        return f"{self.args[0]}, “{self.code}”" if self.code else str(self.args[0])


_STATUS = {
    **dict.fromkeys((401, 403), "it refuses the key"),
    404: "it does not know the address or the model",
    429: "too many requests (429)",
    **{
        status: f"it redirects elsewhere ({status}), which is not followed"
        for status in (301, 302, 303, 307, 308)
    },
}


@dataclass(slots=True)
class _Try:
    """What bounds the try of one thread, and what it brought."""

    limit: int
    begin: float
    until: float
    content: bytes = b""


class Line:
    """A line to one server, for any number of threads; its connections stay open."""

    def __init__(self, url: str, key: str, timeout: float, clock: Clock = SYSTEM_CLOCK) -> None:
        self.timeout = timeout
        self.patience = max(PATIENCE, 3 * timeout)
        self._clock = clock
        self._tries = threading.local()
        http = openai.DefaultHttpxClient(
            follow_redirects=False, event_hooks={"response": [self._take]}
        )
        bound(http, self._left)
        self._client = openai.OpenAI(
            base_url=url,
            # Servers without keys take any; the client wants one.
            api_key=key or "none",
            max_retries=0,
            http_client=http,
        )

    def call(self, send: Send, limit: int) -> Body:
        """The reply to what ``send`` sends, at most ``limit`` bytes of it.

        Lost connections, time-outs, 429 and 5xx are tried again while the patience lasts, after
        waits that double and differ by chance, or as long as the server asks for.

        Raises:
            Refused: the server refused for good.
            EndpointDown: every try failed, or the next may come only after the patience ends.
        """
        clock = self._clock
        begin = clock.monotonic()
        end = begin + self.patience
        for tries in count(1):
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (tries - 1)) * (1 + clock.chance()) / 2
            left = max(1.0, end - clock.monotonic())
            try:
                return self._try(send, limit, min(self.timeout, left))
            except Refused as refused:
                if not refused.passes:
                    raise
                trouble = str(refused)
                asked = _seconds_asked(refused.retry_after, clock.wall())
                # Not all who were told the same come back in the same moment.
                wait = max(wait, asked + FIRST_WAIT * clock.chance())
            except openai.APITimeoutError:
                trouble = f"no answer within {self.timeout:g} s"
            except openai.APIConnectionError as error:
                trouble = f"no connection, or it was lost ({type(error.__cause__).__name__})"
            if clock.monotonic() + wait >= end:
                break
            clock.sleep(wait)
        times = "once" if tries == 1 else f"{tries} times"
        raise EndpointDown(f"{trouble}; tried {times} in {clock.monotonic() - begin:.0f} s")

    def close(self) -> None:
        """Close the connections; the line cannot be used any more."""
        self._client.close()

    def _try(self, send: Send, limit: int, seconds: float) -> Body:
        begin = self._clock.monotonic()
        self._tries.now = running = _Try(limit, begin, begin + seconds)
        bound = openai.Timeout(seconds, connect=min(CONNECTING, seconds))
        with send(self._client, {"timeout": bound, "extra_headers": _HEADERS}):
            took = self._clock.monotonic() - begin
            return Body(running.content[:limit], len(running.content) <= limit, took)

    def _left(self) -> float:
        """Seconds that the try of this thread may still take."""
        running: _Try = self._tries.now
        return running.until - self._clock.monotonic()

    def _take(self, response: httpx2.Response) -> None:
        """Take a reply off the line, no more of it than wanted.

        The client calls this inside its own guard, so what breaks while a body is read becomes
        one of its errors, and before it would read the body of an error whole.
        """
        running: _Try = self._tries.now
        limit = running.limit if response.is_success else ERROR_LIMIT
        parts: list[bytes] = []
        size = 0
        for part in response.iter_raw():
            parts.append(part)
            size += len(part)
            if size > limit:
                break
        running.content = b"".join(parts)
        if not response.is_success:
            asked = response.headers.get("retry-after")
            took = self._clock.monotonic() - running.begin
            raise Refused(response.status_code, asked, running.content, took)


def code_in(answer: object) -> str:
    """The name of an error in an answer's ``error``, "" if there is none that is a plain word."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(error, dict):
        return ""
    named = (error.get(key) for key in ("code", "type"))
    return next((n for n in named if isinstance(n, str) and _CODE.fullmatch(n)), "")


def _json(content: bytes) -> object:
    try:
        found: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found


def _seconds_asked(header: str | None, now: float) -> float:
    """What Retry-After asks for, as seconds or a date; 0 where it says nothing."""
    seconds = 0.0
    with suppress(ValueError, OverflowError):
        seconds = email.utils.parsedate_to_datetime(header or "").timestamp() - now
    with suppress(ValueError):
        seconds = float(header or "")
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
