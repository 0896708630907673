"""Connections that end in time, whatever the server sends, and however slowly.

HTTP clients bound each wait for some bytes. A server that sends one byte now and then is never
late by that: its headers, the frame of its body or its "102 Processing" can go on for days. So
the time that is left is asked for before every read and every write.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore2
import httpx2

PART = 4096  # bytes written under one bound; sent to a slow reader they take few waits

Left = Callable[[], float]
"""Seconds that whoever uses a connection now may still take; not above 0 where it took them."""


def bound(client: httpx2.Client, left: Left) -> None:
    """Let every connection that ``client`` opens, through a proxy or not, end with ``left``."""
    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            # Its transport takes no network of ours, so it is put in place afterwards. A version
            # that looks otherwise inside fails here, or in the tests of trickles.
            pool = transport._pool
            pool._network_backend = Network(pool._network_backend, left)


class Network(httpcore2.NetworkBackend):
    """Opens connections as ``inner`` does."""

    def __init__(self, inner: httpcore2.NetworkBackend, left: Left) -> None:
        self._inner = inner
        self._left = left

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return Stream(stream, self._left)


class Stream(httpcore2.NetworkStream):
    """A connection of which no wait lasts longer than what is left."""

    def __init__(self, inner: httpcore2.NetworkStream, left: Left) -> None:
        self._inner = inner
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._within(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for at in range(0, len(buffer), PART):
            within = self._within(timeout, httpcore2.WriteTimeout)
            self._inner.write(buffer[at : at + PART], within)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        within = self._within(timeout, httpcore2.ConnectTimeout)
        return Stream(self._inner.start_tls(ssl_context, server_hostname, within), self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _within(self, timeout: float | None, late: type[Exception]) -> float:
        left = self._left()
        if left <= 0:
            raise late
        return left if timeout is None else min(timeout, left)
