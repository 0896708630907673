"""Who may read what: queries, masked texts and words about readers say the same."""

from __future__ import annotations

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudication.accounts.models import User
from adjudication.corpus.actions import make_span
from adjudication.corpus.clearance import (
    BLOCKED,
    in_words,
    may_read,
    may_read_whole,
    openings_of,
    readable,
)
from adjudication.corpus.models import SourceVersion, Span, Tightening
from adjudication.corpus.queries import (
    may_read_all,
    premises,
    sources_of,
    spans_of,
    visible_to,
)
from adjudication.errors import Refused
from adjudication.projects.actions import add_reader_class, set_membership
from adjudication.projects.models import Membership, Project, ReaderClass, Role
from tests.clearance.worlds import Rights
from tests.conftest import Cast
from tests.factories import make_user, make_version

pytestmark = pytest.mark.django_db

TEXT = "abcdefgh"
CLASSES = ("legal", "public", "staff")


ranges = st.tuples(st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT))).filter(
    lambda pair: pair[0] < pair[1]
)
classes = st.frozensets(st.sampled_from(CLASSES))
rights = st.builds(
    Rights,
    classes.filter(bool),
    st.frozensets(
        st.tuples(st.sampled_from(CLASSES), st.one_of(st.none(), ranges, ranges)), max_size=5
    ),
)


@pytest.fixture
def three(project: Project) -> dict[str, ReaderClass]:
    for key in ("legal", "staff"):
        add_reader_class(project, key=key, title=key.title(), actor=None)
    return {one.key: one for one in project.reader_classes.all()}


def member_with(project: Project, user: User, held: frozenset[str]) -> Membership:
    return set_membership(
        project, user, roles=[Role.READER], reader_classes=sorted(held), actor=None
    )


def version_with(
    project: Project, three: dict[str, ReaderClass], granted: Rights, by: User
) -> SourceVersion:
    version = make_version(project, TEXT, reader_classes=sorted(granted.cleared))
    for key, place in sorted(granted.tightened, key=str):
        span = make_span(version, *place, actor=None) if place else None
        Tightening.objects.create(
            version=version, span=span, reader_class=three[key], reason="asked", by=by
        )
    return version


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(granted=rights, held=classes, asked=st.lists(ranges, min_size=1, max_size=6, unique=True))
def test_rule_is_one_rule_everywhere(
    project: Project,
    cast: Cast,
    three: dict[str, ReaderClass],
    granted: Rights,
    held: frozenset[str],
    asked: list[tuple[int, int]],
) -> None:
    """Lists of spans, masked text, premises, staffing: all as if asked character by character."""
    with transaction.atomic():
        member = member_with(project, cast.reader, held)
        version = version_with(project, three, granted, cast.lead)
        spans = [make_span(version, *place, actor=None) for place in asked]
        opened = granted.opens(held)

        assert list(visible_to(member)) == ([version] if opened else [])
        assert list(sources_of(member)) == ([version.source] if opened else [])

        as_asked = {one.pk: granted.reads(held, one.start, one.end) for one in spans}
        shown = set(spans_of(member).filter(pk__in=as_asked).values_list("pk", flat=True))
        assert shown == {pk for pk, allowed in as_asked.items() if allowed}

        text = "".join(
            letter if granted.readers(place) & held else BLOCKED
            for place, letter in enumerate(TEXT)
        )
        read = readable(member, version)
        assert read.text == text
        covered = {place for one in read.blocked for place in range(one.start, one.end)}
        assert covered == {place for place, letter in enumerate(text) if letter == BLOCKED}
        for gap in read.blocked:
            titles = {three[key].title for key in granted.readers(gap.start)}
            assert gap.who == (f"only {', '.join(sorted(titles))}" if titles else "nobody")

        whole = opened and BLOCKED not in text
        assert read.whole == (BLOCKED not in text)
        assert openings_of([version.pk])[version.pk].whole_to(member.reader_classes.all()) == whole
        held_rows = member.reader_classes.all()
        assert SourceVersion.objects.filter(may_read_whole(held_rows)).exists() == whole

        for pk, premise in premises(member, as_asked).items():
            assert (premise.span is not None) == as_asked[pk]
            assert premise.whole == whole

        for one in spans:
            able = may_read_all(project, [one.pk])
            assert able.filter(pk=member.pk).exists() == as_asked[one.pk]
        transaction.set_rollback(True)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(granted=rights, asked=ranges)
def test_one_class_reads_a_range_whole_or_not_at_all(
    project: Project,
    cast: Cast,
    three: dict[str, ReaderClass],
    granted: Rights,
    asked: tuple[int, int],
) -> None:
    """What is said of a span's readers is what each of the classes would get by itself."""
    with transaction.atomic():
        version = version_with(project, three, granted, cast.lead)
        span = make_span(version, *asked, actor=None)
        readers = openings_of([version.pk])[version.pk].readers(*asked)
        for key, one in three.items():
            alone = Span.objects.filter(may_read([one.pk]), pk=span.pk).exists()
            assert alone == (one in readers) == granted.reads(frozenset([key]), *asked)
        transaction.set_rollback(True)


def test_two_halves_make_a_range(
    project: Project, cast: Cast, three: dict[str, ReaderClass]
) -> None:
    """Who reads one half as staff and the other as counsel reads the words across both."""
    halves = Rights(
        frozenset(["staff", "legal"]), frozenset([("staff", (0, 4)), ("legal", (4, 8))])
    )
    version = version_with(project, three, halves, cast.lead)
    across = make_span(version, 2, 6, actor=None)
    both = member_with(project, cast.reader, frozenset(["staff", "legal"]))
    one = member_with(project, cast.auditor, frozenset(["staff"]))
    assert readable(both, version).whole
    assert across in spans_of(both)
    assert across not in spans_of(one)


def test_no_range_across_a_blocked_one(
    project: Project, cast: Cast, three: dict[str, ReaderClass]
) -> None:
    """The refusal says where, and who may read it; never what stands there."""
    tight = Rights(frozenset(["public", "legal"]), frozenset([("public", (2, 4))]))
    version = version_with(project, three, tight, cast.lead)
    member = member_with(project, cast.reader, frozenset(["public"]))
    read = readable(member, version)
    for start, end in ((0, 2), (4, 8)):
        read.check(start, end)
    for start, end in ((0, 3), (2, 4), (3, 8), (0, 8)):
        with pytest.raises(Refused, match="characters 2–4 are blocked for you: only Legal"):
            read.check(start, end)


def test_what_stands_around_a_span_is_not_loaded(
    project: Project, cast: Cast, three: dict[str, ReaderClass]
) -> None:
    """The stored prefix and suffix hold words that may be blocked."""
    tight = Rights(frozenset(["public"]), frozenset([("public", (2, 4))]))
    version = version_with(project, three, tight, cast.lead)
    make_span(version, 4, 6, actor=None)
    found = spans_of(member_with(project, cast.reader, frozenset(["public"]))).get()
    assert {"prefix", "suffix"} <= found.get_deferred_fields()


def test_somebody_without_a_class_reads_nothing(
    project: Project, cast: Cast, three: dict[str, ReaderClass]
) -> None:
    """No class is no clearance, in counts of who may judge too."""
    version = make_version(project, TEXT)
    span = make_span(version, 0, 3, actor=None)
    nobody = member_with(project, make_user("nora"), frozenset())
    assert not visible_to(nobody).exists()
    assert not spans_of(nobody).exists()
    able = may_read_all(project, [span.pk])
    assert nobody not in able
    assert in_words(openings_of([version.pk])[version.pk].classes) == "Public"
