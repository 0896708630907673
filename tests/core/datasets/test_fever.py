"""FEVER: claims with alternative sets over (page, line), predictions, and their joining."""

from __future__ import annotations

import json

import pytest

from certify_core.datasets import fever
from certify_core.errors import InvalidRecord
from tests.core.datasets.claims import FEVER, claim, said
from tests.core.datasets.samples import as_lines, plain, real

PREDICTION = {"id": 7, "predicted_label": "SUPPORTS", "predicted_evidence": [["Fen", 9]]}


def test_sets_stay_alternatives():
    """Two routes are two sets, not one union; members are places without texts."""
    found = claim("fever", FEVER)
    assert found.sets == ((("Fen", 9),), (("Fen", 0), ("Mill", 4)))
    assert (found.key, found.label, found.problems) == ("7", "supported", ())


def test_claim_without_enough_information_has_no_set():
    """[[null, null]] is no set, and no fault."""
    record = {
        **FEVER,
        "label": "NOT ENOUGH INFO",
        "verifiable": "NOT VERIFIABLE",
        "evidence": [[[1, None, None, None]]],
    }
    found = claim("fever", record)
    assert (found.label, found.sets, found.problems) == ("not-enough-info", (), ())
    assert found.given == (((None, None),),)


@pytest.mark.parametrize(
    ("change", "codes", "sets"),
    [
        ({"evidence": [[]]}, ["empty-set"], 0),
        ({"evidence": []}, ["no-set"], 0),
        ({"evidence": [[[1, 2, None, None]], [[1, 2, "Fen", 0]]]}, ["null-page"], 1),
        ({"evidence": [[[1, 2, "Fen", None]]]}, ["null-page"], 0),
        ({"evidence": [[[1, 2, "Fen", 0], [3, 4, "Fen", 0]]]}, ["repeated-member"], 1),
        ({"evidence": [[[1, 2, "Fen", 0]], [[3, 4, "Fen", 0]]]}, ["repeated-set"], 1),
        (
            {"evidence": [[[1, 2, "Fen", 0], [1, 2, "Mill", 1]], [[3, 4, "Fen", 0]]]},
            ["superset"],
            1,
        ),
        ({"label": "REFUTE"}, ["label-alias"], 2),
        ({"verifiable": "NOT VERIFIABLE"}, ["label-disagrees"], 2),
        ({"label": "NOT ENOUGH INFO"}, ["unexpected-evidence"] * 2 + ["label-disagrees"], 0),
    ],
)
def test_faults_of_an_annotation_are_named(change, codes, sets):
    """Nothing is repaired in silence, and the annotation is kept as given."""
    found = claim("fever", {**FEVER, **change})
    assert (said(found), len(found.sets)) == (codes, sets)
    assert len(found.given) == len({**FEVER, **change}["evidence"])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"label": "MAYBE"}, "line 1: label: 'MAYBE' is none of the labels"),
        ({"evidence": None}, "line 1: evidence: expected a list, got null"),
        ({"evidence": [[[1, 2, "Fen"]]]}, "line 1: evidence[0][0]: expected 4 entries, got 3"),
        ({"evidence": [[[1, 2, "Fen", "0"]]]}, "line 1: evidence[0][0][3]: expected a whole num"),
        ({"evidence": [[[1, 2, "", 0]]]}, "line 1: evidence[0][0][2]: is empty"),
        ({"id": "7"}, "line 1 (7): id: expected a whole number"),
        ({"claim": " "}, "line 1: claim: is empty"),
    ],
)
def test_other_shapes_are_refused_at_their_place(change, fault):
    """The line and the path of the first fault."""
    data = json.dumps({**FEVER, **change}).encode() + b"\n" + json.dumps(FEVER).encode()
    with pytest.raises(InvalidRecord) as caught:
        fever.parse(data)
    assert str(caught.value).startswith(fault)


def test_id_used_twice_is_refused():
    """Two claims of one id cannot be told apart."""
    with pytest.raises(InvalidRecord, match=r"line 2: the id '7' is already used by line 1"):
        fever.parse(as_lines(FEVER, FEVER))


def test_redacted_claims_are_known_by_their_place():
    """The scorer's test file blanks ids and texts; each record says so."""
    blank = {**FEVER, "id": 0, "claim": "REDACTED"}
    first, second = fever.parse(as_lines(blank, blank))
    assert (first.key, second.key) == ("line 1", "line 2")
    assert said(first) == said(second) == ["redacted"]


def test_cases_join_claims_and_predictions_by_position():
    """Labels as given, so that the scorer's own comparison can be made."""
    (case,) = fever.cases(
        fever.parse(as_lines(FEVER)), fever.parse_predictions(as_lines(PREDICTION))
    )
    assert (case.label, case.predicted) == ("SUPPORTS", (("Fen", 9),))
    assert case.sets[0] == (("Fen", 0), ("Mill", 4))


def test_files_that_do_not_pair_are_refused():
    """Unequal lengths or another id: joining by position would score the wrong claims."""
    claims = fever.parse(as_lines(FEVER))
    with pytest.raises(InvalidRecord, match="0 predictions for 1 claims"):
        fever.cases(claims, ())
    with pytest.raises(InvalidRecord, match="record 1: the prediction is for '8'"):
        fever.cases(claims, fever.parse_predictions(as_lines({**PREDICTION, "id": 8})))


@pytest.mark.parametrize("evidence", [[["Fen"]], [["Fen", "9"]], [[None, 9]], "Fen", None])
def test_predictions_of_another_shape_are_refused(evidence):
    """A predicted sentence is a page and a whole number."""
    with pytest.raises(InvalidRecord, match="record 1: predicted_evidence"):
        fever.parse_predictions(as_lines({**PREDICTION, "predicted_evidence": evidence}))


def test_real_claims_are_read_whole():
    """9,999 claims; 160 hold a set that contains another, and each loses only such sets."""
    file = real("fever-claims/paper_dev.jsonl")
    claims = fever.parse(file.read_bytes())
    assert len(claims) == 9999
    assert sum("superset" in said(found) for found in claims) == 160
    for record, found in zip(plain(file), claims, strict=True):
        assert [len(members) for members in record["evidence"]] == list(map(len, found.given))
        assert bool(found.sets) == (record["label"] != "NOT ENOUGH INFO")
        for members in found.given if found.sets else ():
            assert any(set(kept) <= set(members) for kept in found.sets)
