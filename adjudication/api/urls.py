"""Every address below ``/api/v1/``. Each is written down in docs/api.md."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from adjudication.api.views import claims, imports, projects, search, sources, texts
from adjudication.api.views.base import Nowhere

IN_PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("projects", projects.Projects.as_view()),
    path("projects/<slug:slug>", projects.Project.as_view()),
    path(IN_PROJECT + "rules", projects.Rules.as_view()),
    path(IN_PROJECT + "sources", sources.Sources.as_view()),
    path(IN_PROJECT + "sources/<uuid:source_id>", sources.OneSource.as_view()),
    path(IN_PROJECT + "sources/<uuid:source_id>/versions", sources.Versions.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>", sources.OneVersion.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>/text", texts.Text.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>/snapshot", sources.Snapshot.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>/spans", texts.Spans.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>/notes", sources.Notes.as_view()),
    path(IN_PROJECT + "versions/<uuid:version_id>/invalidation", sources.Invalidation.as_view()),
    path(IN_PROJECT + "spans/<uuid:span_id>", texts.OneSpan.as_view()),
    path(IN_PROJECT + "questions", claims.Questions.as_view()),
    path(IN_PROJECT + "questions/<uuid:question_id>", claims.OneQuestion.as_view()),
    path(IN_PROJECT + "claims/<uuid:claim_id>", claims.OneClaim.as_view()),
    path(IN_PROJECT + "claims/<uuid:claim_id>/evidence-sets", claims.EvidenceSets.as_view()),
    path(IN_PROJECT + "claims/<uuid:claim_id>/contradictions", claims.Contradictions.as_view()),
    path(IN_PROJECT + "imports", imports.Imports.as_view()),
    path(IN_PROJECT + "imports/<uuid:import_id>", imports.OneImport.as_view()),
    path(IN_PROJECT + "imports/<uuid:import_id>/bytes", imports.Pieces.as_view()),
    path(IN_PROJECT + "imports/<uuid:import_id>/problems", imports.Problems.as_view()),
    path(IN_PROJECT + "imports/<uuid:import_id>/confirmation", imports.Confirmation.as_view()),
    path(IN_PROJECT + "imports/<uuid:import_id>/retry", imports.Retry.as_view()),
    path(IN_PROJECT + "search", search.Search.as_view()),
    path(IN_PROJECT + "specifications", projects.Specifications.as_view()),
    path(IN_PROJECT + "specifications/<int:number>", projects.Specification.as_view()),
]

# Last: whatever is none of these, for whoever is signed in.
anywhere_else = path("<path:rest>", Nowhere.as_view())
