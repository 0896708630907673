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
    (R.REVIEWER, P.SEALED, S.FLAGS, Sight.NOTHING),
    (R.REVIEWER, P.ALL_SEALED, S.FLAGS, Sight.NAMELESS),
    (R.ADJUDICATOR, P.SEALED, S.FLAGS, Sight.NOTHING),
    (R.ADJUDICATOR, P.ALL_SEALED, S.FLAGS, Sight.NAMELESS),
    (R.LEAD, P.OPEN, S.FLAGS, Sight.EXPOSED),
    (R.LEAD, P.ALL_SEALED, S.FLAGS, Sight.FULL),
    (R.AUDITOR, P.DECIDED, S.FLAGS, Sight.NOTHING),
    (R.AUDITOR, P.RELEASED, S.FLAGS, Sight.FULL),
    (R.MEMBER, P.RELEASED, S.FLAGS, Sight.NOTHING),
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


HIDDEN = {"Judgement", "MemberJudgement", "Comment", "Flag", "FlagResolution"}
READS = {
    "review/actions/judging.py": {"Judgement"},  # decides from them
    "review/actions/discussing.py": {"Comment", "Flag", "FlagResolution"},  # finds the same again
    "review/queries/records.py": {"Judgement"},  # asks may_see
    "review/queries/discussion.py": {"Comment", "Flag"},  # asks may_see
    "review/queries/agreement.py": {"Judgement"},  # for who may read totals
    "review/queries/workload.py": {"Judgement"},  # when somebody last sealed, for leads
    "review/queries/queue.py": {"Flag", "Judgement"},  # one's own; who declared a conflict
}


def test_what_a_phase_may_hide_is_read_only_where_visibility_is_asked() -> None:
    """No page of the review reads these tables past the visibility service."""
    found = {
        str(path.relative_to(ROOT / "adjudication")): read
        for path in (ROOT / "adjudication" / "review").rglob("*.py")
        if (read := {_reads(node) for node in ast.walk(ast.parse(path.read_text()))} - {""})
    }
    assert found == READS


def _reads(node: ast.AST) -> str:
    """The model whose rows ``node`` asks for, of those that a phase may hide."""
    asks = isinstance(node, ast.Attribute) and node.attr == "objects"
    model = node.value.id if asks and isinstance(node.value, ast.Name) else ""
    return model if model in HIDDEN else ""
