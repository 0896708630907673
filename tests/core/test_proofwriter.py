"""ProofWriter: closure reproduces every label, and every proof is checked apart."""

from __future__ import annotations

from functools import cache

from certify_core.closure import Compiled
from certify_core.datasets import CLOSURES
from certify_core.datasets.records import ClosureRecord
from certify_core.evidence import certificate, sufficient
from certify_core.model import Certificate, Instance
from tests.core.checker import check
from tests.core.datasets.samples import real


@cache
def records() -> tuple[ClosureRecord, ...]:
    return CLOSURES["proofwriter"](real("proofwriter/logicllm_dev.json").read_bytes())


@cache
def certified() -> tuple[tuple[Instance, Certificate], ...]:
    """What is provable, with its certificate: the statement or its opposite."""
    provable = [r.instance if r.label == "true" else r.denial for r in records()
                if r.label != "unknown"]  # fmt: skip
    found = [(instance, certificate(Compiled.of(instance))) for instance in provable if instance]
    assert all(result is not None for _, result in found)
    return tuple((instance, result) for instance, result in found if result)


def decided(record: ClosureRecord) -> str:
    """The label by closure alone; a theory that proves both sides has none of the three."""
    assert record.denial is not None
    holds, fails = (sufficient(Compiled.of(i)) for i in (record.instance, record.denial))
    return {(True, False): "true", (False, True): "false", (False, False): "unknown"}.get(
        (holds, fails), "inconsistent"
    )


def test_closure_reproduces_every_label() -> None:
    """600 of 600, with 200 of each label."""
    found = [decided(record) for record in records()]
    assert found == [record.label for record in records()]
    assert [found.count(label) for label in ("true", "false", "unknown")] == [200, 200, 200]


def test_every_provable_question_has_a_checked_certificate() -> None:
    """The derivation is accepted by a checker that knows nothing of the engine."""
    assert len(certified()) == 400
    for instance, found in certified():
        check(instance, found.units, found.derivation)


def test_certificates_are_minimal_and_their_alternatives_sufficient() -> None:
    """No unit can be left out of any set; the core is what all of them share."""
    for instance, found in certified():
        compiled = Compiled.of(instance)
        assert found.complete
        assert found.closures <= len(instance.facts) + 1
        sets = [found.units, *found.alternatives]
        for units in sets:
            assert sufficient(compiled, units)
            assert not any(sufficient(compiled, set(units) - {unit}) for unit in units)
        assert set(found.core) == set.intersection(*map(set, sets))


def test_number_of_questions_with_several_minimal_sets() -> None:
    """Reported, since one proof is not the proof: alternatives are common."""
    several = [found for _, found in certified() if found.alternatives]
    most = max(len(found.alternatives) + 1 for _, found in certified())
    print(f"\n{len(several)} of {len(certified())} have several minimal sets, at most {most}")
    assert 0 < len(several) < len(certified())


def test_twin_without_a_core_sentence_is_not_proven() -> None:
    """Deleting any sentence that every proof needs leaves the question undecided."""
    for instance, found in certified():
        compiled = Compiled.of(instance)
        for unit in found.core:
            assert not sufficient(compiled, set(instance.facts) - {unit})
