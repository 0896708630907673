"""What is looked up about a premise, and how times of different precision are compared."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudication.claims.actions import note_premise
from adjudication.claims.models import Claim, PremiseNote, Question
from adjudication.corpus.actions import Capture, capture_version, invalidate
from adjudication.corpus.models import Span
from adjudication.corpus.times import UNESTABLISHED, Observed, Precision
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, ReaderClass
from adjudication.specifications.actions import change_draft, freeze, start_draft
from adjudication.specifications.admissibility import (
    Answer,
    OnRecord,
    check,
    covers,
    effective_in_words,
    first_day,
    last_day,
    observed_by,
)
from adjudication.specifications.checks import checks_of
from adjudication.specifications.models import Demand, Specification
from tests.conftest import Cast
from tests.factories import OBSERVED, make_claim, make_version, span_of
from tests.review.scenes import member

CUTOFF = datetime(2014, 6, 15, 12, 0, tzinfo=UTC)
SOUND = OnRecord(
    eligible=True,
    observed=Observed(datetime(2013, 1, 1, tzinfo=UTC)),
    cutoff=CUTOFF,
    effective_from="2013",
    effective_to="2014",
    applies_at="2013-05-12",
    readers=("Public",),
    barred=(),
    withdrawn="",
    published="2013-01-01",
    licence="CC BY 4.0",
    authority="registry",
    disputed=False,
)

# --- Times --------------------------------------------------------------------------------------

DAYS = [date(2012, 1, 1) + timedelta(days=n) for n in range(3 * 365 + 1)]
EDGES = [day for day in DAYS if day.day in {1, 31} and day.month in {1, 7, 12}]
partial = st.sampled_from(
    [UNESTABLISHED, *(day.isoformat()[:length] for day in DAYS for length in (4, 7, 10))]
)


def days_of(time: str) -> list[date]:
    """The slow way: every day whose ISO form begins with the partial time."""
    return [day for day in DAYS if day.isoformat().startswith(time)]


def slowly(begin: str, end: str, time: str) -> Answer:
    """Look at every day, for every day on which an unknown bound could lie."""
    if time == UNESTABLISHED:
        return Answer.UNKNOWN
    wanted = days_of(time)
    begins = EDGES if begin == UNESTABLISHED else [min(days_of(begin))]
    ends = EDGES if end == UNESTABLISHED else [max(days_of(end))]
    found = set()
    for first in begins:
        for last in ends:
            within = [first <= day <= last for day in wanted]
            found.add(Answer.YES if all(within) else Answer.UNKNOWN if any(within) else Answer.NO)
    return found.pop() if len(found) == 1 else Answer.UNKNOWN


@settings(max_examples=200, deadline=None)
@given(partial, partial, partial)
def test_covers_agrees_with_looking_at_every_day(begin: str, end: str, time: str) -> None:
    """Bounds that touch the edge of the three years could only be there: they are left out."""
    at_the_edge = {"2012", "2012-01", "2012-01-01", "2014", "2014-12", "2014-12-31"}
    if UNESTABLISHED in (begin, end) and {begin, end, time} & at_the_edge:
        return
    assert covers(begin, end, time) is slowly(begin, end, time)


@pytest.mark.parametrize(
    ("begin", "end", "time", "answer"),
    [
        ("2013", "2013", "2013-05-12", Answer.YES),
        ("2013-05", "2013-05", "2013-05-31", Answer.YES),
        ("2013-05-12", "2014", "2013", Answer.UNKNOWN),
        ("2013-01-01", "2013-12-31", "2013", Answer.YES),
        ("2013-06", "2014", "2013-05", Answer.NO),
        ("2012", "2013-04", "2013-05", Answer.NO),
        ("2013", UNESTABLISHED, "2014", Answer.UNKNOWN),
        ("2013", UNESTABLISHED, "2012", Answer.NO),
        (UNESTABLISHED, "2013", "2014-01-01", Answer.NO),
        (UNESTABLISHED, UNESTABLISHED, "2014", Answer.UNKNOWN),
        ("2013", "2014", UNESTABLISHED, Answer.UNKNOWN),
        ("2012-02", "2012-02", "2012-02-29", Answer.YES),
        ("-0050", "-0044-03", "-0044-03-15", Answer.YES),
        ("-0043", "0014", "-0044-03-15", Answer.NO),
    ],
)
def test_times_of_different_precision(begin: str, end: str, time: str, answer: Answer) -> None:
    """Leap days, years before Christ, coarse bounds, and what nobody can establish."""
    assert covers(begin, end, time) is answer


@pytest.mark.parametrize(
    ("partial", "first", "last"),
    [
        ("2100-02", (2100, 2, 1), (2100, 2, 28)),
        ("2000-02", (2000, 2, 1), (2000, 2, 29)),
        ("-0004", (-4, 1, 1), (-4, 12, 31)),
        ("2013-05-12", (2013, 5, 12), (2013, 5, 12)),
    ],
)
def test_first_and_last_day(partial: str, first: object, last: object) -> None:
    """A year or month stands for all its days."""
    assert (first_day(partial), last_day(partial)) == (first, last)


@pytest.mark.parametrize(
    ("at", "precision", "answer"),
    [
        ("2014-06-15T12:00:00", Precision.MOMENT, Answer.YES),
        ("2014-06-15T12:00:01", Precision.MOMENT, Answer.NO),
        ("2014-06-15T23:59:59", Precision.DAY, Answer.UNKNOWN),
        ("2014-06-16T23:59:59", Precision.DAY, Answer.NO),
        ("2014-06-30T23:59:59", Precision.MONTH, Answer.UNKNOWN),
        ("2014-07-31T23:59:59", Precision.MONTH, Answer.NO),
        ("2014-12-31T23:59:59", Precision.YEAR, Answer.UNKNOWN),
        ("2015-12-31T23:59:59", Precision.YEAR, Answer.NO),
        ("2015-12-31T23:59:59", Precision.UNESTABLISHED, Answer.UNKNOWN),
        ("2013-12-31T23:59:59", Precision.UNESTABLISHED, Answer.YES),
    ],
)
def test_capture_counts_as_exactly_as_it_is_known(
    at: str, precision: Precision, answer: Answer
) -> None:
    """The moment stored is the latest; an earlier one within the precision stays possible."""
    observed = Observed(datetime.fromisoformat(at).replace(tzinfo=UTC), precision)
    assert observed_by(observed, CUTOFF) is answer


@pytest.mark.parametrize(
    ("begin", "end", "words"),
    [
        (UNESTABLISHED, UNESTABLISHED, "cannot be established"),
        ("2026-01-01", UNESTABLISHED, "from 2026-01-01, its end cannot be established"),
        (UNESTABLISHED, "2026-03", "until 2026-03, its start cannot be established"),
        ("2026-01-01", "2026-03", "from 2026-01-01 to 2026-03"),
    ],
)
def test_times_in_effect_read_as_words(begin: str, end: str, words: str) -> None:
    """An end nobody knows is said to be unknown, not left to be guessed."""
    assert effective_in_words(begin, end) == words


# --- Checks -------------------------------------------------------------------------------------


def wanting(premise: OnRecord, demands: tuple[str, ...] = ()) -> list[tuple[str, Answer]]:
    return [(one.about, one.answer) for one in check(premise, demands).wanting]


def test_sound_premise_satisfies_everything() -> None:
    """Every check that there is, every demand among them."""
    checks = check(SOUND, Demand.values)
    assert len(checks.satisfied) == len(checks.all) == 5 + len(Demand.values)


@pytest.mark.parametrize(
    ("change", "demand", "about", "answer"),
    [
        ({"eligible": False}, None, "version", Answer.NO),
        ({"observed": Observed(CUTOFF + timedelta(days=1))}, None, "observed", Answer.NO),
        ({"applies_at": "2015"}, None, "time of the claim", Answer.NO),
        ({"applies_at": UNESTABLISHED}, None, "time of the claim", Answer.UNKNOWN),
        ({"barred": ("Staff",)}, None, "clearance", Answer.APART),
        ({"withdrawn": "2014-01-01"}, None, "use", Answer.NO),
        ({"licence": ""}, Demand.LICENCE, "source policy", Answer.NO),
        ({"authority": ""}, Demand.AUTHORITY, "source policy", Answer.NO),
        ({"published": UNESTABLISHED}, Demand.PUBLISHED, "source policy", Answer.NO),
        ({"disputed": True}, Demand.UNDISPUTED, "source policy", Answer.NO),
        (
            {"observed": Observed(CUTOFF, Precision.UNESTABLISHED)},
            Demand.OBSERVED,
            "source policy",
            Answer.NO,
        ),
    ],
)
def test_each_check_finds_its_own_fault(
    change: dict[str, Any], demand: Demand | None, about: str, answer: Answer
) -> None:
    """One thing wrong, one check wanting; what the policy does not demand is not checked."""
    premise = replace(SOUND, **change)
    assert wanting(premise, (demand,) if demand else ()) == [(about, answer)]
    if demand:
        assert wanting(premise) == []


def test_effective_time_is_demanded_apart_from_the_claims_time() -> None:
    """Where it begins must be known, whatever the claim says."""
    premise = replace(SOUND, effective_from=UNESTABLISHED)
    assert wanting(premise, (Demand.EFFECTIVE,)) == [
        ("time of the claim", Answer.UNKNOWN),
        ("source policy", Answer.NO),
    ]


# --- From the records ---------------------------------------------------------------------------


@pytest.fixture
def specification(project: Project, cast: Cast) -> Specification:
    """One eligible version; classes public and legal; everything demanded."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    make_version(project, "Cedar\nProject Cedar is mapped to record R17.", key="cedar")
    draft = start_draft(project, by=cast.lead)
    everything = {"source_policy": list(Demand.values)}
    return freeze(change_draft(draft, everything, by=cast.lead), by=cast.lead)


def found(
    specification: Specification, *spans: Span, claim: Claim | None = None
) -> list[dict[str, str]]:
    claim = claim or make_claim(specification.project)
    checks = checks_of(specification, claim, spans, PremiseNote.objects.all())
    return [
        {one.about: one.answer.value for one in reversed(checks[span.pk].all)} for span in spans
    ]


def test_records_are_looked_up_per_span(
    project: Project, cast: Cast, specification: Specification
) -> None:
    """Eligibility, cutoff, clearance and invalidation of each member's own version."""
    inside = span_of(specification.eligible.get().version, "record R17")
    late = capture_version(
        project,
        Capture(
            origin="test",
            key="late",
            title="Late",
            snapshot=b"Late words.",
            observed_at=specification.observation_cutoff + timedelta(seconds=1),
        ),
        reader_classes=list(ReaderClass.objects.filter(project=project)),
        actor=None,
    )
    invalidate(late, reason="wrong scan", by=member(project, cast.lead))
    one, other = found(specification, inside, span_of(late, "words"))
    assert (one["version"], one["observed"], one["use"]) == ("satisfied",) * 3
    assert one["clearance"] == "counted apart", "Legal may not read it"
    assert (other["version"], other["observed"], other["use"]) == ("not satisfied",) * 3
    assert other["clearance"] == "satisfied"


def test_later_note_closes_a_dispute(
    project: Project, cast: Cast, specification: Specification
) -> None:
    """The last note on a version says whether a dispute is open."""
    version = specification.eligible.get().version
    span = span_of(version, "record R17")
    said: dict[str, Any] = {"authority": "registry", "basis": "its own record", "by": cast.lead}

    def disputes() -> list[str]:
        checks = checks_of(specification, make_claim(project), [span], PremiseNote.objects.all())
        return [one.words for one in checks[span.pk].wanting if "dispute" in one.words]

    assert disputes() == []
    note_premise(version, open_dispute=True, **said)
    assert disputes() == ["not so: no open dispute is noted on it"]
    PremiseNote.objects.create(version=version, at=OBSERVED + timedelta(days=9999), **said)
    assert disputes() == []


def test_claims_time_is_compared(project: Project, specification: Specification) -> None:
    """With the effective time of the version, which nobody established here."""
    span = span_of(specification.eligible.get().version, "record R17")
    question = Question.objects.create(
        project=project, origin="test", key="q", text="When?", sha256="0" * 64
    )
    claim = Claim.objects.create(
        question=question, text="t", value="v", origin="person", applicable_time="2013"
    )
    assert found(specification, span, claim=claim)[0]["time of the claim"] == (
        "cannot be established"
    )


def test_queries_do_not_depend_on_how_many_premises(
    project: Project, specification: Specification
) -> None:
    """Three premises cost what one costs."""
    for n in range(3):
        span_of(make_version(project, f"T\nWords {n}."), f"Words {n}")
    spans = list(Span.objects.select_related("version"))
    claim, notes = make_claim(project), PremiseNote.objects.all()
    counts = []
    for some in (spans[:1], spans):
        with CaptureQueriesContext(connection) as queries:
            checks_of(specification, claim, some, notes)
        counts.append(len(queries))
    assert counts[0] == counts[1]
