"""The whole site map. Every address below ``p/<slug>/`` is a page of one project."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path

from adjudication import clearance_page, freeze_page, home
from adjudication.accounts import views as accounts
from adjudication.api import urls as api
from adjudication.claim_page import views as claim_page
from adjudication.claims import views as claims
from adjudication.corpus import newer_views as newer
from adjudication.corpus import views as corpus
from adjudication.health import healthz
from adjudication.imports import views as imports
from adjudication.imports.bundle import views as bundles
from adjudication.integrity import views as integrity
from adjudication.projects import journal_pages
from adjudication.projects import views as projects
from adjudication.releases import views as releases
from adjudication.releases.access import auditors_after_release, auditors_after_release_of_test
from adjudication.review import views as review
from adjudication.review.access import reviewers_where_permitted
from adjudication.runs import views as runs
from adjudication.scoring import views as scoring
from adjudication.search import views as search
from adjudication.specifications import views as specifications

project_pages: list[URLPattern | URLResolver] = [
    path("", home.project_home, name="project-home"),
    path("specification/", specifications.specifications, name="specifications"),
    path("specification/start/", specifications.start, name="specification-start"),
    path("specification/draft/", specifications.draft, name="specification-draft"),
    path("specification/discard/", specifications.discard, name="specification-discard"),
    path("specification/freeze/", freeze_page.freeze, name="specification-freeze"),
    path("specification/rules/", specifications.rules, name="specification-rules"),
    path(
        "specification/rules/standard/",
        specifications.standard_rules,
        name="specification-standard-rules",
    ),
    path("specification/<int:number>/", specifications.specification, name="specification"),
    path(
        "specification/<int:number>/agreement/",
        auditors_after_release_of_test(review.agreement),
        name="agreement",
    ),
    path("journal/", journal_pages.journal, name="journal"),
    path("journal/exposures/", journal_pages.exposures, name="exposures"),
    path("people/", projects.people, name="people"),
    path("people/add/", projects.add_person, name="add-person"),
    path("people/reader-class/", projects.add_reader_class, name="add-reader-class"),
    path("people/<uuid:member_id>/", projects.person, name="person"),
    path("people/<uuid:member_id>/deactivate/", projects.deactivate, name="deactivate-person"),
    path("people/<uuid:member_id>/link/", projects.password_link, name="password-link"),
    path("corpus/", corpus.sources, name="sources"),
    path("corpus/search/", search.search, name="search"),
    path("corpus/integrity/", integrity.integrity, name="integrity"),
    path("corpus/integrity/check/", integrity.check, name="check-integrity"),
    path("corpus/capture/", corpus.capture, name="capture-source"),
    path("corpus/bundle/", bundles.page, name="bundle"),
    path("corpus/bundle/file/", bundles.download, name="bundle-file"),
    path("corpus/import/", imports.new, name="import-data"),
    path("corpus/import/pieces/", imports.announce, name="import-announce"),
    path("corpus/imports/", imports.imports, name="imports"),
    path("corpus/imports/<uuid:import_id>/", imports.show, name="import"),
    path("corpus/imports/<uuid:import_id>/pieces/", imports.piece, name="import-piece"),
    path("corpus/imports/<uuid:import_id>/progress/", imports.progress, name="import-progress"),
    path("corpus/imports/<uuid:import_id>/confirm/", imports.confirm, name="import-confirm"),
    path("corpus/imports/<uuid:import_id>/discard/", imports.discard, name="import-discard"),
    path("corpus/imports/<uuid:import_id>/retry/", imports.retry, name="import-retry"),
    path("corpus/sources/<uuid:source_id>/", corpus.source, name="source"),
    path("corpus/sources/<uuid:source_id>/capture/", corpus.capture, name="capture-version"),
    path("corpus/sources/<uuid:source_id>/diff/", newer.diff, name="source-diff"),
    path("corpus/spans/<uuid:span_id>/again/", newer.again, name="span-again"),
    path("corpus/versions/<uuid:version_id>/", corpus.version, name="version"),
    path("corpus/versions/<uuid:version_id>/spans/", corpus.cut, name="cut-span"),
    path(
        "corpus/versions/<uuid:version_id>/invalidation/",
        corpus.invalidation,
        name="invalidate-version",
    ),
    path(
        "corpus/versions/<uuid:version_id>/clearance/",
        clearance_page.clearance,
        name="version-clearance",
    ),
    path(
        "corpus/versions/<uuid:version_id>/clearance/close/",
        clearance_page.close,
        name="close-version",
    ),
    path(
        "corpus/versions/<uuid:version_id>/clearance/open/",
        clearance_page.widen,
        name="open-version",
    ),
    path("corpus/versions/<uuid:version_id>/notes/", claims.premise_notes, name="premise-notes"),
    path("claims/", claims.claims, name="claims"),
    path("claims/<uuid:claim_id>/", claim_page.claim, name="claim"),
    path("claims/<uuid:claim_id>/decision/", claim_page.decide, name="decide-claim"),
    path("claims/<uuid:claim_id>/routes/", claims.propose, name="propose-route"),
    path(
        "claims/<uuid:claim_id>/routes/<uuid:set_id>/again/",
        claims.propose_again,
        name="propose-route-again",
    ),
    path("claims/<uuid:claim_id>/contradictions/", claims.contradict, name="contradict"),
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", runs.new_run, name="run-new"),
    path("runs/<int:number>/", auditors_after_release(runs.run), name="run"),
    path(
        "runs/<int:number>/progress/",
        auditors_after_release(runs.run_progress),
        name="run-progress",
    ),
    path("runs/<int:number>/retry/", runs.retry, name="run-retry"),
    path("runs/<int:number>/pause/", runs.pause, name="run-pause"),
    path("runs/<int:number>/resume/", runs.resume, name="run-resume"),
    path("runs/<int:number>/cancel/", runs.cancel, name="run-cancel"),
    path("runs/<int:number>/budget/", runs.budget, name="run-budget"),
    path(
        "runs/<int:number>/questions/<uuid:question_id>/",
        auditors_after_release(runs.question),
        name="run-question",
    ),
    path(
        "runs/<int:number>/questions/<uuid:question_id>/twin/",
        auditors_after_release(runs.question),
        {"twin": True},
        name="run-twin",
    ),
    path("systems/", scoring.systems, name="systems"),
    path("systems/<slug:key>/", scoring.system, name="system"),
    path("releases/", releases.releases, name="releases"),
    path("releases/ask/", releases.ask, name="release-ask"),
    path("releases/withdraw/", releases.withdraw, name="release-withdraw"),
    path("releases/approve/", releases.approve, name="release-approve"),
    path("releases/<int:number>/", releases.release, name="release"),
    path("releases/<int:number>/items/<int:ordinal>/", releases.item, name="release-item"),
    path("releases/<int:number>/step-aside/", releases.step_aside, name="release-step-aside"),
    path(
        "releases/<int:number>/export/<slug:reader_class>/",
        releases.download,
        name="release-export",
    ),
    path("review/", review.review, name="review"),
    path("review/carry-over/", review.carry_over, name="carry-over"),
    path("review/open/", review.open_items, name="review-open"),
    path("review/workload/", review.workload, name="workload"),
    path(
        "review/workload/<uuid:assignment_id>/release/", review.take_back, name="workload-release"
    ),
    path("review/next/", review.take_next, name="review-next"),
    path("review/desk/<uuid:assignment_id>/", review.desk, name="desk"),
    path(
        "review/desk/<uuid:assignment_id>/machine/",
        reviewers_where_permitted(runs.found),
        name="desk-machine",
    ),
    path("review/desk/<uuid:assignment_id>/comment/", review.desk_comment, name="desk-comment"),
    path("review/desk/<uuid:assignment_id>/flag/", review.desk_flag, name="desk-flag"),
    path("review/desk/<uuid:assignment_id>/draft/", review.draft, name="desk-draft"),
    path("review/desk/<uuid:assignment_id>/renew/", review.renew, name="desk-renew"),
    path("review/desk/<uuid:assignment_id>/skip/", review.skip, name="desk-skip"),
    path("review/desk/<uuid:assignment_id>/seal/", review.seal, name="desk-seal"),
    path("review/judgements/<uuid:judgement_id>/", review.judgement, name="judgement"),
    path("review/guidelines/", review.guidelines, name="guidelines"),
    path("review/guidelines/diff/", review.guidelines_diff, name="guidelines-diff"),
    path("review/flags/", review.flags, name="flags"),
    path("review/flags/<uuid:flag_id>/", review.flag, name="flag"),
    path("review/flags/<uuid:flag_id>/resolve/", review.resolve, name="flag-resolve"),
    path("review/judgements/<uuid:judgement_id>/amend/", review.amend, name="judgement-amend"),
    path(
        "review/judgements/<uuid:judgement_id>/comment/",
        review.judgement_comment,
        name="judgement-comment",
    ),
    path("review/judgements/<uuid:judgement_id>/others/", review.others, name="judgement-others"),
    path(
        "review/judgements/<uuid:judgement_id>/smaller/", review.smaller, name="judgement-smaller"
    ),
    path("adjudication/", review.adjudication, name="adjudication"),
    path("adjudication/<uuid:item_id>/", review.adjudication_item, name="adjudication-item"),
    path(
        "adjudication/<uuid:item_id>/comment/",
        review.adjudication_comment,
        name="adjudication-comment",
    ),
    path("adjudication/<uuid:item_id>/verdict/", review.adjudicate, name="adjudicate"),
    path("adjudication/<uuid:item_id>/reopen/", review.reopen, name="reopen"),
    path("adjudication/<uuid:item_id>/round/", review.fresh_round, name="fresh-round"),
]

urlpatterns = [
    path("", home.projects, name="home"),
    path("healthz", healthz, name="healthz"),
    path("sign-in/", accounts.SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("verify/", releases.verify_page, name="verify"),
    path("password/", accounts.own_password, name="own-password"),
    path(
        "password/<slug:uidb64>/<slug:token>/",
        accounts.ChoosePassword.as_view(),
        name="choose-password",
    ),
    path("tokens/", accounts.tokens, name="tokens"),
    path("tokens/<uuid:token_id>/revoke/", accounts.revoke, name="revoke-token"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("p/<slug:slug>/", include(project_pages)),
    path("api/v1/", include([*api.urlpatterns, api.anywhere_else])),
]

handler500 = "adjudication.health.server_error"
