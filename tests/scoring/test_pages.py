"""What systems answered, for those who may know it, as far as they may read it."""

from __future__ import annotations

import pytest

from adjudication.accounts.models import User
from adjudication.corpus.models import Tightening
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project, Role
from tests.conftest import Cast, client_for
from tests.factories import (
    add_member,
    make_claim,
    make_evidence_set,
    make_question,
    make_user,
    make_version,
    span_of,
)
from tests.scoring.samples import make_output

pytestmark = pytest.mark.django_db
SYSTEMS = "/p/film-study/systems/"


def content(user: User, path: str) -> str:
    response = client_for(user).get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_lead_reads_an_answer_with_its_citations(project: Project, cast: Cast) -> None:
    """Output, claim, matched claim, cited span and retrieved document are on the page."""
    claim = make_claim(project)
    version = make_version(project, "Cedar page\nCedar is mapped to record R17.")
    span = span_of(version, "mapped to record R17")
    make_output(
        project, claim.question, "It is R17.", retrieved=[version], cited=[span], claim=claim
    )
    assert "Baseline RAG" in content(cast.lead, SYSTEMS)
    page = content(cast.auditor, f"{SYSTEMS}baseline/")
    for words in ("It is R17.", "mapped to record R17", "The whole of", claim.value, "Top 5."):
        assert words in page


def test_answer_is_withheld_with_what_it_rests_on(project: Project, cast: Cast) -> None:
    """Who may not read one cited place learns that the output exists, and not what it says."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    hidden = make_version(project, "Secret\nThe sum is 41 million.", reader_classes=["legal"])
    open_span = span_of(make_version(project), "record R17")
    claim = make_claim(project)
    make_output(
        project,
        claim.question,
        "The deal cost 41 million.",
        retrieved=[open_span, hidden],
        cited=[span_of(hidden, "41 million")],
    )
    page = content(cast.lead, f"{SYSTEMS}baseline/")
    assert "41 million" not in page
    assert "Secret" not in page
    assert "blocked for you" in page
    assert "record R17" in page


def test_answer_is_withheld_with_a_part_of_its_document(project: Project, cast: Cast) -> None:
    """A document is cited as a whole: who may not read all of it does not read the answer."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    version = make_version(
        project, "Memo\nThe sum is 41 million.", reader_classes=["legal", "public"]
    )
    Tightening.objects.create(
        version=version,
        span=span_of(version, "41 million"),
        reader_class=project.reader_classes.get(key="public"),
        reason="A price.",
        by=cast.lead,
    )
    make_output(project, make_question(project), "It cost 41 million.", retrieved=[version])
    page = content(cast.lead, f"{SYSTEMS}baseline/")
    assert "41 million" not in page
    assert version.sha256[:8] not in page
    assert "Readers: Legal" in page


def test_answer_is_withheld_with_the_claim_it_makes(project: Project, cast: Cast) -> None:
    """It says the same as a claim whose words are withheld, whatever it cites for it."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    claim = make_claim(project, "41 million")
    make_evidence_set(claim, "The sum is 41 million.", reader_classes=["legal"])
    make_output(project, claim.question, "It cost 41 million.", claim=claim)
    assert "41 million" not in content(cast.lead, f"{SYSTEMS}baseline/")


@pytest.mark.parametrize("name", ["rosa", "adjudicator", "reader"])
def test_who_may_still_judge_does_not_see_answers(project: Project, cast: Cast, name: str) -> None:
    """A system's citations would lead a reviewer; readers see what is released."""
    user = getattr(cast, name)
    assert client_for(user).get(SYSTEMS).status_code == 403
    assert "Systems</a>" not in content(user, "/p/film-study/")


def test_auditor_who_judges_does_not_see_answers(project: Project, cast: Cast) -> None:
    """The role alone is not enough while the person may still have to judge."""
    both = make_user("bea")
    add_member(project, both, Role.AUDITOR, Role.REVIEWER)
    assert client_for(both).get(f"{SYSTEMS}baseline/").status_code == 403


def test_missing_run_and_strangers_get_404(project: Project, cast: Cast) -> None:
    """A run of another project is as missing."""
    assert client_for(cast.lead).get(f"{SYSTEMS}nothing/").status_code == 404
    assert client_for(cast.stranger).get(SYSTEMS).status_code == 404


def test_empty_list_says_how_to_begin(project: Project, cast: Cast) -> None:
    assert "--format bundle" in content(cast.lead, SYSTEMS)
    assert "A lead imports them" in content(cast.auditor, SYSTEMS)
