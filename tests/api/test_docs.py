"""docs/api.md says what is: its examples run, its answers have the keys that come."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from adjudication.accounts.actions import make_token
from adjudication.imports.models import Import
from adjudication.imports.tasks import work_on
from adjudication.specifications.actions import add_standard_rules, freeze, start_draft
from tests.api.test_access import in_project
from tests.conftest import ROOT, make_cast
from tests.factories import make_claim, make_project

DOC = (ROOT / "docs" / "api.md").read_text()
BLOCKS = re.findall(r"```(sh|json)\n(.*?)```", DOC, re.DOTALL)


def test_every_address_is_documented() -> None:
    """And none that there is not."""
    listed = set(re.findall(r"^\| `([^`]+)` \|", DOC, re.MULTILINE))
    served = {re.sub(r"<(\w+?)(_id)?>", r"{\1}", place) for place in in_project() if place}
    assert listed == served


def same_shape(shown: Any, came: Any, place: str = "$") -> None:
    """The same keys and kinds all the way down; an empty object stands for any other."""
    if isinstance(shown, dict) and shown:
        assert isinstance(came, dict), place
        assert sorted(shown) == sorted(came), place
        for key, value in shown.items():
            same_shape(value, came[key], f"{place}.{key}")
    elif isinstance(shown, list):
        assert len(shown) == len(came), place
        for number, (left, right) in enumerate(zip(shown, came, strict=True)):
            same_shape(left, right, f"{place}[{number}]")
    elif isinstance(shown, str) and not re.search("…|^20", shown):
        assert shown == came, place
    else:
        assert type(shown) is type(came), place
        assert isinstance(shown, str | dict) or shown == came, place


def test_examples_run_and_answer_as_shown(site: str, tmp_path: Path) -> None:
    """With curl, over HTTP, in their order, each finding what those before it made."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    project = make_project("film-study")
    lead = make_cast(project).lead
    add_standard_rules(project, by=lead)
    claim = make_claim(project)
    names = {
        "SITE": site,
        "TOKEN": make_token(lead, name="examples", actor=lead)[1],
        "CLAIM": str(claim.pk),
    }
    (_, prelude), *blocks = BLOCKS
    came = ""
    for kind, block in blocks:
        if kind == "json":
            same_shape(json.loads(block), json.loads(came))
            learn(names, json.loads(came))
            continue
        if "problems" in block:
            work_on(Import.objects.get().pk)
        if "specifications" in block:
            freeze(start_draft(project, by=lead), by=lead)
        came = run(prelude + block, names, tmp_path)
        assert '{"error":{' not in came or "colour" in block, came


def run(script: str, names: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        ["/bin/bash", "-euc", script],
        env=names | {"PATH": "/usr/bin:/bin", "no_proxy": "*"},
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def learn(names: dict[str, str], came: dict[str, Any]) -> None:
    """Names of what the first examples made, for the later ones."""
    if "media_type" in came:
        names |= {"VERSION": came["id"], "SOURCE": came["source"]}
    if "warnings" in came:
        names["SPAN"] = came["id"]
    if "piece_limit" in came:
        names["IMPORT"] = came["id"]
