"""Who may call: a token, or a session with its form token; nobody else learns a thing."""

from __future__ import annotations

import pytest
from django.test import Client

from adjudication.accounts.actions import TRIES, make_token
from adjudication.accounts.models import SignInCount, Token, User
from adjudication.projects.actions import deactivate
from adjudication.projects.models import Membership, Project
from tests.api.calls import HERE, Program, error_of
from tests.conftest import Cast

pytestmark = pytest.mark.django_db


def test_token_opens_what_its_owner_may_read(project: Project, cast: Cast) -> None:
    """And its use is noted."""
    rosa = Program(cast.rosa)
    assert rosa.read("/api/v1/projects/film-study")["roles"] == ["reviewer"]
    assert Token.objects.get().last_used_at is not None


def test_without_a_token_nothing_is_said(project: Project, cast: Cast) -> None:
    """Known and unknown addresses alike: 401, and how to sign in."""
    nobody = Program(None)
    answers = [nobody.get(place) for place in ("sources", "no-such", "/api/v1/x", "/api/x")]
    for answer in answers[:3]:
        assert error_of(answer, 401)["code"] == "unauthenticated"
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert len({answer.content for answer in answers[:3]}) == 1
    error_of(answers[3], 404)


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer x", "Bearer ü\0", "Bearer certify_" + "a" * 43]
)
def test_unknown_token_is_refused(project: Project, cast: Cast, header: str) -> None:
    answer = Program(None).get("sources", headers={"Authorization": header})
    error_of(answer, 401)


def test_refused_token_is_not_helped_by_a_session(project: Project, cast: Cast) -> None:
    """A program that names a token never acts by a cookie that happens to be there."""
    rosa = Program(None)
    rosa.client.force_login(cast.rosa)
    error_of(rosa.get("sources", headers={"Authorization": "Bearer x"}), 401)
    assert rosa.get("sources").status_code == 200


def test_failures_are_limited_and_good_tokens_go_on(project: Project, cast: Cast) -> None:
    """Past the limit the same address is told to wait; who has a good token does not."""
    stranger = Program(None)
    wrong = {"Authorization": "Bearer wrong"}
    for _ in range(TRIES):
        error_of(stranger.get("sources", headers=wrong), 401)
    answer = stranger.get("sources", headers=wrong)
    assert error_of(answer, 429)["code"] == "too-many"
    assert int(answer.headers["Retry-After"]) > 0
    assert Program(cast.rosa).get("sources").status_code == 200
    elsewhere = stranger.get("sources", headers=wrong, REMOTE_ADDR="10.0.0.9")
    error_of(elsewhere, 401)
    assert SignInCount.objects.count() == 2


def test_closed_account_and_ended_membership_close_the_api(project: Project, cast: Cast) -> None:
    """From the next request: the project is as missing as for a stranger, then the person."""
    rosa = Program(cast.rosa)
    deactivate(Membership.objects.get(user=cast.rosa), actor=None)
    assert rosa.get("sources").content == rosa.get("/api/v1/projects/missing/sources").content
    error_of(rosa.get("sources"), 404)
    User.objects.filter(pk=cast.rosa.pk).update(is_active=False)
    error_of(rosa.get("sources"), 401)


def test_session_writes_only_with_the_form_token(project: Project, cast: Cast) -> None:
    """Another site cannot make a signed-in browser write; scripts of our pages can."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(cast.lead)
    body = {"title": "T", "text": "Words.", "reader_classes": ["public"]}
    place = HERE + "sources"
    error_of(browser.post(place, body, content_type="application/json"), 403)
    browser.get("/")
    token = next(c.value for name, c in browser.cookies.items() if name.startswith("csrf"))
    headers = {"X-CSRFToken": token}
    foreign = headers | {"Origin": "null"}
    error_of(browser.post(place, body, content_type="application/json", headers=foreign), 403)
    answer = browser.post(place, body, content_type="application/json", headers=headers)
    assert answer.status_code == 201, answer.content


def test_token_of_one_person_never_acts_as_another(project: Project, cast: Cast) -> None:
    """The session's person is not the token's."""
    rosa = Program(cast.rosa)
    rosa.client.force_login(cast.lead)
    error_of(rosa.post("sources", {"title": "T"}), 403)


def test_answers_are_kept_out_of_caches(project: Project, cast: Cast) -> None:
    """Nothing to compare with: no ETag and no date tells whether hidden things changed."""
    answer = Program(cast.rosa).get("sources")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not {"ETag", "Last-Modified"} & set(answer.headers)


def test_make_token_is_no_address(project: Project, cast: Cast) -> None:
    """A token cannot make another one, and so cannot outlive itself."""
    _, secret = make_token(cast.rosa, name="x", actor=cast.rosa)
    answer = Client().post("/tokens/", {"name": "y"}, headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 302
    assert Token.objects.count() == 1
