"""What people type into the pages of review, and how it becomes answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict

from adjudication.claims.models import EvidenceSet
from adjudication.review.answers import WORDS, Answers, MemberAnswer, Reason
from adjudication.review.dimensions import DIMENSIONS, Dimension
from adjudication.review.discussion import GUIDELINE_LENGTH, Flag
from adjudication.review.models import MemberJudgement, Verdict


class Prose(forms.CharField):
    """Some lines of text. Browsers count a line break as one character and send two."""

    widget = forms.Textarea

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class AnswersForm(forms.Form):
    """The desk. Reads whatever is there: what is missing is for ``answers.faults`` to say.

    Fields per dimension: ``KEY``, ``KEY-reason``, ``KEY-words``; per member, counted from 1:
    ``needed-N`` and ``barred-N``. The evidence itself is in none of them.
    """

    def __init__(self, data: QueryDict, *, members: Sequence[UUID], before: Answers) -> None:
        """``before`` are the answers last saved: they alone tell what was measured."""
        super().__init__(data)
        self._members = members
        self._before = before
        for dimension in DIMENSIONS:
            self.fields |= _fields_of(dimension)
        for number in range(1, len(members) + 1):
            self.fields[f"needed-{number}"] = forms.ChoiceField(
                choices=MemberJudgement.Needed.choices, required=False
            )
            self.fields[f"barred-{number}"] = forms.BooleanField(required=False)

    def answers(self) -> Answers:
        """What could be read; a value that cannot be an answer counts as none."""
        self.is_valid()
        given = {d.key: self._text(d.key) for d in DIMENSIONS if self._text(d.key)}
        reasons = {d.key: self._reason(d) for d in DIMENSIONS}
        members = enumerate(self._members, start=1)
        return Answers(
            given=given,
            reasons={key: reason for key, reason in reasons.items() if reason != Reason()},
            members={key: self._member(key, number) for number, key in members},
        )

    def _text(self, name: str) -> str:
        return str(self.cleaned_data.get(name, ""))

    def _reason(self, dimension: Dimension) -> Reason:
        key = dimension.key
        return Reason(self._text(f"{key}-reason"), self._text(f"{key}-words"))

    def _member(self, key: UUID, number: int) -> MemberAnswer:
        needed = self._text(f"needed-{number}")
        before = self._before.member(key)
        return MemberAnswer(
            needed=needed,
            # Whoever answers otherwise than was measured asserts it.
            measured=before.measured and before.needed == needed,
            admissible=not self.cleaned_data.get(f"barred-{number}", False),
        )


def _fields_of(dimension: Dimension) -> dict[str, forms.Field]:
    key = dimension.key
    options = [(option.key, option.label) for option in dimension.options]
    choices = [(choice.key, choice.label) for choice in dimension.choices]
    return {
        key: forms.ChoiceField(choices=options, required=False),
        f"{key}-reason": forms.ChoiceField(choices=choices, required=False),
        f"{key}-words": Prose(required=False),
    }


def _words(label: str, **more: Any) -> Prose:
    return Prose(label=label, max_length=WORDS, widget=forms.Textarea(attrs={"rows": 3}), **more)


class OpeningForm(forms.Form):
    origins = forms.MultipleChoiceField(
        label="Proposed sets to open",
        choices=EvidenceSet.Origin.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one kind."},
    )
    eligible_only = forms.BooleanField(
        label="Only sets within the specification",
        required=False,
        help_text="Without those that have a member in a version which does not count.",
    )


class AmendmentForm(forms.Form):
    reason = _words("Why you amend your judgement")


class VerdictForm(forms.Form):
    decision = forms.ChoiceField(
        label="Your decision",
        choices=[
            (Verdict.Decision.ACCEPTED, "accept the set"),
            (Verdict.Decision.REJECTED, "reject the set"),
        ],
        widget=forms.RadioSelect,
        help_text="It need not be what any reviewer answered.",
        error_messages={"required": "Choose one."},
    )
    reason = _words("Reason", help_text="It stays with the verdict.")
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)


class ReopeningForm(forms.Form):
    reason = _words(
        "Why this verdict is in question",
        help_text="It stays on record, and so does the verdict.",
    )


class FreshRoundForm(forms.Form):
    reason = _words(
        "Why these judgements do not settle it",
        help_text="Other reviewers judge the set anew and do not see this.",
    )


class CommentForm(forms.Form):
    # On the desk it stands in the form of the answers, which are sealed without a comment.
    use_required_attribute = False

    comment = _words("Comment", help_text="It stays on record and cannot be changed.")


class FlagForm(forms.Form):
    use_required_attribute = False

    flag = forms.ChoiceField(
        label="What is wrong",
        choices=[("", "choose"), *Flag.Kind.choices],
        help_text="A conflict of interest hands the item back for good; any other flag leaves it "
        "in your hands, to be judged or skipped.",
        error_messages={"required": "Choose what is wrong."},
    )
    flag_words = _words("In your words", required=False)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("flag") == Flag.Kind.OTHER and not given.get("flag_words"):
            self.add_error("flag_words", "Say what is wrong.")
        return given


UNSENT = ("comment", "flag", "flag_words")
"""What is typed on the desk beside the answers, by field of the two forms above."""


def unsent_of(posted: QueryDict) -> dict[str, str]:
    """What stands in these fields, sendable or not."""
    given = {name: posted.get(name, "").replace("\0", "") for name in UNSENT}
    return {name: value for name, value in given.items() if value}


class FlagResolutionForm(forms.Form):
    reason = _words("What became of it", help_text="It stays with the flag.")


class GuidelineForm(forms.Form):
    text = Prose(
        label="Guidelines",
        max_length=GUIDELINE_LENGTH,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18}),
        help_text="Markdown: # headings, lists, > quotes, **strong**, *emphasis*, `code`. "
        "Anything else is shown as it stands.",
    )
    reason = _words("Why you change them")
    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=36)

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).strip("\n")
        if not text.strip():
            raise forms.ValidationError("Write the guidelines first.")
        return text


class CarryOverForm(forms.Form):
    reason = _words("Why these verdicts still hold", help_text="It stays with them.")
