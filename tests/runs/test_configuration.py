"""What a run may be configured to do, and that configurations of earlier versions still load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import certify_core
from adjudication import readers, search
from adjudication.errors import Refused
from adjudication.runs.rules import MAX_PER_CALL, Configuration, code_version
from certify_core.linking import Rules
from certify_core.search import Policy

RUN = "0b2c6f0e-7a52-4a5f-9f0a-3a6f1c0d9e11"
BEFORE_READERS = {
    "check": "verify",
    "schedule": [5, 10],
    "conflict": "lenient",
    "reader": "offline",
}


def test_configuration_of_an_earlier_version_loads():
    """A stored run stays readable: what it could not choose is what it did."""
    loaded = Configuration.from_json(BEFORE_READERS)
    assert loaded == Configuration(check="verify", schedule=(5, 10), conflict="lenient")
    assert (loaded.retriever, loaded.model, loaded.replays) == ("bm25", "", None)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"reader": "endpoint", "model": "small", "sample": 3, "per_call": 1, "budget_calls": 1},
        {"reader": "recorded", "model": "small", "replays": RUN},
        {"retriever": "hybrid", "embeddings": "tiny"},
        {"verifications": 0, "stop_on": "any", "partial": "anchor", "suffix": "drop"},
        {"aliases": False, "places": False},
    ],
)
def test_configuration_survives_storing(choices: dict[str, Any]):
    """What is read back is what was frozen."""
    made = Configuration(**choices)
    assert Configuration.from_json(made.to_json()) == made


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"check": "anchr"}, "no check"),
        ({"conflict": "loose"}, "no conflict policy"),
        ({"schedule": ()}, "schedule"),
        ({"schedule": (5, 0)}, "schedule"),
        ({"schedule": (100, 101)}, "schedule"),
        ({"verifications": -1}, "second readings"),
        ({"stop_on": "never"}, "stop_on"),
        ({"partial": "maybe"}, "partial"),
        ({"suffix": "keep"}, "suffix"),
        ({"reader": "oracle"}, "no reader"),
        ({"reader": "endpoint"}, "model"),
        ({"reader": "recorded", "replays": RUN}, "model"),
        ({"model": "small"}, "model"),
        ({"reader": "recorded", "model": "small"}, "replays"),
        ({"replays": RUN}, "replays"),
        ({"sample": -1}, "sample"),
        ({"sample": 2**31}, "sample"),
        ({"per_call": 0}, "passages"),
        ({"per_call": MAX_PER_CALL + 1}, "passages"),
        ({"retriever": "sparse"}, "no retriever"),
        ({"retriever": "dense"}, "embeddings"),
        ({"embeddings": "tiny"}, "embeddings"),
        ({"budget_calls": 10}, "budget"),
        ({"reader": "endpoint", "model": "small", "budget_calls": 0}, "budget"),
        ({"reader": "endpoint", "model": "small", "budget_tokens": 2**63}, "budget"),
    ],
)
def test_configuration_that_makes_no_sense_is_refused(choices: dict[str, Any], said: str):
    """A misspelled or contradictory choice must not quietly run another one."""
    with pytest.raises(Refused, match=said):
        Configuration(**choices)


def test_switches_reach_the_search():
    """A choice that is frozen and shown, and not followed, would be worse than none."""
    chosen = Configuration(
        verifications=5, stop_on="any", partial="anchor", suffix="drop", aliases=False, places=False
    )
    assert chosen.policy == Policy(
        verifications=5, stop_on="any", rules=Rules("anchor", "drop", aliases=False, places=False)
    )
    assert Configuration().policy == Policy()


@pytest.mark.parametrize("part", [certify_core, readers, search])
def test_code_version_changes_with_all_that_decides_certificates(part: Any, monkeypatch):
    """Two runs that name the same code must not have ranked, read or searched differently."""
    before = code_version()
    (folder,) = part.__path__
    changed = next(Path(folder).glob("[a-z]*.py"))
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"#" * (path == changed))
    assert code_version.__wrapped__() != before
