"""The intervals beside measured shares."""

from __future__ import annotations

from bench.certify import is_right, is_roughly_right
from bench.shares import interval, ratio, share


def test_a_share_is_counted_over_all_and_its_interval_over_questions() -> None:
    """Protects the clustering: three twins of one question are one draw, not three."""
    clustered = share([(3, 3), (0, 3), (3, 3), (0, 3)] * 5)
    single = share([(1, 1), (0, 1), (1, 1), (0, 1)] * 5)
    assert (clustered["numerator"], clustered["denominator"], clustered["percent"]) == (
        30,
        60,
        50.0,
    )
    assert (clustered["low"], clustered["high"]) == (single["low"], single["high"])
    assert float(str(clustered["low"])) < 50 < float(str(clustered["high"]))


def test_an_empty_share_is_undefined() -> None:
    assert share([(0, 0), (0, 0)]) == {
        "numerator": 0,
        "denominator": 0,
        "percent": None,
        "low": None,
        "high": None,
    }


def test_equal_figures_differ_by_nothing_in_every_draw() -> None:
    """Protects pairing: both sides of a difference meet the same draws."""
    counts = [(n % 3 == 0, 1) for n in range(40)]
    same = interval(lambda chosen: ratio(counts, chosen) - ratio(list(counts), chosen), 40)
    assert same == {"percent": 0.0, "low": 0.0, "high": 0.0}


def test_right_is_strict_and_roughly_right_is_not() -> None:
    """Protects the stated figures from counting "Reno, Nevada" for "Reno"."""
    assert is_right("GERMAN", ["Germany"])
    assert is_right("the Kiln", ["The kiln!"])
    assert not is_right("Reno, Nevada", ["Reno"])
    assert is_roughly_right("Reno, Nevada", ["Reno"])
    assert not is_roughly_right("Renova", ["Reno"])
    assert not is_roughly_right("", ["Reno"])
    assert not is_right("", [""])
