"""A time of capture is never shown or counted as more exact than it is known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from adjudication.corpus.times import Observed, Precision, read_observed
from adjudication.errors import Refused

NOW = datetime(2024, 3, 14, 9, 30, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "at", "precision", "stated"),
    [
        ("2024-03-14 09:30", "2024-03-14 09:30:00", "moment", "2024-03-14 09:30 UTC"),
        ("2024-03-14T09:30:15Z", "2024-03-14 09:30:15", "moment", "2024-03-14 09:30 UTC"),
        ("2024-02-29", "2024-02-29 23:59:59", "day", "2024-02-29"),
        ("2024-02", "2024-02-29 23:59:59", "month", "2024-02"),
        ("2023-12", "2023-12-31 23:59:59", "month", "2023-12"),
        ("2023", "2023-12-31 23:59:59", "year", "2023"),
        ("0987", "0987-12-31 23:59:59", "year", "0987"),
        # Nothing is captured after it is stored.
        ("2024", "2024-03-14 09:30:15", "year", "2024"),
        (
            "cannot-be-established",
            "2024-03-14 09:30:15",
            "cannot-be-established",
            "cannot be established",
        ),
    ],
)
def test_written_time_counts_as_its_latest_moment(
    written: str, at: str, precision: str, stated: str
) -> None:
    """So that "before the cutoff" leaves a version out rather than in."""
    found = read_observed(written, NOW)
    assert f"{found.at:%Y-%m-%d %H:%M:%S}".rjust(19, "0") == at
    assert (found.precision, found.stated) == (precision, stated)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2024-03-15", "in the future"),
        ("2024-03-14 09:31", "in the future"),
        ("2023-02-29", "not in the calendar"),
        ("2023-13", "not in the calendar"),
        ("2023-01-01 25:00", "not in the calendar"),
        ("0000", "not in the calendar"),
        ("March 2024", "Write 2024"),
        ("24", "Write 2024"),
        ("２０２４", "Write 2024"),
    ],
)
def test_time_that_cannot_be_is_refused(written: str, said: str) -> None:
    """What was not observed yet, is in no calendar, or is no date."""
    with pytest.raises(Refused, match=said):
        read_observed(written, NOW)


def test_coarse_time_is_not_shown_as_a_moment() -> None:
    """The last second of a year is how it counts, not what anybody observed."""
    year = Observed(datetime(2024, 12, 31, 23, 59, 59, tzinfo=UTC), Precision.YEAR)
    assert year.stated == "2024"
    assert year.counted_as == "2024-12-31 23:59:59 UTC"
