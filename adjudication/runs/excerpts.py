"""From a certificate's passages to the spans that carry it.

A link gives the sentence that states its value. Where the sentence alone does not say of
whom, the passage's title line goes with it, unless another sentence of the set already
names the entity. The same closure that certified the passages prunes the spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from certify_core.closure import Compiled
from certify_core.evidence import minimal_set
from certify_core.folding import fold
from certify_core.grounding import read_atom
from certify_core.linking import informative_tokens
from certify_core.model import (
    Atom,
    Certificate,
    Edge,
    Instance,
    Link,
    RequirementGraph,
    Step,
    Unit,
)


@dataclass(frozen=True, slots=True, order=True)
class Excerpt:
    """A half-open range of code points in a unit's text."""

    uid: str
    start: int
    end: int

    @property
    def key(self) -> str:
        return f"{self.uid} {self.start}-{self.end}"

    def contains(self, other: Excerpt) -> bool:
        return self.uid == other.uid and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Members:
    """The spans of the proposed set in the order of the derivation, and those it can spare."""

    kept: tuple[Excerpt, ...]
    dropped: tuple[Excerpt, ...]


def members(
    certificate: Certificate, graph: RequirementGraph, units: Mapping[str, Unit]
) -> Members:
    """The minimal spans of ``certificate``; ``units`` holds its units by id."""
    support = _Support(certificate, graph, units)
    sentences, titles = support.sentences(), support.titles()
    candidates = list(dict.fromkeys([*sentences, *titles]))
    compiled = Compiled.of(support.instance(candidates))
    found = minimal_set(compiled, [excerpt.key for excerpt in candidates])
    assert found is not None, "a certificate's own sentences state all it needs"
    kept = [excerpt for excerpt in candidates if excerpt.key in found[0]]
    return Members(
        tuple(_in_order(kept)), tuple(excerpt for excerpt in candidates if excerpt not in kept)
    )


@dataclass(frozen=True, slots=True)
class _Support:
    certificate: Certificate
    graph: RequirementGraph
    units: Mapping[str, Unit]

    def sentences(self) -> list[Excerpt]:
        return [_sentence(link) for _, link in self.uses()]

    def titles(self) -> list[Excerpt]:
        needing = [link.uid for _, link in self.uses() if self._needs_title(link)]
        return [Excerpt(uid, 0, len(self.units[uid].title)) for uid in needing]

    def uses(self) -> Iterator[tuple[Step, Link]]:
        """Each step that rests on a passage, with every link that states it."""
        for step in self.certificate.derivation:
            for link in self.certificate.links:
                if _states(link, step):
                    yield step, link

    def instance(self, excerpts: Sequence[Excerpt]) -> Instance:
        """The derivation again, each step resting on excerpts in place of passages."""
        free = [Edge(s.atom, s.premises) for s in self.certificate.derivation if s.unit is None]
        resting = [
            Edge(step.atom, (*step.premises, *self._grounds(link))) for step, link in self.uses()
        ]
        goal = self.certificate.derivation[-1].atom
        facts = {excerpt.key: tuple(self._stated(excerpt)) for excerpt in excerpts}
        return Instance((goal,), facts=facts, edges=(*free, *resting))

    def _grounds(self, link: Link) -> Iterator[Atom]:
        yield f"sentence {_sentence(link).key}"
        if self._needs_title(link):
            yield f"name {link.uid}"

    def _stated(self, excerpt: Excerpt) -> Iterator[Atom]:
        for sentence in dict.fromkeys(self.sentences()):
            if excerpt.contains(sentence):
                yield f"sentence {sentence.key}"
        unit = self.units[excerpt.uid]
        if names(unit.text[excerpt.start : excerpt.end], unit.title):
            yield f"name {excerpt.uid}"

    def _needs_title(self, link: Link) -> bool:
        """Whether the title is what says of whom the link's sentence speaks."""
        unit = self.units[link.uid]
        if not unit.text.startswith(f"{unit.title}\n"):
            return False
        asked = self.graph.requirements[link.rid - 1].filled(dict(link.binding))
        about_title = link.grade == "anchored" or names(asked, unit.title)
        return about_title and not names(unit.text[slice(*link.sentence)], unit.title)


def names(text: str, title: str) -> bool:
    """Whether every informative word of ``title`` is in ``text``."""
    tokens = informative_tokens(title)
    return set(tokens) <= set(fold(text).split()) if tokens else title in text


def _sentence(link: Link) -> Excerpt:
    return Excerpt(link.uid, *link.sentence)


def _states(link: Link, step: Step) -> bool:
    parts = read_atom(step.atom) if step.unit == link.uid else None
    if parts is None:
        return False
    rid, behind, value = parts
    return (link.rid, link.canonical) == (rid, value) and set(link.binding) <= set(behind)


def _in_order(kept: Sequence[Excerpt]) -> Iterator[Excerpt]:
    """Passages as the derivation first uses them, each one's excerpts as they stand in it."""
    for uid in dict.fromkeys(excerpt.uid for excerpt in kept):
        yield from sorted(excerpt for excerpt in kept if excerpt.uid == uid)
