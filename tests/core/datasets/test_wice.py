"""WiCE: routes of sentence numbers, of which only those of supported claims suffice."""

from __future__ import annotations

from collections import Counter

import pytest

from certify_core.datasets import wice
from certify_core.errors import InvalidRecord
from tests.core.datasets.claims import WICE, claim, said
from tests.core.datasets.samples import as_lines, plain, real


def test_routes_of_a_supported_claim_are_its_sets():
    """Alternatives, each over the one cited page."""
    found = claim("wice", WICE)
    assert found.sets == ((("dev1", 1),), (("dev1", 0), ("dev1", 2)))
    assert (found.key, found.label, found.problems) == ("dev1", "supported", ())


def test_unsupported_claim_with_an_empty_route_has_no_set():
    """[[]] would satisfy any subset test; it is named and unused."""
    found = claim("wice", {**WICE, "label": "not_supported", "supporting_sentences": [[]]})
    assert (found.label, found.sets, said(found)) == ("not-enough-info", (), ["empty-set"])


def test_routes_of_a_partly_supported_claim_are_never_sufficient():
    """They are kept as given, and no set is made of them."""
    found = claim("wice", {**WICE, "label": "partially_supported"})
    assert (found.label, found.sets) == ("partially-supported", ())
    assert said(found) == ["insufficient-sets"]
    assert len(found.given) == 2


@pytest.mark.parametrize(
    ("change", "codes", "sets"),
    [
        ({"supporting_sentences": [[1, 2], [1]]}, ["superset"], 1),
        ({"supporting_sentences": [[1], [1]]}, ["repeated-set"], 1),
        ({"supporting_sentences": [[3], [-1], [0]]}, ["sentence-out-of-range"] * 2, 1),
        ({"supporting_sentences": [[1, 1]]}, ["repeated-member"], 1),
        ({"label": "SUPPORTED"}, ["label-alias"], 2),
        ({"label": "NOT_SUPPORTED"}, ["label-alias", "insufficient-sets"], 0),
    ],
)
def test_faults_of_an_annotation_are_named(change, codes, sets):
    """Nothing is repaired in silence."""
    found = claim("wice", {**WICE, **change})
    assert (said(found), len(found.sets)) == (codes, sets)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"label": "mostly"}, "label: 'mostly' is none of the labels"),
        ({"supporting_sentences": [1]}, r"supporting_sentences\[0\]: expected a list"),
        ({"supporting_sentences": [["1"]]}, r"supporting_sentences\[0\]\[0\]: expected a whole"),
        ({"meta": {}}, "meta: the field 'id' is missing"),
    ],
)
def test_other_shapes_are_refused_at_their_place(change, fault):
    """The line and the path of the fault."""
    with pytest.raises(InvalidRecord, match=f"record 1: {fault}"):
        wice.parse(as_lines({**WICE, **change}))


def test_real_claims_are_read_whole():
    """349 claims: 115 supported with sets, none for the rest, supersets reduced."""
    file = real("wice/claim_dev.jsonl")
    claims = wice.parse(file.read_bytes())
    labels = Counter(found.label for found in claims)
    assert labels == {"supported": 115, "partially-supported": 191, "not-enough-info": 43}
    assert all(bool(found.sets) == (found.label == "supported") for found in claims)
    for record, found in zip(plain(file), claims, strict=True):
        routes = {frozenset(route) for route in record["supporting_sentences"] if route}
        contains = any(small < large for small in routes for large in routes)
        assert ("superset" in said(found)) == contains


def test_other_files_of_the_release_are_refused():
    """Oracle chunks have no routes; read as claims they would lose their meaning."""
    data = real("wice/oracle_chunks_claim_dev.jsonl").read_bytes()
    with pytest.raises(InvalidRecord, match="line 1: the field 'supporting_sentences' is missing"):
        wice.parse(data)
