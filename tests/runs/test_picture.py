"""The picture of a derivation: what it joins, keeps apart and leaves hollow."""

from __future__ import annotations

from adjudication.projects.models import Project
from adjudication.projects.queries import membership_for
from adjudication.runs.actions import start_run
from adjudication.runs.models import Attempt, Outcome
from adjudication.runs.pages.picture import MOST, Picture, draw
from adjudication.runs.pages.trace import Trace
from adjudication.runs.rules import Configuration
from adjudication.runs.tasks import work_on
from tests.conftest import Cast
from tests.factories import make_question, make_version
from tests.runs.specified import BIRTHPLACE, BIRTHS, FILMS, freeze

DIRECTOR = "Who directed The Red Door?"
BORN = "Anna Berg\nAnna Berg was born on {} in Ghent."


def picture_of(project: Project, cast: Cast, question: str, *texts: str) -> Picture:
    """The picture that a lead sees of ``question`` asked over ``texts``."""
    for text in texts:
        make_version(project, text)
    run = start_run(freeze(project), [make_question(project, question)], Configuration(), None)
    work_on(Attempt.objects.get(run=run).pk)
    trace = Trace.of(membership_for(cast.lead, project.slug), Outcome.objects.get(run=run))
    assert not trace.closed
    return draw(trace)


def kinds(picture: Picture, kind: str) -> list[str]:
    return [box.title for box in picture.boxes if box.kind == kind]


def test_what_is_needed_together_is_one_joined_arrow(project: Project, cast: Cast):
    """The place of birth needs the director and a passage: two lines, one joint, one tip."""
    picture = picture_of(project, cast, BIRTHPLACE, FILMS[0], BIRTHS[0])
    alone, joined = picture.arrows
    assert (len(alone.tails), alone.joint) == (1, None)
    assert len(joined.tails) == 2
    x, y = joined.joint
    assert joined.head.startswith(f"M{x} {y}H")
    assert all(tail.endswith(f"{x} {y}") for tail in joined.tails)


def test_a_second_passage_is_an_arrow_of_its_own(project: Project, cast: Cast):
    """Either passage does: two arrows, the unused one dashed, and both said in words."""
    again = "The Red Door\nIn 1931 Anna Berg made it. The Red Door was directed by Anna Berg."
    picture = picture_of(project, cast, DIRECTOR, FILMS[0], again)
    assert [arrow.kind for arrow in picture.arrows] == ["answered", "spare"]
    assert all(arrow.joint is None for arrow in picture.arrows)
    assert len({arrow.head for arrow in picture.arrows}) == 2
    assert picture.described == (
        "Step 1, Who is the director of The Red Door? Anna Berg, from “The Red Door”, "
        "or “The Red Door”.",
    )


def test_passages_beyond_a_few_are_counted(project: Project, cast: Cast):
    """A value that every page states does not make the picture endless; none is kept quiet."""
    texts = [f"{FILMS[0]} It ran for {n} weeks." for n in range(1, MOST + 2)]
    picture = picture_of(project, cast, DIRECTOR, *texts)
    assert len(kinds(picture, "passage")) == 1
    assert kinds(picture, "passage spare more") == ["2 more passages"]
    assert len(picture.arrows) == MOST
    assert picture.described[0].endswith("or 2 more passages.")


def test_disagreeing_passages_stand_with_their_values_before_a_hollow_step(
    project: Project, cast: Cast
):
    """What keeps a step open is in the picture, not only that it is open."""
    days = "12 May 1901", "3 June 1907"
    picture = picture_of(
        project, cast, "When was Anna Berg born?", *(BORN.format(day) for day in days)
    )
    (step,) = kinds(picture, "step open")
    assert step.endswith("open")
    assert sorted(kinds(picture, "passage")) == sorted(f"Anna Berg {day}" for day in days)
    assert "(which states 3 June 1907)" in picture.described[0]


def test_no_box_covers_another(project: Project, cast: Cast):
    """Also where a comparison stands between two rows and steps have several passages."""
    question = "Which film has the director who was born earlier, The Red Door or Silent Fjord?"
    again = [f"{text} It was told again." for text in (*FILMS, *BIRTHS)]
    picture = picture_of(project, cast, question, *FILMS, *BIRTHS, *again)
    boxes = picture.boxes
    for number, one in enumerate(boxes):
        for other in boxes[number + 1 :]:
            beside = one.right <= other.x or other.right <= one.x
            assert beside or abs(one.y - other.y) >= one.height, (one.title, other.title)
    assert all(box.top >= 0 and box.right <= picture.width for box in boxes)
    assert all(box.top + box.height <= picture.height for box in boxes)


def test_long_words_stay_in_their_box(project: Project, cast: Cast):
    """Words are cut at the width of a box, earlier where letters take the room of two."""
    picture = picture_of(project, cast, f"Who directed {'An endless title of a film ' * 9}?")
    assert picture.boxes[0].title.count("endless") == 9
    assert all(len(line) <= 30 for _, line, _ in picture.boxes[0].text_lines)
    assert picture.boxes[0].height >= 3 * 17
