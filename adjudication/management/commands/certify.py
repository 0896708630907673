"""`manage.py certify`: run Certify over a project's questions, and watch it if asked."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, get_args

import kombu.exceptions
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize

from adjudication import celery_app
from adjudication.accounts.models import User
from adjudication.embedded import DataDirectory
from adjudication.embedded.children import Child, stop_all
from adjudication.errors import Refused
from adjudication.management.base import ProjectCommand
from adjudication.management.commands.serve import workers
from adjudication.management.commands.sweep import INTERVAL
from adjudication.projects.models import Membership, Project, Role
from adjudication.runs import queries, vectors
from adjudication.runs.actions import retry_failed, start_run
from adjudication.runs.models import Attempt, Run
from adjudication.runs.rules import CAUSES, CHECKS, PER_CALL, Configuration, in_words
from adjudication.runs.summary import twin_summary
from adjudication.search.embedding import offered_model
from adjudication.search.retrievers import Kind
from adjudication.specifications.queries import current_or_refuse
from certify_core.metrics.rates import Rate

LOOK = 0.5  # seconds between two looks at the run
SAID = ("check", "sample", "per_call", "budget_calls", "budget_tokens", "twins")
"""Choices of a run that are arguments of their own."""


class Command(ProjectCommand):
    help = "Run Certify over the project's questions under its current specification."
    by_roles = (Role.LEAD,)

    def add_own_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", action="store_true", help="show progress until it is done")
        parser.add_argument("--limit", type=int, help="only the first N questions")
        parser.add_argument("--check", choices=dict(CHECKS), help="entity check (anchor)")
        parser.add_argument(
            "--twins",
            type=int,
            metavar="SEED",
            help="ask each question again without one fact it needs, which the seed draws",
        )
        parser.add_argument("--retriever", choices=get_args(Kind), help="who ranks passages (bm25)")
        parser.add_argument("--model", help="read with this model of READER_MODELS")
        parser.add_argument(
            "--replay",
            type=int,
            metavar="RUN",
            help="read with the stored answers of a run, and search as it did",
        )
        parser.add_argument("--sample", type=int, help="another number than 0 buys afresh")
        parser.add_argument(
            "--per-call", type=int, help=f"passages that go into one call ({PER_CALL})"
        )
        parser.add_argument("--budget-calls", type=int, help="the most calls the run may buy")
        parser.add_argument("--budget-tokens", type=int, help="the most tokens it may buy")
        parser.add_argument(
            "--retry", type=int, metavar="RUN", help="try the failed questions of a run again"
        )

    def act_in(self, project: Project, by: Membership | None, **options: Any) -> None:
        person = by.user if by else None
        run = self.retry(project, person, **options) or self.start(project, person, **options)
        with self.working(options["wait"]) as children:
            if options["wait"]:
                self.watch(run, children)

    def start(
        self,
        project: Project,
        by: User | None,
        *,
        limit: int | None,
        **options: Any,
    ) -> Run:
        if limit is not None and limit < 1:
            raise CommandError("--limit takes a number from 1 on.")
        questions = queries.questions_of(project)[:limit]
        specification = current_or_refuse(project)
        run = start_run(specification, questions, self.configuration(project, **options), by)
        asked = queries.progress(run).questions
        self.say(f"Run {run.number} over {asked} question{pluralize(asked)} under {specification}.")
        return run

    def configuration(
        self, project: Project, *, retriever: Kind | None, **options: Any
    ) -> Configuration:
        """What was said, over what is usual or what the run to replay had."""
        usual = self.usual(project, **options)
        said = {name: options[name] for name in SAID if options[name] is not None}
        if retriever is not None and retriever != usual.retriever:
            model = "" if retriever == "bm25" else offered_model()
            said |= {"retriever": retriever, "embeddings": model}
        return replace(usual, **said)

    def usual(
        self, project: Project, *, model: str | None, replay: int | None, **_: Any
    ) -> Configuration:
        """Where another search would find other passages, no answer is stored for those."""
        if replay is None:
            return Configuration(reader="endpoint", model=model) if model else Configuration()
        if model is not None:
            raise CommandError("Name a model or a run to replay, not both.")
        run = self.run_numbered(project, replay)
        reader = Configuration.replaying(run.pk, run.configuration, str(run))
        kept = Configuration.from_json(run.configuration)
        return replace(kept, budget_calls=None, budget_tokens=None, **reader)

    def run_numbered(self, project: Project, number: int) -> Run:
        run = Run.objects.filter(project=project, number=number).first()
        if run is None:
            raise Refused(f"There is no run {number} in {project.slug!r}.")
        return run

    def retry(
        self, project: Project, by: User | None, *, retry: int | None, **_: Any
    ) -> Run | None:
        if retry is None:
            return None
        run = self.run_numbered(project, retry)
        count = retry_failed(run, by)
        tried = f"{count} failed question{pluralize(count, ' is,s are')} tried again"
        self.say(f"Run {run.number}: {tried}.")
        return run

    @contextmanager
    def working(self, wait: bool) -> Iterator[list[Child]]:
        """Make sure that somebody works: where no worker answers, some of our own if we wait."""
        if worker_answers():
            yield []
            return
        if not wait:
            self.say("No worker answers. The questions wait until one runs: manage.py serve.")
            yield []
            return
        self.say("No worker answers: one runs for the length of this command.")
        children = workers(DataDirectory.at(settings.DATA_DIR))
        for child in children:
            child.start()
        try:
            yield children
        finally:
            stop_all(children)

    def watch(self, run: Run, children: list[Child]) -> None:
        """Show progress until every question has ended; then what came out."""
        swept = time.monotonic()
        while (progress := queries.progress(run)).moving:
            self.show(progress, vectors.way(run))
            for child in children:
                child.revive()
            if time.monotonic() - swept > INTERVAL:
                call_command("sweep", once=True)
                swept = time.monotonic()
            time.sleep(LOOK)
        self.show(progress)
        self.summarise(run, progress)

    def show(self, progress: queries.Progress, way: str = "") -> None:
        line = f"{progress.ended} of {progress.questions} ended"
        if way:
            line += f", {way}"
        if progress.rate:
            line += f", {progress.rate:.1f} per second"
        if progress.left and progress.unfinished:
            line += f", about {in_words(progress.left)} left"
        if progress.twins_left and not progress.unfinished:
            line += f", {progress.twins_left} twins left"
        # A terminal shows one line that changes; a file gets the last one.
        if self.stdout.isatty():
            self.stdout.write(f"\r\x1b[K{line}", ending="" if progress.moving else "\n")
        elif not progress.moving:
            self.say(line)
        self.stdout.flush()

    def summarise(self, run: Run, progress: queries.Progress) -> None:
        agreeing = queries.agreeing(run)
        self.say(f"Certificates: {progress.certified} ({agreeing} equal to a reference answer)")
        self.say(f"Abstentions: {progress.abstained}")
        for cause, count in queries.causes(run).items():
            self.say(f"  {count} {CAUSES[cause]}")
        self.say(f"Failures: {progress.failed}")
        failed = queries.latest_attempts(run).filter(state=Attempt.State.FAILED)
        for attempt in failed.select_related("question")[:5]:
            self.say(f"  {attempt.question.key}: {attempt.error}")
        if twins := twin_summary(run, moving=False):
            self.summarise_twins(twins)

    def summarise_twins(self, twins: dict[str, Any]) -> None:
        dropped = sum(count for _, count in twins["dropped"])
        self.say(f"Twins: {twins['asked']} asked, {dropped} dropped")
        for row in twins["rates"]:
            rate: Rate = row["rate"]
            counts = row.get("counts") or f"{rate.numerator:g} of {rate.denominator}"
            self.say(f"  {row['label']}: {row['value'] or f'undefined, {rate.reason}'} ({counts})")


def worker_answers() -> bool:
    """Whether any worker answers within a second. Raises CommandError without a broker."""
    try:
        with celery_app.connection_or_acquire() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0)
            return bool(celery_app.control.ping(timeout=1, connection=connection))
    except kombu.exceptions.OperationalError as error:
        raise CommandError(
            f"The broker does not answer ({error}); the questions wait in the database."
        ) from error
