"""The search loop over a scripted reader and a real ranked index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from bench.bm25 import Bm25
from certify_core.model import (
    Abstention,
    Certificate,
    Link,
    Requirement,
    RequirementGraph,
    Search,
    Unit,
)
from certify_core.protocols import Reading
from certify_core.search import Check, Policy, certify

DIRECTOR = Requirement(1, "lookup", "Who is the director of Red Kiln?", expect="person")
BORN = Requirement(2, "lookup", "When was #1 born?", expect="date")
CHAIN = RequirementGraph((DIRECTOR, BORN))


def unit(uid: str, title: str, body: str) -> Unit:
    return Unit(uid, title, f"{title}\n{body}")


FILM = unit("film", "Red Kiln", "Red Kiln was directed by Ada Lund.")
PERSON = unit("person", "Ada Lund", "Ada Lund was born in 1901.")
OTHER = unit("other", "Ada Lund Prize", "The Ada Lund Prize was born in 1950.")
NOISE = unit("noise", "Kiln", "A kiln is an oven. Red ones exist.")


@dataclass
class ScriptedReader:
    """Finds given words in given units; counts what it is asked."""

    values: Mapping[tuple[int, str], str]
    confirmed: frozenset[str] = frozenset()
    plan: RequirementGraph | None = None
    asked: list[tuple[int, str, str]] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)

    def decompose(self, question: str) -> RequirementGraph | None:
        return self.plan

    def link(
        self, requirement: Requirement, text: str, units: Sequence[Unit]
    ) -> Sequence[Reading | None]:
        self.windows.append(len(units))
        return [self._link(requirement, text, unit) for unit in units]

    def _link(self, requirement: Requirement, text: str, unit: Unit) -> Reading | None:
        self.asked.append((requirement.rid, text, unit.uid))
        value = self.values.get((requirement.rid, unit.uid))
        if value is None:
            return None
        start = unit.text.index(value)
        span = (start, start + len(value))
        kind = requirement.expect
        return Reading(value, value.lower(), kind, *span, span, cue="script")

    def verify(self, requirement: Requirement, text: str, unit: Unit, reading: Reading) -> bool:
        self.verified.append(unit.uid)
        return unit.uid in self.confirmed

    def answer(self, question: str, units: Sequence[Unit]) -> str | None:
        return None


@dataclass
class Watching:
    searches: list[Search] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def searched(self, search: Search) -> None:
        self.searches.append(search)

    def linked(self, link: Link) -> None:
        self.links.append(link)


VALUES = {(1, "film"): "Ada Lund", (2, "person"): "1901", (2, "other"): "1950"}


def units() -> Bm25:
    return Bm25([FILM, PERSON, OTHER, NOISE])


def test_certify_without_a_plan_abstains() -> None:
    """Protects against guessing at a question the reader does not understand."""
    found = certify("Why?", None, ScriptedReader({}), units(), Policy())
    assert isinstance(found.result, Abstention)
    assert [(o.rid, o.text, o.cause) for o in found.result.open] == [(0, "Why?", "no-plan")]
    assert (found.graph, found.searches) == (None, ())


def test_certify_follows_values_from_lookup_to_lookup() -> None:
    """Protects the core promise: the certificate holds the units of both hops, no more."""
    reader = ScriptedReader(VALUES, plan=CHAIN)
    found = certify("When was the director of Red Kiln born?", None, reader, units(), Policy())
    assert isinstance(found.result, Certificate)
    assert (found.result.answer, found.result.units) == ("1901", ("film", "person"))
    assert [s.query for s in found.searches] == [DIRECTOR.template, "When was Ada Lund born?"]
    assert found.links[-1].binding == ((1, "ada lund"),)


def test_certify_names_the_lookup_that_stays_open() -> None:
    """Protects abstention: it says which filled-in fact is missing, and what waits for it."""
    found = certify("?", CHAIN, ScriptedReader(VALUES), units().without(["person"]), Policy())
    assert isinstance(found.result, Abstention)
    (missing,) = found.result.open
    assert (missing.rid, missing.text, missing.cause) == (
        2,
        "When was Ada Lund born?",
        "entity-check",
    )
    assert missing.uids == ("other",)
    gone = certify("?", CHAIN, ScriptedReader(VALUES), units().without(["film"]), Policy())
    assert isinstance(gone.result, Abstention)
    assert [o.cause for o in gone.result.open] == ["no-value"]
    assert [b.rid for b in gone.result.blocked] == [2]


def test_certify_over_nothing_says_nothing_was_retrieved() -> None:
    """Protects the difference between an empty corpus and an unread one."""
    found = certify("?", CHAIN, ScriptedReader(VALUES), Bm25([]), Policy())
    assert isinstance(found.result, Abstention)
    assert found.result.open[0].cause == "nothing-retrieved"


def crowd(count: int) -> list[Unit]:
    """Units that all match the first query, ranked by uid."""
    return [unit(f"u{i:02d}", "Red Kiln", "Red Kiln, the director.") for i in range(count)]


def test_certify_reads_rank_windows_until_a_link_is_accepted() -> None:
    """Protects the schedule 5, 5, 10: no passage is read beyond the deciding round."""
    pool = crowd(30)
    pool[7] = unit("u07", "Red Kiln", "Ada Lund, director of Red Kiln.")
    graph = RequirementGraph((DIRECTOR,))
    order = [u.uid for u in Bm25(pool).search(DIRECTOR.template, 20)]
    deep = order[6]
    reader = ScriptedReader({(1, deep): "Red Kiln"})
    found = certify("?", graph, reader, Bm25(pool), Policy())
    assert isinstance(found.result, Certificate)
    assert [uid for _, _, uid in reader.asked] == order[:10]
    assert reader.windows == [5, 5], "each window is one question to the reader"
    assert [(s.round, len(s.uids)) for s in found.searches] == [(1, 5), (2, 5)]
    assert found.links[0].rank == 6


def test_certify_stops_after_the_last_window() -> None:
    """Protects against reading a whole corpus: twenty passages and no more."""
    reader = ScriptedReader({})
    found = certify("?", RequirementGraph((DIRECTOR,)), reader, Bm25(crowd(30)), Policy())
    assert isinstance(found.result, Abstention)
    assert [len(s.uids) for s in found.searches] == [5, 5, 10]
    assert len(reader.asked) == 20


def test_certify_asks_each_passage_once_per_lookup_and_binding() -> None:
    """Protects the budget of model calls, also where a ranking repeats a unit."""

    class Repeating(Bm25):
        def search(self, query: str, limit: int) -> list[Unit]:
            return [unit for unit in super().search(query, limit) for _ in range(2)]

    reader = ScriptedReader({})
    certify("?", CHAIN, reader, Repeating([FILM, PERSON]), Policy(schedule=(1, 1, 2)))
    assert sorted(reader.asked) == [(1, DIRECTOR.template, "film")]
    assert reader.windows == [1], "a window without a new passage is no question"
    found = certify("?", CHAIN, ScriptedReader(VALUES), Repeating([FILM, PERSON]), Policy())
    assert [(link.uid, link.rank) for link in found.links][:1] == [("film", 0)]


def test_certify_refuses_a_reader_that_skips_a_passage() -> None:
    """Protects passages from being credited with what another one states."""

    class Skipping(ScriptedReader):
        def link(
            self, requirement: Requirement, text: str, units: Sequence[Unit]
        ) -> Sequence[Reading | None]:
            return super().link(requirement, text, units)[1:]

    with pytest.raises(ValueError, match="shorter"):
        certify("?", CHAIN, Skipping(VALUES), units(), Policy())


def test_certify_goes_on_after_rejected_links_unless_told() -> None:
    """Protects the switch ``stop_on``: a rejected link alone does not end the rounds."""
    pool = [unit(f"u{i:02d}", "Kiln Fair", "Red Kiln director") for i in range(12)]
    values = {(1, u.uid): "Red Kiln" for u in pool}
    graph = RequirementGraph((DIRECTOR,))
    rounds = {
        stop: len(
            certify("?", graph, ScriptedReader(values), Bm25(pool), Policy(stop_on=stop)).searches
        )
        for stop in ("accepted", "any")
    }
    assert rounds == {"accepted": 3, "any": 1}


def grades(policy: Policy, confirmed: frozenset[str] = frozenset()) -> dict[str, str]:
    reader = ScriptedReader(VALUES, confirmed)
    found = certify("?", CHAIN, reader, units().without(["person"]), policy)
    return {link.uid: link.grade for link in found.links}


@pytest.mark.parametrize(
    ("check", "confirmed", "grade"),
    [
        ("off", frozenset(), "verified"),
        ("anchor", frozenset({"other"}), "rejected"),
        ("anchor-or-verify", frozenset({"other"}), "verified"),
        ("anchor-or-verify", frozenset(), "rejected"),
    ],
)
def test_certify_grades_a_near_namesake_by_the_mode(
    check: Check, confirmed: frozenset[str], grade: str
) -> None:
    """Protects the modes of the entity check: "Ada Lund Prize" is not Ada Lund."""
    assert grades(Policy(check=check), confirmed)["other"] == grade


def test_certify_verifies_even_anchored_pages_in_mode_verify() -> None:
    """Protects the mode in which only a second reading accepts."""
    assert grades(Policy(check="verify"))["film"] == "rejected"
    assert grades(Policy(check="verify"), frozenset({"film"}))["film"] == "verified"


def test_certify_verifies_two_passages_per_lookup_in_rank_order() -> None:
    """Protects the verification budget: two noes fail the lookup."""
    pool = [unit(f"u{i:02d}", "Kiln Fair", "Red Kiln director") for i in range(8)]
    reader = ScriptedReader({(1, u.uid): "Red Kiln" for u in pool}, frozenset({"u05"}))
    graph = RequirementGraph((DIRECTOR,))
    found = certify("?", graph, reader, Bm25(pool), Policy(check="anchor-or-verify"))
    assert isinstance(found.result, Abstention)
    assert reader.verified == ["u00", "u01"]
    assert found.result.open[0].cause == "entity-check"


def test_certify_prefers_an_anchored_passage_to_verification() -> None:
    """Protects against accepting a namesake where the named page was in the same round."""
    reader = ScriptedReader(VALUES, frozenset({"other"}))
    found = certify("?", CHAIN, reader, units(), Policy(check="anchor-or-verify"))
    assert isinstance(found.result, Certificate)
    assert found.result.answer == "1901"
    assert reader.verified == []


def test_certify_tells_its_reporter_everything_it_returns() -> None:
    """Protects the live log of a run from missing what the outcome records."""
    watching = Watching()
    found = certify("?", CHAIN, ScriptedReader(VALUES), units(), Policy(), watching)
    assert tuple(watching.searches) == found.searches
    assert tuple(watching.links) == found.links


def test_certify_stops_as_soon_as_closure_derives_the_answer() -> None:
    """Protects the stopping rule: a second director is not followed once one birth is known."""
    second = unit("film2", "Red Kiln", "Red Kiln was directed by Bo Aske.")
    bo = unit("bo", "Bo Aske", "Bo Aske was born in 1922.")
    values = {**VALUES, (1, "film2"): "Bo Aske", (2, "bo"): "1922"}
    found = certify("?", CHAIN, ScriptedReader(values), Bm25([FILM, PERSON, second, bo]), Policy())
    assert isinstance(found.result, Certificate)
    assert {link.value for link in found.links if link.rid == 1} == {"Ada Lund", "Bo Aske"}
    followed = [link for link in found.links if link.rid == 2 and link.accepted]
    assert len({link.binding for link in followed}) == 1
    assert found.result.answer == followed[0].value
