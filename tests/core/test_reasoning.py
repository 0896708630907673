"""Reasoning steps: decided where the operands force it, refused everywhere else."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify_core.dates import day_number, read_date
from certify_core.errors import Undecidable
from certify_core.model import Operation, ValueKind
from certify_core.quantities import Number, read_number
from certify_core.reasoning import Operand, apply, exclusive, shown
from certify_core.values import canonical, closed_list, read_countries, same_names
from tests.core import naive


def step(operation: Operation, *values: str, kind: ValueKind = "any") -> str:
    """The result's canonical value."""
    return apply(operation, [Operand(value, value, kind) for value in values]).value


def select(operation: Operation, *values: str, kind: ValueKind = "date") -> str:
    """The label (A, B, …) that is selected."""
    pairs = [
        operand
        for label, value in zip("ABC", values, strict=False)
        for operand in (Operand(label, label), Operand(value, value, kind))
    ]
    return apply(operation, pairs).value


def refused(operation: Operation, *values: str, kind: ValueKind = "any") -> str:
    with pytest.raises(Undecidable) as failure:
        step(operation, *values, kind=kind)
    assert failure.value.operation == operation
    return failure.value.problem


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("14 March 1879", "1879-03-14"),
        ("March 14th, 1879", "1879-03-14"),
        ("14 mar. 1879", "1879-03-14"),
        ("1879-03-14", "1879-03-14"),
        ("March 1879", "1879-03"),
        ("1879", "1879"),
        ("AD 79", "0079"),
        ("44 BC", "-0044"),
        ("15 March 44 B.C.", "-0044-03-15"),
        ("c. 1322", "c. 1322"),
        ("circa 44 BCE", "c. -0044"),
        ("1322/1327", "1322/1327"),
        ("1940\u201341", "1940/1941"),
        ("the 1920s", "1920/1929"),
        ("12th century", "1101/1200"),
        ("5th century BC", "-0500/-0401"),
        ("29 February 1500", "1500-02-29"),
        ("29 February 2000", "2000-02-29"),
    ],
)
def test_date_is_read_in_the_precision_given(text, form):
    """Every form has one canonical form, which reads back as the same date."""
    date = read_date(text)
    assert date is not None
    assert date.canonical == form == canonical(text, "date")
    assert read_date(form) == date


@pytest.mark.parametrize(
    "text",
    ["", "American", "born 1879", "31 April 1900", "29 February 1900", "0", "1900-13", "12345",
     "May", "before 1900", "1327/1322", "-44 BC", "32 May 1900"],
)  # fmt: skip
def test_text_that_is_no_date_is_not_read(text):
    """A wrong-typed or impossible value is no date, not nearly one."""
    assert read_date(text) is None


@given(st.dates())
def test_day_numbers_follow_the_calendar(date):
    """From the day after the reform on, days count as the calendar of today counts them."""
    if (date.year, date.month, date.day) >= (1582, 10, 15):
        assert day_number((date.year, date.month, date.day)) == date.toordinal() + 1_721_425


def test_day_numbers_bridge_the_reform_and_the_missing_year():
    """4 October 1582 was followed by the 15th; 1 BC was followed by AD 1."""
    assert day_number((1582, 10, 15)) - day_number((1582, 10, 4)) == 1
    assert day_number((1, 1, 1)) - day_number((-1, 12, 31)) == 1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("1,234", "1234"),
        ("-3.50", "-3.5"),
        ("seven", "7"),
        ("3.5 million", "3500000"),
        ("12 km", "12000 m"),
        ("12,000 metres", "12000 m"),
        ("5 ft", "1.524 m"),
        ("$5 million", "5000000 USD"),
        ("50%", "50 %"),
        ("about 500", "450..550"),
        ("3\u20135 days", "3..5 days"),
        ("2 hours", "7200 s"),
    ],
)
def test_number_is_read_in_its_base_unit(text, form):
    """Equal quantities have equal forms, and a form reads back as the same number."""
    number = read_number(text)
    assert number is not None
    assert number.canonical == form == canonical(text, "number")
    assert read_number(form) == number


@pytest.mark.parametrize("text", ["", "many", "5 parsecs", "12,34", "1.2.3", "5..3", "$5 km"])
def test_text_that_is_no_number_is_not_read(text):
    """Unknown units and broken figures are not numbers."""
    assert read_number(text) is None


@given(
    st.fractions(-(10**30), 10**30, max_denominator=10**6).filter(
        lambda f: 10**40 % f.denominator == 0
    )
)
def test_number_forms_are_exact(value):
    """No digit is lost between a number and its form."""
    number = Number(value, value)
    assert Fraction(number.canonical) == value
    assert read_number(number.canonical) == number


@pytest.mark.parametrize(
    ("operation", "one", "other", "chosen"),
    [
        ("select-earlier", "1879", "1880-01-01", "A"),
        ("select-later", "1879", "1880-01-01", "B"),
        ("select-earlier", "1879-03", "1879-04-01", "A"),
        ("select-earlier", "44 BC", "AD 12", "A"),
        ("select-earlier", "44 BC", "100 BC", "B"),
        ("select-later", "-0044-03-15", "-0044-03-16", "B"),
        ("select-earlier", "c. 1322", "1500", "A"),
        ("select-later", "1322/1327", "1328", "B"),
        ("select-earlier", "12th century", "1201", "A"),
    ],
)
def test_comparison_picks_the_label_of_the_forced_side(operation, one, other, chosen):
    """Earlier and later keep their direction over all precisions."""
    assert select(operation, one, other) == chosen


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1879", "1879"),
        ("1879-03-14", "1879-03-14"),
        ("1879", "1879-03-14"),
        ("1879-03", "1879-03-14"),
        ("c. 1322", "1340"),
        ("1322/1327", "1325"),
        ("1879", "American"),
        ("unknown", "1879"),
    ],
)
@pytest.mark.parametrize("operation", ["select-earlier", "select-later"])
def test_comparison_of_ties_and_vague_dates_is_undecidable(operation, one, other):
    """A missing month, a circa or a wrong type is never decided by guess."""
    with pytest.raises(Undecidable):
        select(operation, one, other)


DATES = st.sampled_from(["1879", "1879-03", "1879-03-14", "1880", "c. 1900", "-0044", "1860/1870"])


@naive.PROPERTY
@given(DATES, DATES)
def test_earlier_and_later_mirror_each_other(one, other):
    """Both are undecidable together; if not, they choose different sides."""
    try:
        earlier = select("select-earlier", one, other)
    except Undecidable:
        with pytest.raises(Undecidable):
            select("select-later", one, other)
        return
    assert {earlier, select("select-later", one, other)} == {"A", "B"}
    assert select("select-earlier", other, one) != earlier


def test_comparison_of_three_needs_one_before_all():
    """The winner must be clear of every other; the others may tie."""
    for values in permutations(["1900", "1910", "1910"]):
        assert "ABC"[values.index("1900")] == select("select-earlier", *values)
        with pytest.raises(Undecidable, match="tied or too vague"):
            select("select-later", *values)


def test_comparison_needs_labelled_pairs():
    """A single pair or a label without value compares nothing."""
    refused("select-earlier", "A", "1900")
    refused("select-earlier", "A", "1900", "B")


@pytest.mark.parametrize(
    ("operation", "one", "other", "chosen"),
    [
        ("select-greater", "5 km", "3 miles", "A"),
        ("select-less", "5 km", "3 miles", "B"),
        ("select-greater", "1.5 million", "900,000", "A"),
        ("select-greater", "about 500", "600", "B"),
    ],
)
def test_numbers_compare_across_units(operation, one, other, chosen):
    """Units of one dimension are converted exactly."""
    assert select(operation, one, other, kind="number") == chosen


@pytest.mark.parametrize(
    ("one", "other"), [("5 km", "5 kg"), ("5", "3 km"), ("about 500", "520"), ("5", "5")]
)
def test_numbers_that_cannot_be_ordered_are_undecidable(one, other):
    """Other dimensions, a missing unit, a vague or equal number."""
    with pytest.raises(Undecidable):
        select("select-greater", one, other, kind="number")


def test_greater_compares_dates_where_dates_are_expected():
    """ "Most recent" may be asked as greater."""
    assert select("select-greater", "1900", "1910") == "B"


@pytest.mark.parametrize(
    ("one", "other", "kind", "verdict"),
    [
        ("German", "Germany", "nationality", "yes"),
        ("American", "the United States", "nationality", "yes"),
        ("France", "German", "nationality", "no"),
        ("Ukraine", "Russia", "nationality", "no"),
        ("1879", "1879", "date", "yes"),
        ("1879", "1880-01-01", "date", "no"),
        ("12 km", "12,000 m", "number", "yes"),
        ("Zoë Vale", "zoe vale", "person", "yes"),
        ("Ann Lee", "Bob Lee", "person", "no"),
        ("Lothair I", "Lothair II", "person", "no"),
        ("Ghent", "Bruges", "place", "no"),
        ("!!!", "!!!", "name", "yes"),
        ("東京", "大阪", "name", "no"),
    ],
)
def test_same_is_decided_by_type(one, other, kind, verdict):
    """Demonyms, precision, units, spelling: each kind has its own sameness."""
    assert step("same", one, other, kind=kind) == verdict
    assert step("same", other, one, kind=kind) == verdict


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Soviet", "Russian", "nationality"),
        ("Prussia", "Germany", "nationality"),
        ("East German", "German", "nationality"),
        ("Chinese American", "American", "nationality"),
        ("Atlantis", "Germany", "nationality"),
        ("1879", "1879-03-14", "date"),
        ("c. 1322", "c. 1322", "date"),
        ("1322/1327", "1322/1327", "date"),
        ("about 500", "about 500", "number"),
        ("5 km", "5", "number"),
        ("Obama", "Barack Obama", "person"),
        ("J. Smith", "John Smith", "person"),
        ("Santa Rosa", "Santa Rosa, California", "place"),
        ("Paris", "France", "place"),
        ("German", "1879", "date"),
    ],
)
def test_same_is_undecidable_where_the_texts_leave_it_open(one, other, kind):
    """Historic states, other precision, short forms: neither yes nor no is forced."""
    refused("same", one, other, kind=kind)
    refused("same", other, one, kind=kind)


def test_same_refuses_different_kinds():
    """A date is not compared with a person."""
    with pytest.raises(Undecidable, match="different kinds"):
        apply("same", [Operand("1879", "1879", "date"), Operand("ann", "Ann", "person")])


@pytest.mark.parametrize(
    ("operation", "values", "verdict"),
    [
        ("and", ("yes", "yes"), "yes"),
        ("and", ("Yes", "no"), "no"),
        ("or", ("no", "yes"), "yes"),
        ("or", ("no", "no"), "no"),
        ("not", ("no",), "yes"),
        ("not", ("yes",), "no"),
    ],
)
def test_booleans(operation, values, verdict):
    """The truth tables, and the negated form."""
    assert step(operation, *values) == verdict


def test_booleans_read_every_operand():
    """One "no" does not settle an "and" whose other side says neither yes nor no."""
    refused("and", "no", "perhaps")
    refused("or", "yes", "")
    refused("and", "no")
    refused("not", "yes", "no")


def test_count_needs_a_closed_list():
    """Three names that were found are not the number of names there are."""
    assert step("count", closed_list(["a", "b", "a"])) == "2"
    assert step("count", closed_list([])) == "0"
    assert "not known to be a complete list" in refused("count", "Ann, Bob and Cid")


def test_set_operations_on_closed_lists():
    """Members compare by spelling; the result is a closed list again."""
    one, other = closed_list(["Zoë", "Bob", "Cid"]), closed_list(["zoe", "Dan"])
    assert step("intersection", one, other) == closed_list(["Zoë"])
    assert step("difference", one, other) == closed_list(["Bob", "Cid"])
    assert step("count", step("intersection", other, closed_list(["Bob"]))) == "0"


def test_set_operations_refuse_doubtful_members():
    """Whether "Bob" is "Bob Lee" is not for the engine to say."""
    one, other = closed_list(["Bob"]), closed_list(["Bob Lee"])
    refused("intersection", one, other)
    refused("difference", one, other)
    refused("difference", one, "Bob")


def test_intersection_of_plain_values_is_the_shared_one():
    """Two lookups with a common value; without one, nothing follows."""
    assert step("intersection", "Bob", "bob") == "Bob"
    refused("intersection", "Bob", "Cid")


def test_lifespans_compare_over_four_dates():
    """Two differences of exact dates, then the greater one."""

    def life(born: str, died: str) -> Operand:
        return apply("difference", [Operand(died, died, "date"), Operand(born, born, "date")])

    one, other = life("1900-01-01", "1900-03-01"), life("1904-01-01", "1904-03-01")
    assert (one.value, other.value) == ("59 days", "60 days")
    labels = Operand("A", "A"), Operand("B", "B")
    assert apply("select-greater", [labels[0], one, labels[1], other]).value == "B"
    vague = life("1900", "1980")
    assert vague.value == "28855..29584 days"
    with pytest.raises(Undecidable):
        apply("select-greater", [labels[0], vague, labels[1], life("1900", "1981")])


def test_difference_of_numbers_keeps_units_and_vagueness():
    """Exact in the base unit; a span where an operand is one."""
    assert step("difference", "5 km", "1 km", kind="number") == "4000 m"
    assert step("difference", "about 100", "50", kind="number") == "40..60"
    refused("difference", "5 km", "5 kg", kind="number")
    refused("difference", "1900", "1900", kind="date")
    refused("difference", "3")


def test_copy_passes_a_value_on():
    """Value, shown form and kind stay."""
    operand = Operand("1879", "in 1879", "date")
    assert apply("copy", [operand]) == operand
    refused("copy")


def test_lists_are_shown_as_people_write_them():
    """Members with commas between; an empty list is "none"; other values as they are."""
    assert shown(closed_list(["b", "a"])) == "a, b"
    assert shown(closed_list([])) == "none"
    assert [shown(value) for value in ("Ann", "12", "[1]")] == ["Ann", "12", "[1]"]


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("Polish-German", {"poland", "germany"}),
        ("china and united states", {"china", "united states"}),
        ("U.S.", {"united states"}),
        ("Bosnia and Herzegovina", {"bosnia and herzegovina"}),
        ("American actor", None),
        ("", None),
    ],
)
def test_countries_are_read_only_from_pure_country_words(text, countries):
    """A text with any other word names no country for comparison."""
    assert read_countries(text) == countries


@pytest.mark.parametrize(
    ("one", "other", "kind", "verdict"),
    [
        ("1322", "1322/1327", "date", False),
        ("1322", "1322-05-01", "date", False),
        ("1322", "1327", "date", True),
        ("1322", "unknown", "date", True),
        ("5 km", "5000 m", "number", False),
        ("5 km", "5 kg", "number", True),
        ("5", "6", "number", True),
        ("munich", "schloss nymphenburg", "place", True),
        ("santa rosa", "santa rosa california", "place", False),
        ("germany", "east germany", "nationality", False),
        ('["a"]', '["a","b"]', "any", True),
        ("same", "same", "any", False),
    ],
)
def test_values_exclude_each_other_unless_one_may_contain_the_other(one, other, kind, verdict):
    """Precision and containment first; only then is it a conflict."""
    operands = Operand(one, one, kind), Operand(other, other, kind)
    assert exclusive(*operands) == exclusive(*operands[::-1]) == verdict


NAMES = st.lists(st.sampled_from(["ann", "a", "bob", "lee"]), max_size=3).map(" ".join)


@given(NAMES, NAMES)
def test_name_comparison_is_symmetric(one, other):
    """Whichever comes first, the verdict is one."""
    assert same_names(one, other) == same_names(other, one)
    assert same_names(one, one) is True
