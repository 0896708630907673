"""To look at a file by storing it and taking that back.

A preview made so cannot promise what the import would refuse, and needs no second account of
what is new.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection, transaction

from adjudication.imports.reports import Report, Watch
from certify_core.datasets.records import Problem


def taken_back(watch: Watch, store: Callable[[Watch], Report]) -> Report:
    """What ``store`` reports. Nothing of what it wrote stays; its problems go to ``watch``."""
    holding = _Holding(watch)
    with transaction.atomic():
        report = store(holding)
        with connection.cursor() as cursor:
            # What the database checks at the end of a transaction, it checks now.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
    for problem in holding.problems:
        watch.problem(problem)
    return report


class _Holding:
    """Holds problems until the transaction is taken back: a watch may store them as rows."""

    def __init__(self, watch: Watch) -> None:
        self.progress = watch.progress
        self.problems: list[Problem] = []

    def problem(self, problem: Problem) -> None:
        self.problems.append(problem)
