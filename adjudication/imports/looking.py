"""To look at a file by storing it and taking that back.

A preview made so cannot promise what the import would refuse, and needs no second account of
what is new.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction

from adjudication.imports.reports import Report


def taken_back(store: Callable[[], Report]) -> Report:
    """What ``store`` reports. Nothing of what it wrote stays."""
    with transaction.atomic():
        report = store()
        with connection.cursor() as cursor:
            # What the database checks at the end of a transaction, it checks now.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
    return report
