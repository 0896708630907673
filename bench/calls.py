"""What a run with a model endpoint costs beside the endpoint's own time.

``CALLS_QUESTIONS`` invented questions (500) are asked over two and four hops, of a local
endpoint that takes 50 ms for every call, by two workers with eight calls at once each, started
as `manage.py serve` starts them. Once with one passage to a call, as in the paper, and once
with several. Every certificate must be right, or the figures would mean nothing.

With ``MULTIHOP`` (see `bench.questions`), the calls per question are counted on published
questions too, without waiting.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench import calls_counted
from bench.answers import answer_to, asked_in
from bench.database import ROOT, database, in_a_process
from bench.endpoint import Answering, Body, Endpoint
from bench.films import Study, study
from bench.processes import cpu_of

LATENCY = 0.050
WORKERS = 2
AT_ONCE = 8
MODEL = "patterns"
PASSAGES_PER_CALL = {"unbatched": 1, "batched": 5}
QUESTIONS = 500
WARMING = 32  # questions of a first run, in which the workers load what they need

Raw = Mapping[str, Any]


def measure() -> dict[str, object]:
    """Return the figures of each way to put passages into calls."""
    questions = int(os.environ.get("CALLS_QUESTIONS", QUESTIONS))
    answering = knowing(study(questions))
    with Endpoint(LATENCY, answering) as endpoint, database("calls") as addresses:
        environment = addresses | {
            "READER_URL": endpoint.url,
            "READER_MODELS": MODEL,
            "READER_CALLS_AT_ONCE": str(AT_ONCE),
        }
        with workers(environment) as pids:
            one_run(endpoint, pids, "first", WARMING, 1, environment)
            found = {
                name: one_run(endpoint, pids, name, questions, number, environment)
                for name, number in PASSAGES_PER_CALL.items()
            }
    return {
        "questions": questions,
        "latency_ms": round(1e3 * LATENCY),
        "workers": WORKERS,
        "calls_at_once_each": AT_ONCE,
        **found,
        "published_questions": calls_counted.measure(PASSAGES_PER_CALL),
    }


def knowing(invented: Study) -> Answering:
    """The endpoint's answers, which it works out from the passages but for the questions'.

    Those it knows: to read them from all passages without an entity check takes it longer than
    all else together, and would be this machine's time, not the program's.
    """
    known = {one.text: one.answer for one in invented.questions}

    def answering(body: Body) -> str:
        asked = asked_in(body)
        if asked["kind"] == "answer":
            return json.dumps({"answer": known[asked["question"]]})
        return answer_to(body)

    return answering


def one_run(
    endpoint: Endpoint,
    pids: Sequence[int],
    name: str,
    questions: int,
    per_call: int,
    environment: Mapping[str, str],
) -> dict[str, object]:
    """Run over a project of its own, and compare what the run says with the endpoint's count."""
    in_a_process("bench.calls", "prepare", name, str(questions), **environment)
    endpoint.forget()
    before, own = cpu_of(pids), time.process_time()
    raw = in_a_process("bench.calls", "run", name, MODEL, str(per_call), **environment)
    seconds, own = cpu_of(pids) - before, time.process_time() - own
    sent = len(endpoint.asked)
    if not raw["right"] == questions or raw["bought"] != sent:
        raise SystemExit(f"the figures would mean nothing: {sent} calls arrived, {raw}")
    if any(times > 1 for times in endpoint.digests().values()):
        raise SystemExit("a call was sent twice")
    return figures(raw, questions, seconds) | {
        "endpoint_most_at_once": endpoint.most_at_once,
        "endpoint_cpu_ms_per_call": round(1e3 * own / sent, 2),
    }


def figures(raw: Raw, questions: int, cpu: float) -> dict[str, object]:
    latency = LATENCY * raw["bought"]
    least = max(LATENCY * raw["most_calls_of_a_question"], latency / (WORKERS * AT_ONCE))
    return {
        "passages_per_call": raw["per_call"],
        "wall_s": round(raw["wall_s"], 2),
        "least_s": round(least, 2),
        "wall_over_least": round(raw["wall_s"] / least, 3),
        "cpu_ms_per_link": round(1e3 * cpu / raw["links"], 2),
        "cpu_ms_per_call": round(1e3 * cpu / raw["bought"], 2),
        "cpu_ms_per_question": round(1e3 * cpu / questions, 1),
        "database_cpu_ms_per_link": round(1e3 * raw["database_cpu_s"] / raw["links"], 2),
        **calls_counted.per_question(raw["kinds"], raw["links"], questions),
    }


@contextmanager
def workers(environment: Mapping[str, str]) -> Iterator[list[int]]:
    """The workers for calls, ready to work; their process ids."""
    command = in_a_process("bench.calls", "worker", **environment)
    with ExitStack() as running:
        pids = [
            running.enter_context(worker([*command, f"--hostname=calls-{number}@%h"], environment))
            for number in range(WORKERS)
        ]
        in_a_process("bench.calls", "wait", str(WORKERS), **environment)
        yield pids


@contextmanager
def worker(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[int]:
    """A worker, which is asked to stop at the end of the block; its process id."""
    with (Path(environment["DATA_DIR"]) / "workers.log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, stdout=log, stderr=log
        )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def main(what: str, *arguments: str) -> object:
    """One step, in a process that has the database in its environment."""
    import django

    django.setup()
    from bench import calls_run

    steps: dict[str, Callable[..., object]] = {
        "worker": calls_run.worker_command,
        "wait": calls_run.wait_for_workers,
        "prepare": calls_run.prepare,
        "run": calls_run.run,
    }
    return steps[what](*arguments)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
