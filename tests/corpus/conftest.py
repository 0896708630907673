from __future__ import annotations

import pytest
from django.test import Client

from adjudication.projects.models import Project
from tests.conftest import Cast, client_for


@pytest.fixture
def lead(cast: Cast) -> Client:
    return client_for(cast.lead)


@pytest.fixture
def public(project: Project) -> str:
    """The id of the reader class "public", as a form sends it."""
    return str(project.reader_classes.get(key="public").pk)
