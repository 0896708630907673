"""What a lead types about people, and an operator about a new project."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from adjudication.accounts.models import User, refuse_invisible
from adjudication.projects.actions import PUBLIC
from adjudication.projects.models import Membership, Project, ReaderClass, Role

ROLE_HELP = {
    Role.LEAD: "configures, freezes, releases",
    Role.REVIEWER: "judges evidence sets, alone",
    Role.ADJUDICATOR: "decides where reviewers disagree",
    Role.ANNOTATOR: "labels blind audits",
    Role.READER: "reads what was released",
    Role.AUDITOR: "reads the whole record, changes nothing",
}


class MemberForm(forms.Form):
    """Roles and clearances of one person in one project."""

    roles = forms.MultipleChoiceField(
        choices=[(role.value, f"{role.label}: {does}") for role, does in ROLE_HELP.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Roles combine, but nobody adjudicates an item that they judged.",
    )
    reader_classes = forms.MultipleChoiceField(
        label="Cleared for",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Reader classes whose source versions this person may read. None: no source.",
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        project: Project,
        membership: Membership | None = None,
    ) -> None:
        super().__init__(data)
        self.project = project
        classes = project.reader_classes.order_by("title")
        field = self.fields["reader_classes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(one.key, one.title) for one in classes]
        if membership is None:
            self.initial["reader_classes"] = [PUBLIC]
        else:
            self.initial["roles"] = membership.roles
            self.initial["reader_classes"] = [one.key for one in membership.reader_classes.all()]


class AddPersonForm(MemberForm):
    """Somebody who has an account, or a new person.

    The name that others see is asked for new people only: who gives it with a name that is
    taken means somebody else, and clearing the wrong person must not happen by a typo.
    """

    username = forms.SlugField(
        label="Name to sign in",
        max_length=60,
        help_text="Letters, digits, hyphens and underscores. It never changes.",
    )
    display_name = forms.CharField(
        label="Name that others see",
        max_length=120,
        required=False,
        validators=[refuse_invisible],
        help_text="For a new person only. Leave it empty for somebody who has an account.",
    )
    field_order = ["username", "display_name", "roles", "reader_classes"]

    known: User | None = None

    def clean(self) -> dict[str, Any]:
        username, name = (self.cleaned_data.get(key, "") for key in ("username", "display_name"))
        self.known = User.objects.filter(username=username).first()
        if username and self.known is None and "display_name" not in self.errors and not name:
            self.add_error(
                "display_name",
                f"Nobody signs in as {username} yet. Give the name that others see, and an "
                "invitation is made.",
            )
        if self.known is not None:
            self._check_known(self.known, name)
        return self.cleaned_data

    def _check_known(self, known: User, name: str) -> None:
        if name and name != known.display_name:
            self.add_error(
                "username",
                f"{known.username} is the account of {known.display_name}. Choose another name "
                "for a new person; for this one, leave the name that others see empty.",
            )
        elif not known.is_active:
            self.add_error("username", f"The account {known.username} is closed.")
        elif Membership.objects.filter(project=self.project, user=known, active=True).exists():
            self.add_error("username", f"{known.display_name} takes part already.")


class ReaderClassForm(forms.ModelForm):
    class Meta:
        model = ReaderClass
        fields = ["key", "title"]
        labels = {"key": "Short name", "title": "Name"}
        help_texts = {"key": "For files and commands, for example staff. It never changes."}


class ProjectForm(forms.ModelForm):
    class Meta:
        model = Project
        fields = ["title", "slug", "description"]
        labels = {"slug": "Short name"}
        help_texts = {
            "slug": "Part of every address, for example film-study. It never changes.",
            "description": "One or two sentences on what is studied.",
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
