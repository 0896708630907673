"""The whole site map. Every address below ``p/<slug>/`` is a page of one project."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path

from adjudication import home
from adjudication.claims import views as claims
from adjudication.corpus import views as corpus
from adjudication.health import healthz
from adjudication.projects import journal_pages
from adjudication.projects import views as projects
from adjudication.releases import views as releases
from adjudication.review import views as review
from adjudication.runs import views as runs
from adjudication.specifications import views as specifications

project_pages: list[URLPattern | URLResolver] = [
    path("", home.project_home, name="project-home"),
    path("specification/", specifications.specifications, name="specifications"),
    path("specification/start/", specifications.start, name="specification-start"),
    path("specification/draft/", specifications.draft, name="specification-draft"),
    path("specification/freeze/", specifications.freeze, name="specification-freeze"),
    path("specification/rules/", specifications.rules, name="specification-rules"),
    path(
        "specification/rules/standard/",
        specifications.standard_rules,
        name="specification-standard-rules",
    ),
    path("specification/<int:number>/", specifications.specification, name="specification"),
    path("journal/", journal_pages.journal, name="journal"),
    path("people/", projects.people, name="people"),
    path("corpus/", corpus.sources, name="sources"),
    path("claims/", claims.claims, name="claims"),
    path("runs/", runs.runs, name="runs"),
    path("releases/", releases.releases, name="releases"),
    path("review/", review.review, name="review"),
    path("adjudication/", review.adjudication, name="adjudication"),
]

urlpatterns = [
    path("", home.projects, name="home"),
    path("healthz", healthz, name="healthz"),
    path("sign-in/", LoginView.as_view(template_name="accounts/sign_in.html"), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("p/<slug:slug>/", include(project_pages)),
]

handler500 = "adjudication.health.server_error"
