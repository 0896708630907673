"""The picture of the times: what is drawn, in order, inside, and as wide as it is known."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from adjudication.claim_page.timeline import LEFT, RIGHT, Dated, draw
from adjudication.corpus.times import UNESTABLISHED, Observed, Precision

NEVER = Observed(datetime(2026, 1, 1, tzinfo=UTC), Precision.UNESTABLISHED)
years = st.integers(-500, 2100).filter(bool)
months, days = st.integers(1, 12), st.integers(1, 28)


def written(year: int, *rest: int) -> str:
    sign = "-" if year < 0 else ""
    return "-".join([f"{sign}{abs(year):04d}", *(f"{part:02d}" for part in rest)])


partial = st.one_of(
    st.builds(written, years),
    st.builds(written, years, months),
    st.builds(written, years, months, days),
)


def published(*times: str) -> list[Dated]:
    return [Dated("T", NEVER, time, UNESTABLISHED, UNESTABLISHED) for time in times]


@given(st.lists(partial, min_size=2, max_size=6))
def test_marks_keep_order_and_stay_inside(times: list[str]) -> None:
    """An earlier time never stands to the right of a later one."""
    picture = draw(published(*times), applies_at=UNESTABLISHED, cutoff=None)
    assert picture
    marks = [lane.marks[0] for lane in picture.lanes]
    assert all(one.x >= LEFT and one.x + one.width <= RIGHT + 0.1 for one in marks)
    by_time = sorted(zip(times, marks, strict=True), key=lambda pair: key(pair[0]))
    places = [mark.x for _, mark in by_time]
    assert all(there <= here + 5 for here, there in zip(places[1:], places[:-1], strict=True)), (
        "but for the least width of a mark at the edge"
    )
    assert all(LEFT <= x <= RIGHT for x, _ in picture.ticks)


def key(partial: str) -> tuple[int, ...]:
    year, *rest = partial.removeprefix("-").split("-")
    sign = -1 if partial.startswith("-") else 1
    return (sign * int(year), *map(int, [*rest, "1", "1"][:2]))


def test_coarse_time_is_drawn_as_wide_as_it_is() -> None:
    """A year is wider than a month, a month than a day."""
    picture = draw(published("2013", "2014-05", "2015-05-12"), applies_at="2014", cutoff=None)
    assert picture
    year, month, day = (lane.marks[0].width for lane in picture.lanes)
    assert year > month > day
    assert picture.band
    assert abs(picture.band.width - year) < 1


def test_end_that_nobody_knows_runs_to_the_edge() -> None:
    """And has another kind, which is drawn dashed."""
    open_end = Dated("T", NEVER, UNESTABLISHED, "2013", UNESTABLISHED)
    picture = draw([open_end, *published("2015")], applies_at=UNESTABLISHED, cutoff=None)
    assert picture
    bar = picture.lanes[0].marks[0]
    assert bar.kind == "effective ends-unknown"
    assert bar.x + bar.width == RIGHT


def test_nothing_established_is_no_picture() -> None:
    """An empty frame would say less than the words."""
    assert draw(published(UNESTABLISHED), applies_at="2013", cutoff=None) is None


def test_capture_is_drawn_as_exactly_as_it_is_known() -> None:
    """A capture known to the year is not drawn as the last day of it."""
    observed = Observed(datetime(2024, 12, 31, 23, 59, 59, tzinfo=UTC), Precision.YEAR)
    picture = draw(
        [Dated("T", observed, UNESTABLISHED, UNESTABLISHED, UNESTABLISHED)],
        applies_at=UNESTABLISHED,
        cutoff=datetime(2024, 6, 1, tzinfo=UTC),
    )
    assert picture
    (mark,) = picture.lanes[0].marks
    assert picture.cutoff is not None
    assert mark.words == "observed 2024"
    assert mark.x < picture.cutoff < mark.x + mark.width
