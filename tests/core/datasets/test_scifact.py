"""SciFact: sets within one abstract each, one label per claim."""

from __future__ import annotations

import pytest

from certify_core.datasets import scifact
from certify_core.errors import InvalidRecord
from certify_core.metrics.families import satisfied
from tests.core.datasets.claims import SCIFACT, claim, said
from tests.core.datasets.samples import as_lines, plain, real


def test_rationales_are_alternative_sets_of_places():
    """Page is the abstract; a set never spans two of them."""
    found = claim("scifact", SCIFACT)
    assert found.sets == ((("11", 7),), (("15", 0),), (("11", 2), ("11", 5)))
    assert (found.key, found.label, found.given_label) == ("3", "supported", "SUPPORT")


def test_claim_without_evidence_has_no_label_of_its_own():
    """An empty object is not enough information."""
    found = claim("scifact", {**SCIFACT, "evidence": {}})
    assert (found.label, found.given_label, found.sets) == ("not-enough-info", "", ())


def test_refute_is_read_as_contradict_and_said():
    """The files and the format description disagree on the label's name."""
    evidence = {"11": [{"sentences": [1], "label": "REFUTE"}]}
    found = claim("scifact", {**SCIFACT, "evidence": evidence})
    assert (found.label, found.given_label, said(found)) == ("refuted", "REFUTE", ["label-alias"])


def test_rationales_that_disagree_justify_neither_label():
    """Support here and contradiction there: kept as given, no set used."""
    evidence = {
        "11": [{"sentences": [1], "label": "SUPPORT"}],
        "15": [{"sentences": [0], "label": "CONTRADICT"}],
    }
    found = claim("scifact", {**SCIFACT, "evidence": evidence})
    assert (found.label, found.sets, len(found.given)) == ("conflicting", (), 2)
    assert said(found) == ["labels-disagree"]


def test_empty_rationale_is_no_set():
    """As everywhere."""
    found = claim(
        "scifact", {**SCIFACT, "evidence": {"1": [{"sentences": [], "label": "SUPPORT"}]}}
    )
    assert (found.sets, said(found)) == ((), ["empty-set"])


@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        ([], "evidence: expected an object, got a list"),
        ({"1": [{"sentences": [0]}]}, r"evidence.1\[0\]: the field 'label' is missing"),
        ({"1": [{"sentences": [0], "label": "NEI"}]}, r"evidence.1\[0\].label: 'NEI' is none"),
        ({"1": [{"sentences": ["0"], "label": "SUPPORT"}]}, r"evidence.1\[0\].sentences\[0\]: exp"),
    ],
)
def test_other_shapes_are_refused_at_their_place(evidence, fault):
    """The line and the path of the fault."""
    with pytest.raises(InvalidRecord, match=f"record 1: {fault}"):
        scifact.parse(as_lines({**SCIFACT, "evidence": evidence}))


@pytest.mark.parametrize(("file", "count"), [("claims_dev", 300), ("claims_train", 809)])
def test_real_claims_are_read_whole(file, count):
    """Every rationale becomes a set; only the label's other name is remarked."""
    path = real(f"scifact/{file}.jsonl")
    claims = scifact.parse(path.read_bytes())
    assert len(claims) == count
    for record, found in zip(plain(path), claims, strict=True):
        listed = [r for rationales in record["evidence"].values() for r in rationales]
        assert len(found.given) == len(listed) == len(found.sets)
        assert said(found) == ["label-alias"] * (len(listed) if found.label == "refuted" else 0)


def test_real_predictions_find_the_known_number_of_complete_sets():
    """Of 209 gold abstracts a real system labels 113 right and completes a set in 39."""
    claims = scifact.parse(real("scifact/claims_dev.jsonl").read_bytes())
    predictions = plain(real("scifact/pred_fever_sci_scifact_dev.jsonl"))
    names = {"SUPPORT": "supported", "CONTRADICT": "refuted", "REFUTE": "refuted"}
    gold = right = complete = 0
    for found, prediction in zip(claims, predictions, strict=True):
        for page in {page for members in found.sets for page, _ in members}:
            gold += 1
            given = prediction["evidence"].get(page, {"label": "NEI"})
            if names.get(given["label"]) == found.label:
                right += 1
                lines = [(page, line) for line in given["sentences"][:3]]
                complete += satisfied(found.sets, lines)
    assert (gold, right, complete) == (209, 113, 39)
