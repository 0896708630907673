"""`sweep`: one sweeper at a time, however many are started."""

import psycopg
import pytest
from django.db import connection

from adjudication.embedded import Addresses
from adjudication.management.commands.sweep import LOCK, only_sweeper

pytestmark = pytest.mark.django_db


def test_second_sweeper_waits_for_its_turn(servers: Addresses) -> None:
    """While another process sweeps, this one does nothing; afterwards it may."""
    with psycopg.connect(servers.app, autocommit=True) as other:
        other.execute(f"SELECT pg_advisory_lock({LOCK})")
        with only_sweeper() as alone:
            assert not alone
        other.execute(f"SELECT pg_advisory_unlock({LOCK})")
    with only_sweeper() as alone:
        assert alone


def test_sweeper_gives_the_lock_back_after_a_failure(servers: Addresses) -> None:
    """A sweep that fails must not keep all later ones out."""
    with pytest.raises(RuntimeError), only_sweeper():
        raise RuntimeError
    assert connection.connection is not None
    with psycopg.connect(servers.app, autocommit=True) as other:
        row = other.execute(f"SELECT pg_try_advisory_lock({LOCK})").fetchone()
    assert row == (True,)
