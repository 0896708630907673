"""What an invented system answered to the ledger, with what it retrieved and cited.

Each answer goes one of the ledger's four ways, so that its citations can be compared with the
evidence sets: a link is missing that was retrieved (A), one that was not (B), nothing is (C),
or the answer follows a later version, which does not count (D).
"""

from __future__ import annotations

from dataclasses import dataclass

from adjudication.claims.models import Claim, Question
from adjudication.corpus.actions import make_span
from adjudication.corpus.models import SourceVersion, Span
from adjudication.journal.actions import record
from adjudication.projects.models import Project
from adjudication.scoring.bulk import WholeOutput, add_outputs
from adjudication.scoring.models import Citation, Output, OutputClaim, Retrieved, SystemRun


@dataclass(frozen=True, slots=True)
class Quotation:
    page: str
    words: str
    number: int = 1


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a case of the ledger; ``matched`` where it makes the case's own claim."""

    case: str
    text: str
    retrieved: tuple[Quotation, ...]
    cited: tuple[Quotation, ...]
    matched: bool = True


REGISTER = Quotation("cedar-register", "Project Cedar is mapped to record R17.")
SCHEDULE = Quotation("rights-schedule", "Entity R holds the rights associated with record R17.")
NODE = Quotation("node-table", "Node N4 accepts connections on port 8443.")
INDEX = Quotation(
    "gazette-index", "Notice 41 announces the entry into force of the Cypress agreement."
)
NOTICE = Quotation(
    "gazette-41", "The instrument named in this notice entered into force on 9 November 2025."
)
LETTER = Quotation("ferry-newsletter", "it entered into force on 1 December 2025")
FILE = Quotation("dogwood-file", "Deliveries to Dogwood fall under tariff T3.")
TARIFF = Quotation("tariff-t3", "Tariff T3 sets a limit of 55 units per delivery.", number=2)

ANSWERS = (
    Answer(
        "cedar-a",
        "Entity R holds the rights to Project Cedar.",
        retrieved=(SCHEDULE, REGISTER),
        cited=(SCHEDULE,),
    ),
    Answer(
        "birch-b",
        "The Birch gateway accepts connections on port 8443.",
        retrieved=(NODE,),
        cited=(NODE,),
    ),
    Answer(
        "cypress-c",
        "The Cypress agreement entered into force on 9 November 2025.",
        retrieved=(INDEX, LETTER, NOTICE),
        cited=(INDEX, NOTICE),
    ),
    Answer(
        "dogwood-d",
        "One delivery to Dogwood may hold at most 55 units.",
        retrieved=(TARIFF, FILE),
        cited=(FILE, TARIFF),
        matched=False,
    ),
)


def answer_the_ledger(project: Project) -> None:
    """One system run with an output to each case."""
    run = SystemRun.objects.create(
        project=project,
        key="harbour-assistant",
        system="Harbour Assistant 1.2",
        note="Best three passages. The system is invented, like its answers.",
    )
    add_outputs(_output(run, answer) for answer in ANSWERS)
    record("imported outputs", run, actor=None, project_id=project.pk, outputs=len(ANSWERS))


def _output(run: SystemRun, answer: Answer) -> WholeOutput:
    """The answer as an output that makes one claim, with all of its words."""
    question = Question.objects.get(project=run.project, key=answer.case)
    output = Output(run=run, question=question, key=answer.case, text=answer.text)
    said = OutputClaim(
        output=output,
        ordinal=1,
        text=answer.text,
        start=0,
        end=len(answer.text),
        claim=Claim.objects.get(question=question) if answer.matched else None,
    )
    retrieved = [
        Retrieved(output=output, ordinal=place, span=_span(run.project, quotation))
        for place, quotation in enumerate(answer.retrieved, start=1)
    ]
    cited = [
        Citation(output_claim=said, ordinal=place, span=_span(run.project, quotation))
        for place, quotation in enumerate(answer.cited, start=1)
    ]
    return WholeOutput(output, retrieved, [said], cited)


def _span(project: Project, quotation: Quotation) -> Span:
    version = SourceVersion.objects.get(
        source__project=project, source__key=quotation.page, number=quotation.number
    )
    start = version.text.index(quotation.words)
    end = start + len(quotation.words)
    return make_span(version, start, end, actor=None, quoted=quotation.words)
