"""Reviewers at work over HTTP: take the next item, judge it, seal it; with no time to think.

One web server as in use, a project of ``REVIEWER_CLAIMS`` claims (100,000), two judgements asked
of each, and 1, 8 and 32 reviewers at once for ``REVIEWER_SECONDS`` each. A cycle is what peers
were measured on: get the next task, submit it. Processor time is that of the web server and the
database together, by cycle; the reviewers' own process is apart. Every answer of the server is
compared afterwards with what the database holds.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlencode

from bench.database import ROOT, database, in_a_process
from bench.timing import Figures

AT_ONCE = (1, 8, 32)
PORT = 8763
SLUG = "bench"
ANSWERS = {
    "entailment": "entails",
    "minimality": "minimal",
    "admissibility": "admissible",
    "alternatives": "not-applicable",
    "contradiction": "none",
    "boundary": "not-applicable",
}
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')
SEAL = re.compile(rb'formaction="([^"]+/seal/)"')


def measure() -> dict[str, object]:
    """Return for each number of reviewers the cycles per second, their times and their cost."""
    claims = os.environ.get("REVIEWER_CLAIMS", "100000")
    seconds = os.environ.get("REVIEWER_SECONDS", "20")
    with database("reviewer") as environment:
        environment |= {"PORT": str(PORT)}
        figures: dict[str, object] = in_a_process(
            "bench.reviewer", "fill", claims, str(max(AT_ONCE)), **environment
        )
        with web_server(environment) as server:
            for number in AT_ONCE:
                figures[f"at_once_{number}"] = _round(number, seconds, server, environment)
        checked = in_a_process("bench.reviewer", "check", **environment)
    return {**figures, **checked}


def _round(number: int, seconds: str, server: int, environment: dict[str, str]) -> Figures:
    """What ``number`` reviewers did, and what it cost the web server and the database."""
    before = _processor(server, environment)
    found = in_a_process("bench.reviewer", "work", str(number), seconds, **environment)
    used = _processor(server, environment) - before
    return {**found, "processor_ms_per_cycle": round(1000 * used / max(found["cycles"], 1), 1)}


@contextmanager
def web_server(environment: dict[str, str]) -> Iterator[int]:
    """Yield the process id of a web server as ``serve`` starts it."""
    command = [sys.executable, "-m", "gunicorn", "-c", "python:adjudication.web"]
    port = int(environment["PORT"])
    command += ["adjudication.wsgi", f"--bind=127.0.0.1:{port}"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | environment, stderr=subprocess.DEVNULL
    )
    try:
        _wait_until_it_serves(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_until_it_serves(port: int) -> None:
    for _ in range(300):
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/healthz")
                if connection.getresponse().status == http.client.OK:
                    return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the web server does not answer")


def _processor(server: int, environment: dict[str, str]) -> float:
    """Seconds of processor time of the web server's and the database's processes so far."""
    [line, *_] = (Path(environment["DATA_DIR"]) / "postgres" / "postmaster.pid").read_text().split()
    return sum(_used(process) for top in (server, int(line)) for process in _tree(top))


def _tree(top: int) -> Iterator[int]:
    yield top
    children = Path(f"/proc/{top}/task/{top}/children").read_text().split()
    for child in children:
        yield from _tree(int(child))


def _used(process: int) -> float:
    """Of all its threads, and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


# --- Reviewers -------------------------------------------------------------------------------


def _sessions() -> Path:
    """The file with everybody's cookies."""
    return Path(os.environ["DATA_DIR"], "sessions.json")


class Reviewer:
    """A browser with one connection, as far as these pages need one."""

    def __init__(self, cookies: dict[str, str], port: int = PORT) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._cookies = cookies
        self._page = b""
        self.times: list[float] = []

    def work(self, until: float) -> None:
        """Begin with the overview; then seal and get the next, until it is time to stop."""
        self._get(f"/p/{SLUG}/review/")
        self._post(f"/p/{SLUG}/review/next/", {})
        while time.perf_counter() < until:
            begin = time.perf_counter()
            self._seal()
            self.times.append(time.perf_counter() - begin)

    def _seal(self) -> None:
        address = SEAL.search(self._page)
        if address is None:
            raise SystemExit("no item to seal")
        needed = {f"needed-{n}": "needed" for n in range(1, self._page.count(b'name="needed-') + 1)}
        self._post(address[1].decode(), ANSWERS | needed)

    def _post(self, path: str, fields: dict[str, str]) -> None:
        token = TOKEN.search(self._page)
        if token is None:
            raise SystemExit(f"no form on the page before {path}")
        body = urlencode(fields | {"csrfmiddlewaretoken": token[1].decode()})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        status, location = self._ask("POST", path, body, headers)
        if status != http.client.FOUND:
            raise SystemExit(f"{path} answers {status}: {self._page[-2000:].decode()}")
        self._get(location)

    def _get(self, path: str) -> None:
        status, _ = self._ask("GET", path, None, {})
        if status != http.client.OK:
            raise SystemExit(f"{path} answers {status}")

    def _ask(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str]:
        self._send(method, path, body, headers)
        with self._connection.getresponse() as response:
            self._page = response.read()
        return response.status, response.headers.get("Location", "")

    def _send(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        self._connection.request(method, path, body, headers | {"Cookie": cookies})


def work(number: int, seconds: float) -> Figures:
    """What ``number`` reviewers manage, after a start that does not count."""
    cookies = json.loads(_sessions().read_text())
    reviewers = [Reviewer(one) for one in cookies[:number]]
    until = time.perf_counter() + seconds
    begin = time.perf_counter()
    with ThreadPoolExecutor(number) as pool:
        for ended in [pool.submit(one.work, until) for one in reviewers]:
            ended.result()
    took = time.perf_counter() - begin
    times = sorted(one for reviewer in reviewers for one in reviewer.times)
    return {
        "cycles": len(times),
        "cycles_per_s": round(len(times) / took, 1),
        "p50_ms": round(1000 * times[len(times) // 2]) if times else None,
        "p95_ms": round(1000 * times[len(times) * 95 // 100]) if times else None,
    }


# --- The project -----------------------------------------------------------------------------


def fill(claims: int, reviewers: int) -> Figures:
    """Invent the project with its open items; leave the reviewers' cookies in a file."""
    import django

    django.setup()
    from bench.reviewed import fill_project, sessions

    begin = time.perf_counter()
    people = fill_project(SLUG, claims, reviewers)
    _sessions().write_text(json.dumps(sessions(people)))
    return {"claims": claims, "fill_s": round(time.perf_counter() - begin, 1)}


def check() -> Figures:
    """What the database holds; refuses figures of a queue that gave too much or lost any."""
    import django

    django.setup()
    from bench.reviewed import over_asked, sealed

    if over := over_asked():
        raise SystemExit(f"{over} items have more judgements than were asked")
    return {"sealed": sealed()}


if __name__ == "__main__":
    WHAT = {
        "fill": lambda: fill(int(sys.argv[2]), int(sys.argv[3])),
        "work": lambda: work(int(sys.argv[2]), float(sys.argv[3])),
        "check": check,
    }
    print(json.dumps(WHAT[sys.argv[1]]()))
