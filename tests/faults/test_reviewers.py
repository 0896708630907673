"""Many reviewers at once over real HTTP, some of whom vanish, and a server that is killed."""

from __future__ import annotations

import http.client
import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models import Count
from django.db.models.functions import Now

from adjudication.review.models import Assignment, Item, Judgement, Verdict
from bench.reviewed import fill_project, over_asked, sessions
from bench.reviewer import SEAL, SLUG, Reviewer, web_server
from tests.conftest import CommittedDatabase
from tests.faults.test_serve import free_port
from tests.faults.workers import wait_until

pytestmark = pytest.mark.slow
ITEMS, REVIEWERS, VANISHING, ASKED = 600, 32, 5, 2
SECONDS = 600


class Vanished(Exception):
    """Nobody waits for the answer."""


class Person(Reviewer):
    """Judges until nothing waits. Where the server is away, asks the same again until it is back.

    ``told`` are the assignments of which the server said that they are sealed.
    """

    def __init__(self, cookies: dict[str, str], port: int) -> None:
        super().__init__(cookies, port)
        self.told: list[str] = []
        self.asked_again = 0
        self.listens = True

    def work_on(self, most: int | None = None) -> None:
        """Begin with the next item, and seal as many as there are, or ``most``."""
        self._get(f"/p/{SLUG}/review/")
        self._post(f"/p/{SLUG}/review/next/", {})
        while (address := SEAL.search(self._page)) and (most is None or len(self.told) < most):
            self._seal()
            self.told.append(address[1].decode().split("/")[-3])
        self._connection.close()

    def vanish(self, sending: bool) -> None:
        """Gone with an item in hand; perhaps with a seal on its way, of which nobody hears."""
        self.work_on(3)
        address = SEAL.search(self._page)
        assert address, "nothing in hand"
        if sending:
            self.listens = False
            with suppress(Vanished):
                self._seal()
        self._connection.close()

    def _ask(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str]:
        if not self.listens:
            self._send(method, path, body, headers)
            raise Vanished
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                answer = super()._ask(method, path, body, headers)
                if answer[0] < http.client.INTERNAL_SERVER_ERROR:
                    return answer
            except (OSError, http.client.HTTPException):
                pass
            self._connection.close()
            self.asked_again += 1
            time.sleep(0.2)  # as somebody who presses the button once more
        raise AssertionError(f"{path} was never answered")


def test_many_reviewers_vanishing_ones_and_a_killed_server(committed: CommittedDatabase) -> None:
    """No item over k, none lost, none doubled, and whatever the server confirmed is stored."""
    people = fill_project(SLUG, ITEMS, REVIEWERS)
    port = free_port()
    environment = committed.environment | {"PORT": str(port)}
    crowd = [Person(_renamed(cookies, port), port) for cookies in sessions(people)]
    vanishing, staying = crowd[:VANISHING], crowd[VANISHING:]
    with ThreadPoolExecutor(REVIEWERS) as pool:
        with web_server(environment) as server:
            gone = [pool.submit(one.vanish, n % 2 == 0) for n, one in enumerate(vanishing)]
            work = [pool.submit(one.work_on) for one in staying]
            _ended(gone)
            wait_until(lambda: Judgement.objects.count() > ITEMS * ASKED // 3, SECONDS)
            assert not all(one.done() for one in work)
            os.kill(server, signal.SIGKILL)
        with web_server(environment):
            _ended(work)
            assert any(one.asked_again for one in staying), "nobody noticed that it was away"
            held = Assignment.objects.filter(state="held")
            assert 0 < held.update(lease_until=Now() - timedelta(minutes=1)) <= VANISHING
            _ended([pool.submit(one.work_on) for one in staying])
    _check(crowd)


def _check(crowd: list[Person]) -> None:
    told = [assignment for one in crowd for assignment in one.told]
    assert len(told) == len(set(told))
    sealed = {str(one) for one in Judgement.objects.values_list("assignment", flat=True)}
    assert set(told) <= sealed
    # Beyond them, only what was on its way when its sender vanished.
    assert len(sealed - set(told)) <= VANISHING
    assert Judgement.objects.count() == len(sealed) == ITEMS * ASKED
    assert over_asked() == 0
    per_item = Judgement.objects.values("item").annotate(
        n=Count("pk"), people=Count("reviewer", distinct=True)
    )
    assert set(per_item.values_list("n", "people")) == {(ASKED, ASKED)}
    assert not Assignment.objects.filter(state="held").exists()
    assert set(Item.objects.values_list("state")) == {(Item.State.ACCEPTED,)}
    assert Verdict.objects.count() == ITEMS


def _renamed(cookies: dict[str, str], port: int) -> dict[str, str]:
    """Cookies are named after the port of the program that reads them."""
    return {name.replace(settings.PORT, str(port)): one for name, one in cookies.items()}


def _ended(work: list[Future[None]]) -> None:
    for one in work:
        one.result(SECONDS)
