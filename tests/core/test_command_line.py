"""``python -m certify_core``: exact answers for good files, one clear line for bad ones."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from certify_core.__main__ import main
from certify_core.model import Instance
from tests.core import naive

ROOT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
GOOD = {"given": [], "units": [{"id": "u", "states": ["a"]}], "rules": [], "targets": ["a"]}


def run(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[bytes]:
    """The program as users start it."""
    content = stdin.encode() if isinstance(stdin, str) else stdin
    command = [sys.executable, "-m", "certify_core", *arguments]
    return subprocess.run(command, input=content, capture_output=True, cwd=ROOT, timeout=60)


def refusal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | bytes, verb: str = "decide"
) -> str:
    """The one line that a bad document is refused with."""
    file = tmp_path / "instance.json"
    file.write_bytes(
        content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    )
    assert main([verb, str(file)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def document(instance: Instance) -> dict[str, object]:
    """The instance in the program's own form."""
    return {
        "given": list(instance.given),
        "units": [{"id": uid, "states": list(s)} for uid, s in instance.facts.items()],
        "rules": [
            {"id": e.eid, "tail": list(e.tail), "head": e.head}
            | ({} if e.witnesses is None else {"witnesses": list(e.witnesses)})
            for e in instance.edges
        ],
        "targets": list(instance.targets),
    }


def answers(
    capsysbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
    verb: str,
    value: object,
    *options: str,
) -> dict[str, Any]:
    file = tmp_path / "instance.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    assert main([verb, str(file), *options]) == 0
    answer: dict[str, Any] = json.loads(capsysbinary.readouterr().out)
    return answer


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case_gives_the_stored_answer(file, capsysbinary, tmp_path):
    """Every stored case: the whole answer, nothing more and nothing less."""
    case = json.loads(file.read_text(encoding="utf-8"))
    assert answers(capsysbinary, tmp_path, case["verb"], case["input"]) == case["output"]


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_order_of_the_file_changes_nothing(file, capsysbinary, tmp_path):
    """Shuffled lists and keys give the same bytes."""
    case = json.loads(file.read_text(encoding="utf-8"))
    shuffled = {key: case["input"][key] for key in sorted(case["input"])}
    for key, items in shuffled.items():
        shuffled[key] = random.Random(7).sample(items, len(items))
    assert answers(capsysbinary, tmp_path, case["verb"], shuffled) == case["output"]


def test_program_reads_standard_input():
    """A dash stands for standard input; the answer is one line of JSON on standard output."""
    done = run("decide", "-", stdin=json.dumps(GOOD))
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["units"] == ["u"]
    assert done.stdout.count(b"\n") == 1


def test_answer_is_utf8_whatever_the_terminal():
    """Names keep their letters."""
    value = {**GOOD, "units": [{"id": "Łódź", "states": ["a"]}]}
    assert '"Łódź"'.encode() in run("enumerate", "-", stdin=json.dumps(value)).stdout


def test_bad_program_input_leaves_no_traceback():
    """Exit code 2, nothing on standard output, one line on standard error."""
    done = run("decide", "-", stdin="[" * 100_000)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"certify_core: $: nested deeper than 100 levels\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"targets": []}, "targets: there is no target"),
        ({"targets": "a"}, "targets: not a list"),
        ({"targets": ["a", 1]}, "targets[1]: not a string"),
        ({"given": None}, "given: not a list"),
        ({"given": [True]}, "given[0]: not a string"),
        ({"more": 1}, "document: unknown key 'more'"),
        ({"units": {"u": ["a"]}}, "units: not a list"),
        ({"units": ["u"]}, "units[0]: not an object"),
        ({"units": [{"id": "u"}]}, "units[0]: the key 'states' is missing"),
        ({"units": [{"id": 1, "states": []}]}, "units[0].id: not a string"),
        ({"units": [{"id": "u", "states": [None]}]}, "units[0].states[0]: not a string"),
        ({"units": [{"id": "u", "states": []}] * 2}, "units: the id 'u' is used twice"),
        ({"rules": [{"id": "r", "tail": []}]}, "rules[0]: the key 'head' is missing"),
        ({"rules": [{"id": "r", "tail": [], "head": []}]}, "rules[0].head: not a string"),
        (
            {"rules": [{"id": "r", "tail": [], "head": "a", "witness": []}]},
            "rules[0]: unknown key 'witness'",
        ),
        (
            {"rules": [{"id": "r", "tail": [], "head": "a", "witnesses": None}]},
            "rules[0].witnesses: not a list",
        ),
        (
            {"rules": [{"id": "r", "tail": [], "head": "a", "witnesses": ["u", "v"]}]},
            "rules[0].witnesses[1]: 'v' is no unit",
        ),
        (
            {"rules": [{"id": "r", "tail": [], "head": "a"}] * 2},
            "rules: the id 'r' is used twice",
        ),
    ],
)
def test_fault_is_named_at_its_place(change, said, capsys, tmp_path):
    """Wrong types, unknown, missing and repeated parts: the line says where and what."""
    line = refusal(capsys, tmp_path, json.dumps({**GOOD, **change}))
    assert line == f"certify_core: {said}\n"


@pytest.mark.parametrize("key", ["given", "units", "rules", "targets"])
def test_missing_key_is_refused(key, capsys, tmp_path):
    """Every part must be there, also an empty one: silence is not an empty list."""
    value = {name: part for name, part in GOOD.items() if name != key}
    assert f"the key {key!r} is missing" in refusal(capsys, tmp_path, json.dumps(value))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "line 1 column 1: Expecting value"),
        ("{", "line 1 column 2"),
        ("[]", "document: not an object"),
        ("null", "document: not an object"),
        ('{"given": [], "given": []}', "$.given: the key occurs twice"),
        ('{"given": [NaN]}', "$.given[0]: NaN is not a number"),
        ('{"given": [-Infinity]}', "-Infinity is not a number"),
        ('{"given": ["\\ud800"]}', "$.given[0]: a surrogate without its partner"),
        (b'{"given": ["\xff"]}', "byte 12: not UTF-8"),
        ("[" * 101 + "]" * 101, "nested deeper than 100 levels"),
        ("9" * 5000, "a number with too many digits"),
        ('{"a\\nb\\u001b": 1, "a\\nb\\u001b": 1}', "$.a\\nb\\x1b: the key occurs twice"),
    ],
)
def test_text_that_is_not_strict_json_is_refused(content, said, capsys, tmp_path):
    """Nothing ambiguous is read, and no input can write a second line or a control code."""
    assert said in refusal(capsys, tmp_path, content)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "VERB"),
        (["prove", "x"], "invalid choice"),
        (["decide"], "required: file"),
        (["decide", "nowhere.json"], "No such file"),
        (["decide", "x", "--limit", "3"], "unrecognized arguments"),
        (["enumerate", "x", "--limit", "0"], "not a whole number from 1"),
        (["enumerate", "x", "--limit", "1e3"], "not a whole number from 1"),
        (["enumerate", "x", "--seconds", "-1"], "not a number of seconds from 0"),
        (["enumerate", "x", "--seconds", "nan"], "not a number of seconds from 0"),
        (["enumerate", "x", "--seconds", "soon"], "not a number of seconds from 0"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(arguments, said, capsys):
    """As bad files are: exit code 2 and no usage page."""
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_limit_makes_the_list_incomplete(capsysbinary, tmp_path):
    """The smallest sets are given; the core is still that of all sets."""
    units = [{"id": f"u{n}", "states": ["a"]} for n in range(3)]
    value = {**GOOD, "units": [*units, {"id": "b", "states": ["b"]}], "targets": ["a", "b"]}
    found = answers(capsysbinary, tmp_path, "enumerate", value, "--limit", "1")
    assert found == {"sets": [["b", "u0"]], "core": ["b"], "complete": False}


def test_seconds_of_zero_still_answer(capsysbinary, tmp_path):
    """One set, honestly called incomplete."""
    found = answers(capsysbinary, tmp_path, "enumerate", GOOD, "--seconds", "0")
    assert found == {"sets": [["u"]], "core": ["u"], "complete": False}


@naive.PROPERTY
@given(naive.instances())
def test_decisions_agree_with_the_naive_definitions(tmp_path_factory, instance):
    """Through the file format: certificates check, gaps and sets are those defined."""
    file = tmp_path_factory.mktemp("decide") / "instance.json"
    file.write_text(json.dumps(document(instance)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        lines: list[bytes] = []
        patch.setattr("sys.stdout", _Output(lines))
        assert main(["decide", str(file)]) == main(["enumerate", str(file)]) == 0
    decided, listed = (json.loads(line) for line in lines)
    sets = naive.minimal_sets(instance, naive.UNITS)
    assert listed["sets"] == [list(units) for units in sets]
    if sets:
        assert tuple(decided["units"]) in sets
        assert set(decided["core"]) == set(listed["core"]) == set.intersection(*map(set, sets))
        assert decided["closures"] <= len(instance.facts) + 1
    else:
        missing, blocked = naive.gaps(instance, naive.UNITS)
        assert (decided["open"], decided["blocked"]) == (sorted(missing), sorted(blocked))


class _Output:
    """Standard output that keeps the bytes written."""

    def __init__(self, lines: list[bytes]) -> None:
        self.buffer = self
        self.write = lines.append

    def flush(self) -> None:
        """Everything is kept already."""
