"""A lead downloads a bundle of what they may read, and takes it in elsewhere."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from adjudication.corpus.models import SourceVersion
from adjudication.projects.actions import add_reader_class
from adjudication.projects.models import Project
from tests.conftest import Cast, client_for
from tests.core.datasets.bundles import as_file, counted, example, first
from tests.factories import make_claim, make_evidence_set, make_project
from tests.imports.bundles import bundle_of
from tests.runs.specified import freeze

pytestmark = pytest.mark.django_db
BUNDLE = "/p/film-study/corpus/bundle/"
FILE = f"{BUNDLE}file/"


def test_lead_downloads_what_the_command_writes(
    project: Project, cast: Cast, tmp_path: Path
) -> None:
    """Page and command give the same bytes, under a name that says for whom."""
    make_evidence_set(make_claim(project))
    client = client_for(cast.lead)
    assert "For the reader class" in client.get(BUNDLE).content.decode()
    response = client.get(FILE, {"reader_class": "public"})
    data = response.getvalue()
    assert "film-study-public.bundle.jsonl" in response["Content-Disposition"]
    assert data == bundle_of(project)
    path = tmp_path / "out.jsonl"
    out = StringIO()
    for _ in range(2):
        call_command("export_bundle", "film-study", str(path), stdout=out)
    assert path.read_bytes() == data
    assert "Already there, with the same bytes" in out.getvalue()
    make_project("other")
    call_command("import_data", "other", str(path), "--format", "bundle", stdout=out)
    assert "evidence sets: 1 new, 0 already there" in out.getvalue()
    assert SourceVersion.objects.filter(source__project__slug="other").count() == 2


def test_unknown_class_can_be_called_another(project: Project, tmp_path: Path) -> None:
    """Only by saying so, class by class; one that the project has keeps its name."""
    lines = [line for line in example() if line["record"] != "withheld"]
    first(lines, "version")["reader_classes"] = ["counsel", "public"]
    path = tmp_path / "in.jsonl"
    path.write_bytes(as_file(counted(lines)))
    add_reader_class(project, key="legal", title="Legal", actor=None)
    command = ["import_data", "film-study", str(path), "--format", "bundle"]
    with pytest.raises(CommandError, match=r"no reader class counsel; .* with --call"):
        call_command(*command, stdout=StringIO())
    for wrong, words in (("counsel", "no pair"), ("counsel=staff", "No reader class staff")):
        with pytest.raises(CommandError, match=words):
            call_command(*command, "--call", wrong, stdout=StringIO())
    call_command(*command, "--call", "counsel=legal", "public=legal", stdout=StringIO())
    version = SourceVersion.objects.get(source__key="salt-road")
    assert {one.reader_class.key for one in version.clearances.all()} == {"legal", "public"}


def test_one_specification_can_be_chosen(project: Project, cast: Cast) -> None:
    """The file's name says which, and only a frozen one of this project is offered."""
    make_evidence_set(make_claim(project))
    freeze(project)
    freeze(make_project())
    client = client_for(cast.lead)
    assert client.get(BUNDLE).content.decode().count("eligible under specification") == 1
    response = client.get(FILE, {"reader_class": "public", "specification": "1"})
    assert "film-study-specification-1-public" in response["Content-Disposition"]
    assert client.get(FILE, {"reader_class": "public", "specification": "9"}).status_code == 422
    with pytest.raises(CommandError, match="no frozen specification 9"):
        call_command("export_bundle", "film-study", "/nowhere/x", "--specification", "9")


@pytest.mark.parametrize("reader_class", ["legal", "nothing", "", "a\0b"])
def test_lead_gives_out_only_what_they_may_read(
    project: Project, cast: Cast, reader_class: str
) -> None:
    """A class that the lead does not hold is as one that there is not."""
    add_reader_class(project, key="legal", title="Legal", actor=None)
    client = client_for(cast.lead)
    assert "Legal" not in client.get(BUNDLE).content.decode()
    assert client.get(FILE, {"reader_class": reader_class}).status_code == 422


@pytest.mark.parametrize("name", ["rosa", "adjudicator", "auditor", "reader"])
@pytest.mark.parametrize("path", [BUNDLE, f"{FILE}?reader_class=public"])
def test_only_leads_export(project: Project, cast: Cast, name: str, path: str) -> None:
    """It says which sets a run proposed, which who judges must not learn."""
    assert client_for(getattr(cast, name)).get(path).status_code == 403
    assert client_for(cast.stranger).get(path).status_code == 404
