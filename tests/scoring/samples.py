"""A system's answer with its claims and citations, through the application's own actions."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from adjudication.claims.models import Claim, Question
from adjudication.corpus.models import SourceVersion, Span
from adjudication.projects.models import Project
from adjudication.scoring.bulk import WholeOutput, add_outputs
from adjudication.scoring.models import Citation, Output, OutputClaim, Retrieved, SystemRun

Place = Span | SourceVersion


def at(place: Place) -> dict[str, Place]:
    return {"span": place} if isinstance(place, Span) else {"version": place}


@transaction.atomic
def make_output(
    project: Project,
    question: Question,
    text: str = "Entity R holds the rights.",
    *,
    retrieved: Sequence[Place] = (),
    cited: Sequence[Place] = (),
    claim: Claim | None = None,
    run: str = "baseline",
) -> Output:
    """One output that makes one claim, with all of its words."""
    system, _ = SystemRun.objects.get_or_create(
        project=project, key=run, defaults={"system": "Baseline RAG", "note": "Top 5."}
    )
    output = Output(run=system, question=question, key=question.key, text=text)
    said = OutputClaim(output=output, ordinal=1, text=text, start=0, end=len(text), claim=claim)
    add_outputs(
        [
            WholeOutput(
                output,
                [
                    Retrieved(output=output, ordinal=n, **at(place))
                    for n, place in enumerate(retrieved, start=1)
                ],
                [said],
                [
                    Citation(output_claim=said, ordinal=n, **at(place))
                    for n, place in enumerate(cited, start=1)
                ],
            )
        ]
    )
    return Output.objects.get(pk=output.pk)
