"""How long a person waits for a text of 5 MB with 2,000 spans: to open, to cut, to compare.

One request after the other in one process: ``ms`` of the clock, ``cpu_ms`` of the process without
its database. ``memory_mb`` is the most that the process held, and ``memory_before_mb`` what it
held before the first page.
"""

import json
import random
import resource
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from bench.database import database, in_a_process

BYTES = 5_000_000
SPANS = 2_000
DENSE = 500  # of the spans, how many are in the last window
RUNS = 9
SLUG = "bench"


def measure() -> dict[str, object]:
    """Return milliseconds, kilobytes and megabytes; see the module's words."""
    with database("reading") as environment:
        figures: dict[str, object] = in_a_process("bench.reading", **environment)
    return figures


def _measured() -> dict[str, object]:
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client

    settings.ALLOWED_HOSTS = ["*"]
    user, version, other, deep = _stored()
    client = Client()
    client.force_login(user)
    base = f"/p/{SLUG}/corpus"
    page = f"{base}/versions/{version.pk}/"
    before = _memory()
    beyond = 999  # the last window is shown for any number beyond it
    figures: dict[str, object] = {
        "bytes": len(bytes(version.snapshot)),
        "characters": len(version.text),
        "spans": version.spans.count(),
        "first_window": _waited(client, page),
        "last_window_with_500_spans": _waited(client, f"{page}?window={beyond}"),
        "span_deep_inside": _waited(client, f"{page}?span={deep.pk}"),
        "every_hidden_character": _waited(client, f"{page}?hidden=all"),
        "source_page": _waited(client, f"{base}/sources/{version.source_id}/"),
        "what_changed_in_300_lines": _waited(
            client, f"{base}/sources/{version.source_id}/diff/?from=1&to=2"
        ),
        "span_cut": _milliseconds(lambda: _cut(client, f"{page}spans/", other)),
    }
    return figures | {"memory_before_mb": before, "memory_mb": _memory()}


def _stored() -> tuple[Any, Any, random.Random, Any]:
    """A reader, a long version with spans and a later one beside it, and a span deep inside."""
    from adjudication.accounts.models import User
    from adjudication.corpus.actions import Capture, capture_version, cut_span
    from adjudication.corpus.bulk import add_spans
    from adjudication.corpus.models import Span
    from adjudication.projects.actions import create_project, set_membership
    from adjudication.projects.models import Role

    user = User.objects.create_user("lena", "a password of no account", display_name="Lena")
    project = create_project(slug=SLUG, title="Bench", lead=None, actor=None)
    set_membership(project, user, roles=[Role.LEAD], reader_classes=["public"], actor=None)
    chance = random.Random(BYTES)
    lines = list(_lines(chance))
    every = len(lines) // 300
    later = [line.replace("e", "ee", 1) if n % every == 0 else line for n, line in enumerate(lines)]
    versions = [
        capture_version(
            project,
            Capture("bench", "long", "A long text", "".join(of).encode(), datetime.now(UTC)),
            reader_classes=list(project.reader_classes.all()),
            actor=None,
        )
        for of in (lines, later)
    ]
    version = versions[0]
    text = version.text
    starts = {chance.randrange(len(text) - 100) for _ in range(SPANS - DENSE)}
    starts |= {len(text) - 100 - n * 20 for n in range(DENSE)}
    add_spans(cut_span(version.pk, text, start, start + 60) for start in sorted(starts))
    deep = Span.objects.filter(version=version, start__gt=len(text) // 2).earliest("start")
    return user, version, chance, deep


def _lines(chance: random.Random) -> Any:
    """Invented prose of several scripts, with CR LF and other hidden characters."""
    words = ["".join(chance.choices("abcdefghiklmnoprstuvz", k=3 + n % 8)) for n in range(20_000)]
    words += [
        "Zoë",
        "Zoe\u0308",
        "🧪",
        "9\u00a0000",
        "пломба",
        "封",
        "שלום",
        "con\u00adstitution",
    ] * 40
    size = 0
    while size < BYTES:
        line = " ".join(chance.choices(words, k=90)) + ".\r\n"
        size += len(line.encode())
        yield line


def _waited(client: Any, url: str) -> dict[str, float]:
    answer = client.get(url)
    if answer.status_code != 200:
        raise SystemExit(f"{url} answers {answer.status_code}")
    kilobytes = round(len(answer.content) / 1000)
    return _milliseconds(lambda: client.get(url)) | {"kilobytes": kilobytes}


def _cut(client: Any, url: str, chance: random.Random) -> None:
    start = chance.randrange(BYTES // 2)
    answer = client.post(url, {"start": start, "end": start + 40, "occurrence": 1})
    if answer.status_code != 302:
        raise SystemExit(f"cutting answers {answer.status_code}")


def _milliseconds(action: Callable[[], object]) -> dict[str, float]:
    waited, worked = [], []
    for _ in range(RUNS):
        clock, processor = time.perf_counter(), time.process_time()
        action()
        waited.append(time.perf_counter() - clock)
        worked.append(time.process_time() - processor)
    return {
        "ms": round(statistics.median(waited) * 1000, 1),
        "cpu_ms": round(statistics.median(worked) * 1000, 1),
    }


def _memory() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1)


if __name__ == "__main__":
    print(json.dumps(_measured()))
