"""The forms that start a run and raise its budget."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.forms.utils import ErrorDict

from adjudication.claims.models import Question
from adjudication.errors import Refused
from adjudication.runs import vectors
from adjudication.runs.models import Run, RunControl
from adjudication.runs.queries import questions_of, replayable, without_outcome
from adjudication.runs.rules import (
    CHECKS,
    MAX_PER_CALL,
    MAX_SAMPLE,
    MAX_SEED,
    MOST_RANKS,
    Configuration,
)
from adjudication.specifications.models import Specification

AS_USUAL = Configuration()
FOUND = 20  # questions that a search lists to tick
LONGEST = 100  # characters of a schedule
MOST_QUESTIONS = 2**31 - 1  # no project has so many, and the database counts no further


class ReplayField(forms.ModelChoiceField):
    """A run that asked a model, named with what the next one has to search by."""

    def label_from_instance(self, run: Run) -> str:
        chosen = Configuration.from_json(run.configuration)
        return f"{run}: {chosen.model}, {chosen.retriever}, entity check {chosen.check}"


class NewRunForm(forms.Form):
    """Which questions, read and searched how, for how much. ``key`` makes a second click harmless.

    Once valid, ``cleaned_data["configuration"]`` is what was chosen. While somebody is ``finding``
    questions nothing is refused yet.
    """

    key = forms.UUIDField(initial=uuid.uuid4, widget=forms.HiddenInput)
    which = forms.ChoiceField(label="Questions", widget=forms.RadioSelect, initial="all")
    first = forms.IntegerField(
        label="How many",
        required=False,
        min_value=1,
        max_value=MOST_QUESTIONS,
        help_text="Only for “the first …”, in the order of their import.",
    )
    words = forms.CharField(label="Words of a question", required=False, max_length=200)
    chosen = forms.Field(label="Ticked", required=False, widget=forms.MultipleHiddenInput)
    reader = forms.ChoiceField(label="Reader", widget=forms.RadioSelect, initial="offline")
    replays = ReplayField(
        Run.objects.none(),
        label="Run to replay",
        required=False,
        help_text="Only for the recorded reader. Its model, sample and passages in a call hold. "
        "Choose its retriever and entity check below: another search finds other passages, for "
        "which no answer is stored.",
    )
    retriever = forms.ChoiceField(label="Retriever", widget=forms.RadioSelect, initial="bm25")
    check = forms.ChoiceField(
        label="Entity check",
        choices=CHECKS,
        initial=AS_USUAL.check,
        widget=forms.RadioSelect,
        help_text="Whether a passage is about exactly the entity that a step names.",
    )
    twins = forms.BooleanField(
        label="With twins",
        required=False,
        help_text="Each question is asked again over the corpus without one fact that its answer "
        "needs, where that can be done. Abstaining is right then, and what comes out is counted "
        "apart.",
    )
    budget_calls = forms.IntegerField(
        label="Calls at the most", required=False, min_value=1, max_value=2**63 - 1
    )
    budget_tokens = forms.IntegerField(
        label="Tokens at the most",
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Calls that are under way when they are spent still come in.",
    )
    schedule = forms.CharField(
        label="Rank windows",
        initial=", ".join(map(str, AS_USUAL.schedule)),
        max_length=LONGEST,
        help_text="How many passages each round of a lookup reads. The next round is read only "
        "where the one before gave nothing that counts.",
    )
    stop_on = forms.ChoiceField(
        label="A lookup’s rounds end with",
        choices=(("accepted", "a passage that counts"), ("any", "any passage that states a value")),
        initial=AS_USUAL.stop_on,
        widget=forms.RadioSelect,
    )
    verifications = forms.IntegerField(
        label="Second readings of a lookup",
        initial=AS_USUAL.verifications,
        min_value=0,
        max_value=MOST_RANKS,
        help_text="How many passages that are not anchored the reader is asked about again.",
    )
    conflict = forms.ChoiceField(
        label="Values that cannot both be right",
        choices=(
            ("strict", "Abstain, and name the passages"),
            ("lenient", "Keep the best ranked, and say so"),
        ),
        initial=AS_USUAL.conflict,
        widget=forms.RadioSelect,
    )
    partial = forms.ChoiceField(
        label="A title that names only part of a longer name",
        choices=(
            ("verify", "is not anchored: “The Room” under “Inside the Room”"),
            ("anchor", "is anchored all the same"),
        ),
        initial=AS_USUAL.partial,
        widget=forms.RadioSelect,
    )
    suffix = forms.ChoiceField(
        label="What stands in parentheses behind a title",
        choices=(("fit", "must fit the question: “(1931 film)”"), ("drop", "is left aside")),
        initial=AS_USUAL.suffix,
        widget=forms.RadioSelect,
    )
    aliases = forms.BooleanField(
        label="Names that a first sentence gives (“known as …”) count as titles",
        initial=AS_USUAL.aliases,
        required=False,
    )
    places = forms.BooleanField(
        label="“Reno, Nevada” counts as “Reno” while no other Reno is stored",
        initial=AS_USUAL.places,
        required=False,
    )
    per_call = forms.IntegerField(
        label="Passages in a call",
        initial=AS_USUAL.per_call,
        min_value=1,
        max_value=MAX_PER_CALL,
        help_text="Only for a model: how many passages it is asked about at once.",
    )
    sample = forms.IntegerField(
        label="Sample",
        initial=AS_USUAL.sample,
        min_value=0,
        max_value=MAX_SAMPLE,
        help_text="Only for a model. What was answered under the same number is not bought "
        "again; another number buys fresh answers.",
    )

    seed = forms.IntegerField(
        label="Seed of the twins",
        initial=0,
        min_value=0,
        max_value=MAX_SEED,
        help_text="Draws which fact each twin loses.",
    )

    SEARCHING = (
        "schedule",
        "stop_on",
        "verifications",
        "conflict",
        "partial",
        "suffix",
        "aliases",
        "places",
    )
    MORE = (*SEARCHING, "seed", "per_call", "sample")
    """What is folded away: the choices that are left as they are in most runs."""

    def __init__(
        self, *args: Any, specification: Specification, finding: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.finding = finding
        self.every = questions_of(specification.project)
        self.remaining = without_outcome(specification)
        runs = replayable(specification.project)
        self._offer("which", self._whiches(specification))
        self._offer("reader", list(_readers(bool(runs))))
        self._offer("retriever", list(_retrievers()))
        if runs:
            self.fields["replays"].queryset = runs  # type: ignore[attr-defined]
        else:
            del self.fields["replays"]
        if settings.READER is None:
            for name in ("budget_calls", "budget_tokens", "per_call", "sample"):
                del self.fields[name]

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _whiches(self, specification: Specification) -> list[tuple[str, str]]:
        left = self.remaining.count()
        return [
            ("all", f"All {self.every.count()}"),
            ("remaining", f"The {left} without an outcome under {specification}"),
            ("first", "The first …"),
            ("chosen", "Those ticked below"),
        ]

    # --- Parts of the page ---

    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MORE if name in self.fields]

    def more_wrong(self) -> bool:
        """Whether a field that is folded away has an error."""
        return any(name in self.errors for name in self.MORE)

    def to_tick(self) -> list[dict[str, Any]]:
        """Those ticked so far, then what the words find."""
        ticked = [one for one in map(_as_uuid, self._ticked()) if one]
        shown = list(self.every.filter(pk__in=ticked))
        words = str(self["words"].value() or "").replace("\0", "").strip()
        if words:
            found = self.every.exclude(pk__in=ticked).filter(text__icontains=words)
            shown += found[:FOUND]
        return [{"question": one, "ticked": one.pk in ticked} for one in shown]

    def _ticked(self) -> list[str]:
        return list(self["chosen"].value() or []) if self.is_bound else []

    # --- What was entered ---

    def full_clean(self) -> None:
        if self.finding:
            self._errors, self.cleaned_data = ErrorDict(), {}
        else:
            super().full_clean()

    def clean_chosen(self) -> list[Question]:
        ids = [_as_uuid(one) for one in self._ticked()]
        found = list(self.every.filter(pk__in=[one for one in ids if one]))
        if len(found) < len(set(ids)):
            raise forms.ValidationError("A ticked question is not in this project.")
        return found

    def clean_schedule(self) -> tuple[int, ...]:
        words = self.cleaned_data["schedule"].replace(",", " ").replace("/", " ").split()
        if not all(word.isascii() and word.isdigit() for word in words):
            raise forms.ValidationError("Enter whole numbers such as 5, 5, 10.")
        return tuple(map(int, words))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self._check_questions(cleaned)
        self._check_reader(cleaned)
        if not self.errors:
            try:
                cleaned["configuration"] = self._configuration(cleaned)
            except Refused as error:
                self.add_error(None, str(error))
            else:
                self._check_vectors(cleaned["configuration"])
        return cleaned

    def _check_vectors(self, chosen: Configuration) -> None:
        try:
            vectors.check_possible(chosen)
        except Refused as error:
            self.add_error("retriever", str(error))

    def _check_questions(self, cleaned: dict[str, Any]) -> None:
        which, ticked = cleaned.get("which"), cleaned.get("chosen")
        if which == "first" and not cleaned.get("first") and "first" in cleaned:
            self.add_error("first", "Say how many questions.")
        if which == "chosen" and ticked == []:
            self.add_error("chosen", "Tick at least one question: search for some of its words.")
        if which in ("all", "remaining", "first") and ticked:
            self.add_error(
                "which", f"{len(ticked)} are ticked below: choose those, or untick them."
            )

    def _check_reader(self, cleaned: dict[str, Any]) -> None:
        reader = cleaned.get("reader", "")
        if reader == "recorded" and not cleaned.get("replays") and "replays" in cleaned:
            self.add_error("replays", "Choose the run whose answers are to be taken.")
        if not reader.startswith("endpoint:"):
            for name in ("budget_calls", "budget_tokens"):
                if cleaned.get(name):
                    self.add_error(name, "Only a model is paid for; leave this empty.")

    def _configuration(self, cleaned: dict[str, Any]) -> Configuration:
        chosen = {name: cleaned[name] for name in ("check", "retriever", *self.SEARCHING)}
        chosen["twins"] = cleaned["seed"] if cleaned["twins"] else None
        if settings.EMBEDDINGS and chosen["retriever"] != "bm25":
            chosen["embeddings"] = settings.EMBEDDINGS.model
        reader, _, model = cleaned["reader"].partition(":")
        if reader == "endpoint":
            paid = ("per_call", "sample", "budget_calls", "budget_tokens")
            chosen |= {"reader": reader, "model": model} | {name: cleaned[name] for name in paid}
        if reader == "recorded":
            run = cleaned["replays"]
            chosen |= Configuration.replaying(run.pk, run.configuration, str(run))
        return Configuration(**chosen)

    def questions(self) -> QuerySet[Question] | Sequence[Question]:
        which = self.cleaned_data["which"]
        if which == "chosen":
            chosen: list[Question] = self.cleaned_data["chosen"]
            return chosen
        if which == "remaining":
            return self.remaining
        return self.every[: self.cleaned_data["first"]] if which == "first" else self.every


def _readers(recorded: bool) -> Iterator[tuple[str, str]]:
    yield "offline", "Offline: reads by rules. No model is asked and nothing is paid."
    for model in settings.READER.models if settings.READER else ():
        yield f"endpoint:{model}", f"Model {model}: asked at the endpoint, and paid for."
    if recorded:
        yield "recorded", "Recorded: takes the stored answers of another run and asks nobody."


def _retrievers() -> Iterator[tuple[str, str]]:
    yield "bm25", "Words: BM25 over a frozen index."
    if settings.EMBEDDINGS:
        model = settings.EMBEDDINGS.model
        yield "dense", f"Meaning: vectors of {model}. Texts without one are embedded first."
        yield "hybrid", "Both: the two rankings joined by reciprocal rank fusion."


def _as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


class BudgetForm(forms.Form):
    """What a run may buy in all. Only a budget that it started with can be raised."""

    calls = forms.IntegerField(label="Calls in all", required=False, min_value=1)
    tokens = forms.IntegerField(label="Tokens in all", required=False, min_value=1)

    def __init__(
        self, *args: Any, control: RunControl, told: Collection[str], **kwargs: Any
    ) -> None:
        """``told`` names the budgets of which it may be said how much is spent."""
        super().__init__(*args, **kwargs)
        present = {"calls": control.budget_calls, "tokens": control.budget_tokens}
        used = {"calls": control.calls, "tokens": control.tokens}
        for name, budget in present.items():
            if budget is None:
                del self.fields[name]
            else:
                self.fields[name].initial = budget
                if name in told:
                    self.fields[name].help_text = f"{used[name]:,} of {budget:,} are bought."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not any(cleaned.values()):
            raise forms.ValidationError("Enter how much may be bought in all.")
        return cleaned
