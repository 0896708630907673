"""Records that must never change do not change, whoever asks and however."""

from __future__ import annotations

import psycopg
import pytest
from django.apps import apps
from django.db import connection

from adjudication.append_only import AppendOnly, AppendOnlyError
from adjudication.embedded import Addresses
from tests.conftest import CommittedDatabase
from tests.factories import make_project, make_version

APPEND_ONLY = sorted(
    (model for model in apps.get_models() if issubclass(model, AppendOnly)),
    key=lambda model: model._meta.db_table,
)
TABLES = [model._meta.db_table for model in APPEND_ONLY]


def test_append_only_tables_are_those_of_the_domain() -> None:
    """Forgetting to protect a new record, or unprotecting an old one, changes this list."""
    assert TABLES == [
        "claims_claim",
        "claims_claimdecision",
        "claims_contradiction",
        "claims_contradictionspan",
        "claims_evidencemember",
        "claims_evidenceset",
        "claims_evidencesetrule",
        "claims_inferencerule",
        "claims_premisenote",
        "claims_question",
        "claims_requirementgraph",
        "corpus_clearance",
        "corpus_invalidation",
        "corpus_source",
        "corpus_sourceversion",
        "corpus_span",
        "corpus_successor",
        "corpus_tightening",
        "integrity_fault",
        "journal_entry",
        "journal_exposure",
        "releases_annotationversion",
        "releases_frozenitem",
        "review_carryover",
        "review_comment",
        "review_flag",
        "review_flagresolution",
        "review_freshround",
        "review_guideline",
        "review_judgement",
        "review_memberjudgement",
        "review_reopening",
        "review_verdict",
        "runs_outcome",
        "runs_readanswer",
        "runs_readeranswer",
        "runs_readercall",
        "runs_readerfailure",
        "runs_readernote",
        "runs_recordedlink",
        "runs_recordedsearch",
        "runs_run",
        "runs_twin",
        "scoring_citation",
        "scoring_output",
        "scoring_outputclaim",
        "scoring_retrieved",
        "scoring_systemrun",
        "search_vector",
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("table", TABLES)
def test_application_role_has_no_right_to_change(table: str) -> None:
    """The role of the application may read and add, nothing else."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT privilege_type FROM information_schema.role_table_grants"
            " WHERE table_name = %s AND grantee = current_user ORDER BY 1",
            [table],
        )
        assert [row[0] for row in cursor.fetchall()] == ["INSERT", "SELECT"]


@pytest.mark.django_db
@pytest.mark.parametrize("table", TABLES)
def test_triggers_are_always_on(table: str) -> None:
    """Both triggers are there and fire even when replication switches ordinary ones off."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled FROM pg_trigger"
            " WHERE tgrelid = %s::regclass AND tgname LIKE 'append_only%%' ORDER BY 1",
            [table],
        )
        assert cursor.fetchall() == [("append_only_row", "A"), ("append_only_truncate", "A")]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE corpus_sourceversion SET text = 'changed'",
        "DELETE FROM corpus_sourceversion",
        "TRUNCATE corpus_sourceversion CASCADE",
        "SET session_replication_role = replica; DELETE FROM corpus_sourceversion",
    ],
)
def test_owner_is_refused(committed: CommittedDatabase, statement: str) -> None:
    """The owner of the table, who holds every privilege, is stopped by the triggers."""
    version = make_version(make_project())
    refusals = (psycopg.errors.IntegrityError, psycopg.errors.InsufficientPrivilege)
    owner = psycopg.connect(committed.environment["DATABASE_OWNER_URL"])
    with owner, pytest.raises(refusals):
        owner.execute(statement)
    version.refresh_from_db()
    assert version.text.startswith("Cedar")


@pytest.mark.django_db
def test_python_refuses_to_change_or_delete() -> None:
    """Code fails at once, with words, instead of at the database."""
    version = make_version(make_project())
    version.text = "changed"
    with pytest.raises(AppendOnlyError, match="never changed"):
        version.save()
    with pytest.raises(AppendOnlyError, match="never deleted"):
        version.delete()


def test_servers_are_real(servers: Addresses) -> None:
    """The rules above are tested on the PostgreSQL that is shipped."""
    with psycopg.connect(servers.app) as application:
        assert application.info.server_version >= 180000
        assert application.info.user == "certify_app"
