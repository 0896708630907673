"""Who sees what, when: the table of the domain, cell by cell."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from adjudication.review.visibility import Phase, Relation, Side, Sight, may_see

R, P, S = Relation, Phase, Side
ROOT = Path(__file__).parents[2]

TABLE = [
    (R.REVIEWER, P.OPEN, S.MATERIAL, Sight.FULL),
    (R.REVIEWER, P.OPEN, S.MACHINE, Sight.NOTHING),
    (R.REVIEWER, P.OPEN, S.JUDGEMENTS, Sight.NOTHING),
    (R.REVIEWER, P.SEALED, S.MACHINE, Sight.EXPOSED),
    (R.REVIEWER, P.OPEN, S.PROPOSER, Sight.NOTHING),
    (R.REVIEWER, P.SEALED, S.PROPOSER, Sight.EXPOSED),
    (R.ADJUDICATOR, P.ALL_SEALED, S.PROPOSER, Sight.NOTHING),
    (R.MEMBER, P.RELEASED, S.PROPOSER, Sight.NOTHING),
    (R.REVIEWER, P.SEALED, S.JUDGEMENTS, Sight.NOTHING),
    (R.REVIEWER, P.ALL_SEALED, S.JUDGEMENTS, Sight.NAMELESS),
    (R.ADJUDICATOR, P.OPEN, S.JUDGEMENTS, Sight.NOTHING),
    (R.ADJUDICATOR, P.ALL_SEALED, S.JUDGEMENTS, Sight.NAMELESS),
    (R.ADJUDICATOR, P.ALL_SEALED, S.MACHINE, Sight.NOTHING),
    (R.ADJUDICATOR, P.DECIDED, S.MACHINE, Sight.FULL),
    (R.ANNOTATOR, P.OPEN, S.MATERIAL, Sight.OWN_OBJECT),
    (R.ANNOTATOR, P.OPEN, S.AUDIT_CLASS, Sight.NOTHING),
    (R.ANNOTATOR, P.ALL_SEALED, S.MACHINE, Sight.NOTHING),
    (R.ANNOTATOR, P.DECIDED, S.AUDIT_CLASS, Sight.FULL),
    (R.LEAD, P.OPEN, S.MACHINE, Sight.EXPOSED),
    (R.LEAD, P.SEALED, S.JUDGEMENTS, Sight.TOTALS),
    (R.LEAD, P.ALL_SEALED, S.JUDGEMENTS, Sight.FULL),
    (R.LEAD, P.RELEASED, S.AUDIT_CLASS, Sight.TOTALS),
    (R.AUDITOR, P.DECIDED, S.JUDGEMENTS, Sight.NOTHING),
    (R.AUDITOR, P.RELEASED, S.JUDGEMENTS, Sight.FULL),
    (R.AUDITOR, P.RELEASED, S.MACHINE, Sight.FULL),
    (R.MEMBER, P.RELEASED, S.JUDGEMENTS, Sight.NOTHING),
]


@pytest.mark.parametrize(("relation", "phase", "side", "sight"), TABLE)
def test_table_of_the_domain(relation: Relation, phase: Phase, side: Side, sight: Sight) -> None:
    """Each cell that the domain names."""
    assert may_see(relation, phase, side) is sight


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("side", Side)
def test_nothing_seen_is_unseen_later(relation: Relation, side: Side) -> None:
    """A later phase never hides what an earlier one showed."""
    shown = [may_see(relation, phase, side) is not Sight.NOTHING for phase in Phase]
    assert shown == sorted(shown)


QUERIES_OF_JUDGEMENTS = {
    "review/actions/judging.py": "decides from them",
    "review/queries/records.py": "asks may_see",
}


def test_judgements_are_read_only_where_visibility_is_asked() -> None:
    """No page of the review reads the table of judgements past the visibility service."""
    found = {
        str(path.relative_to(ROOT / "adjudication"))
        for path in (ROOT / "adjudication" / "review").rglob("*.py")
        if any(_reads_judgements(node) for node in ast.walk(ast.parse(path.read_text())))
    }
    assert found == set(QUERIES_OF_JUDGEMENTS)


def _reads_judgements(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "objects"
        and isinstance(node.value, ast.Name)
        and node.value.id in {"Judgement", "MemberJudgement"}
    )
