"""``python -m certify_core score``: the ledger's rates, and one clear line for a bad ledger."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from certify_core.__main__ import main
from tests.core.datasets.samples import real
from tests.core.test_command_line import answers, refusal, run

ROW = {
    "sets": [["a1", "a2"]],
    "retrieved": ["a1", "a2"],
    "cited": ["a2"],
    "supported": True,
    "correct": True,
    "answerable": True,
}


def metrics(capsysbinary: Any, tmp_path: Path, *rows: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answers(capsysbinary, tmp_path, "score", {"rows": list(rows)})
    return found["metrics"]  # type: ignore[no-any-return]


def test_score_of_the_known_ledger(capsysbinary):
    """The four worked cases give the totals stored beside them."""
    file = real("ledger-a-d/ledger.json")
    expected = json.loads(file.read_text("utf-8"))["expected"]
    assert main(["score", str(file)]) == 0
    found = json.loads(capsysbinary.readouterr().out)["metrics"]
    for name, counts in expected.items():
        ours = found[name.removesuffix("_conditional")]
        assert {key: ours[key] for key in counts} == counts
        assert ours["value"] == counts["numerator"] / counts["denominator"]
        assert ours["missing"] == ours["pending"] == 0
    assert found["whole_answer_acceptance"]["numerator"] == 1


def test_score_reads_standard_input():
    """A dash stands for standard input; one line of JSON on standard output."""
    done = run("score", "-", stdin=json.dumps({"rows": [ROW]}))
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (0, b"", 1)
    assert json.loads(done.stdout)["metrics"]["complete_set_recall"] == {
        "numerator": 1,
        "denominator": 1,
        "missing": 0,
        "pending": 0,
        "value": 1.0,
    }


def test_score_of_no_rows_is_undefined_with_a_reason(capsysbinary, tmp_path):
    """Null and why, for every metric."""
    found = answers(capsysbinary, tmp_path, "score", {"rows": []})
    assert all(counts["value"] is None for counts in found["metrics"].values())
    assert found["undefined"].keys() == found["metrics"].keys()
    assert set(found["undefined"].values()) == {"the denominator is empty"}


def test_score_ignores_supersets_repeats_empty_sets_and_order(capsysbinary, tmp_path):
    """None of these changes what is complete."""
    grown = {
        **ROW,
        "sets": [["a3", "a1", "a2"], [], ["a2", "a1", "a1"], ["a1", "a2"]],
        "retrieved": ["a2", "a1", "a1"],
        "cited": ["a2", "a2"],
    }
    rows = [ROW, {**ROW, "sets": [[]]}, {**ROW, "answerable": False}]
    plain = metrics(capsysbinary, tmp_path, *rows)
    shuffled = random.Random(3).sample([grown, *rows[1:]], 3)
    assert metrics(capsysbinary, tmp_path, *shuffled) == plain
    assert plain["complete_set_recall"]["numerator"] == 1
    assert plain["complete_set_recall"]["denominator"] == 2


@pytest.mark.parametrize(
    ("field", "metric", "gap"),
    [
        ("sets", "complete_set_recall", "missing"),
        ("retrieved", "complete_set_recall", "missing"),
        ("answerable", "complete_set_recall", "pending"),
        ("cited", "citation_set_completeness", "missing"),
        ("supported", "citation_set_completeness", "pending"),
        ("supported", "unsupported_output_claims", "pending"),
        ("correct", "answer_correctness", "pending"),
    ],
)
def test_score_counts_null(capsysbinary, tmp_path, field, metric, gap):
    """Null is counted as what it is, and alone it leaves nothing to report."""
    whole = metrics(capsysbinary, tmp_path, ROW, {**ROW, field: None})[metric]
    assert (whole["missing"], whole["pending"]) == ((1, 0) if gap == "missing" else (0, 1))
    alone = metrics(capsysbinary, tmp_path, {**ROW, field: None})[metric]
    assert (alone["value"], alone[gap]) == (None, 1)


def test_score_reports_whole_answers(capsysbinary, tmp_path):
    """Rows of one question are one answer; an omitted required claim fails it."""
    good = {**ROW, "cited": ["a1", "a2"], "question": "q"}
    omitted = {**good, "stated": False, "correct": False}
    found = metrics(capsysbinary, tmp_path, good, omitted, {**good, "question": "r"})
    assert found["whole_answer_acceptance"]["value"] == 0.5
    assert found["omitted_required_claims"]["value"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "ledger: expected an object, got a list"),
        ({}, "ledger: the field 'rows' is missing"),
        ({"rows": {}}, "ledger: rows: expected a list, got an object"),
        ({"rows": [ROW], "more": 1}, "ledger: unknown key 'more'"),
        ({"rows": [1]}, "ledger: rows[0]: expected an object, got a number"),
        ({"rows": [{**ROW, "retreived": []}]}, "ledger: rows[0]: unknown key 'retreived'"),
        ({"rows": [ROW, {"sets": []}]}, "ledger: rows[1]: the field 'retrieved' is missing"),
        ({"rows": [{**ROW, "sets": ["a1"]}]}, "ledger: rows[0].sets[0]: expected a list, got text"),
        ({"rows": [{**ROW, "sets": [None]}]}, "ledger: rows[0].sets[0]: expected a list, got null"),
        ({"rows": [{**ROW, "cited": "a1"}]}, "ledger: rows[0].cited: expected a list, got text"),
        ({"rows": [{**ROW, "cited": [""]}]}, "ledger: rows[0].cited[0]: is empty"),
        ({"rows": [{**ROW, "cited": [3]}]}, "ledger: rows[0].cited[0]: expected text"),
        ({"rows": [{**ROW, "correct": 1}]}, "ledger: rows[0].correct: expected true or false"),
        ({"rows": [{**ROW, "stated": None}]}, "ledger: rows[0].stated: expected true or false"),
    ],
)
def test_score_refuses_in_one_line(capsys, tmp_path, document, said):
    """The place and the fault; exit code 2 and nothing on standard output."""
    assert f"certify_core: {said}" in refusal(capsys, tmp_path, json.dumps(document), "score")


@pytest.mark.parametrize("content", ["", "{", '{"rows": [], "rows": []}', '{"rows": NaN}'])
def test_score_refuses_what_is_no_strict_json(capsys, tmp_path, content):
    """Nothing, a fragment, a key twice, a number that is none."""
    assert refusal(capsys, tmp_path, content, "score").startswith("certify_core: ")
