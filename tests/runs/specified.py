"""Frozen specifications and questions that runs can work on."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from adjudication.claims.graphs import to_json
from adjudication.claims.models import InferenceRule, Question, RequirementGraph
from adjudication.corpus.queries import versions_in
from adjudication.projects.models import Project
from adjudication.specifications.models import EligibleVersion, Specification
from certify_core.canonical import digest
from certify_core.model import Requirement
from certify_core.model import RequirementGraph as Graph
from tests.factories import OBSERVED, make_question, make_version

BIRTHS = (
    "Anna Berg\nAnna Berg (12 May 1901, Ghent – 3 June 1970) was a Belgian painter.",
    "Carl Holm\nCarl Holm (1 April 1899, Oslo – 7 July 1950) was a Norwegian composer.",
)
FILMS = (
    "The Red Door\nThe Red Door is a 1931 film directed by Anna Berg.",
    "Silent Fjord\nSilent Fjord is a 1933 film directed by Carl Holm.",
)
EARLIER = "Which film has the director who was born earlier, The Red Door or Silent Fjord?"
BIRTHPLACE = "Where was the director of film The Red Door born?"


def freeze(project: Project, *rules: InferenceRule) -> Specification:
    """A frozen specification over every version of the project."""
    specification = Specification.objects.create(
        project=project,
        number=Specification.objects.filter(project=project).count() + 1,
        corpus_boundary="everything imported",
        observation_cutoff=OBSERVED,
        population="every question",
        answerability_policy="answerable if a set is accepted",
        consequential_policy="none",
    )
    versions = list(versions_in(project))
    EligibleVersion.objects.bulk_create(
        EligibleVersion(specification=specification, version=version) for version in versions
    )
    specification.rules.set(rules)
    specification.state = Specification.State.FROZEN
    specification.body, specification.frozen_at = "{}", timezone.now()
    specification.sha256 = digest({"number": specification.number})
    specification.corpus_sha256 = digest(sorted(version.sha256 for version in versions))
    specification.save()
    return specification


def make_film_study(project: Project, texts: Sequence[str] = (*FILMS, *BIRTHS)) -> Question:
    """Two films, their directors' lives, and the question which director was born earlier."""
    for text in texts:
        make_version(project, text)
    return make_question(project, EARLIER)


def give_graph(question: Question, *requirements: Requirement) -> RequirementGraph:
    body = to_json(Graph(requirements))
    return RequirementGraph.objects.create(
        question=question, number=1, origin="test", body=body, sha256=digest(body)
    )


def rule(project: Project, kind: InferenceRule.Kind) -> InferenceRule:
    return InferenceRule.objects.create(
        project=project, key=kind.value, kind=kind, statement=f"A {kind.label} is permitted."
    )
