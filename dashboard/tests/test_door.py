"""Who comes in: the dashboard's cookie, and nothing else."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Role, Session, Tenant
from accounts.services.signing_in.cookies import make_cookie
from accounts.services.signing_in.sessions import revoke_session
from accounts.signing_in.tokens import make_tokens
from accounts.tests.factories import bearer, make_session, make_user, sign_staff_in
from dashboard.door import COOKIE
from dashboard.tests.factories import pages_of

HOME = "/dashboard/"


def test_the_first_page_says_what_this_is_and_leads_in(client: Client, db: None) -> None:
    page = client.get("/", headers={"accept-language": "en"})

    assert page.status_code == 200
    assert b"/dashboard/sign-in" in page.content
    assert b"/dashboard/sign-up" in page.content


def test_a_stranger_is_asked_to_sign_in_and_then_goes_on(client: Client, db: None) -> None:
    answer = client.get("/dashboard/?a=b")

    assert (answer.status_code, answer["Location"]) == (
        302,
        "/dashboard/sign-in?next=%2Fdashboard%2F%3Fa%3Db",
    )


def test_signing_in_leads_home(client: Client, tenant: Tenant) -> None:
    user = make_user(tenant, password="a long enough secret")
    given = {"email": user.email, "password": "a long enough secret"}

    answer = client.post("/dashboard/sign-in", given)

    assert (answer.status_code, answer["Location"]) == (302, HOME)
    cookie = answer.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/dashboard")
    assert client.get(HOME).status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "//evil.example",
        "/admin/",
        "\\\\e",
        "/dashboard/../admin/",
        "/dashboard/%2e%2e/admin/",
        "/dashboard/..\\admin/",
    ],
)
def test_nobody_is_led_to_another_site(client: Client, tenant: Tenant, address: str) -> None:
    user = make_user(tenant, password="a long enough secret")
    given = {"email": user.email, "password": "a long enough secret"}

    answer = client.post("/dashboard/sign-in", given, query_params={"next": address})

    assert answer["Location"] == HOME


def test_a_wrong_password_is_told_beside_the_form_which_keeps_the_address(
    client: Client, tenant: Tenant
) -> None:
    user = make_user(tenant)

    answer = client.post("/dashboard/sign-in", {"email": user.email, "password": "wrong"})

    assert answer.status_code == 400
    assert user.email.encode() in answer.content
    assert COOKIE not in answer.cookies


def test_signing_out_ends_the_session_for_programs_too(client: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    session = make_session(user, tenant)
    client.cookies[COOKIE] = make_cookie(session)
    token = make_tokens(session).access_token

    client.post("/dashboard/sign-out")

    api = {"Authorization": f"Bearer {token}"}
    assert client.get("/auth/me", headers=api).status_code == 401
    assert client.get(HOME).status_code == 302


def test_a_session_that_was_ended_elsewhere_is_ended_here(client: Client, tenant: Tenant) -> None:
    session = make_session(make_user(tenant), tenant)
    client.cookies[COOKIE] = make_cookie(session)
    revoke_session(session.id)

    assert client.get(HOME).status_code == 302


def test_a_bearer_token_is_no_cookie_and_a_cookie_no_bearer_token(
    client: Client, tenant: Tenant
) -> None:
    user = make_user(tenant)
    cookie = make_cookie(make_session(user, tenant))

    api = client.get("/auth/me", headers={"Authorization": f"Bearer {cookie}"})
    client.cookies[COOKIE] = bearer(user, tenant)["Authorization"].removeprefix("Bearer ")

    assert api.status_code == 401
    assert client.get(HOME).status_code == 302


def test_staff_who_are_signed_in_to_the_back_office_are_strangers_here(
    client: Client, db: None
) -> None:
    sign_staff_in(client, make_user(is_staff=True, is_superuser=True))

    assert client.get(HOME).status_code == 302


def test_whoever_is_signed_in_here_is_a_stranger_in_the_back_office(tenant: Tenant) -> None:
    pages = pages_of(tenant, user=make_user(tenant, is_staff=True, is_superuser=True))

    assert pages.get("/admin/").status_code == 302


def test_a_session_in_use_does_not_expire(client: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    session = make_session(user, tenant, expires_at=timezone.now() + timedelta(hours=1))
    client.cookies[COOKIE] = make_cookie(session)

    answer = client.get(HOME)

    seen = Session.objects.for_tenant(tenant).get(pk=session.pk)
    assert seen.expires_at > timezone.now() + timedelta(days=13)
    assert COOKIE in answer.cookies


def test_a_slow_reader_of_a_file_holds_no_connection(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr("dashboard.door.note_visit", lambda session: steps.append("noted"))
    monkeypatch.setattr("dashboard.base.release_connection", lambda: steps.append("released"))
    pages = pages_of(tenant)

    pages.get("/dashboard/leads/export")
    pages.get("/dashboard/leads")

    assert steps == ["noted", "released", "noted"]


@pytest.mark.parametrize("role", Role)
def test_each_role_has_a_home(tenant: Tenant, role: Role) -> None:
    assert pages_of(tenant, role=role).get(HOME).status_code == 200


def test_pages_run_no_script_but_ours_and_stand_in_no_frame(pages: Client) -> None:
    policy = pages.get(HOME)["Content-Security-Policy"]

    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_browser_says_where_our_forms_come_from(pages: Client) -> None:
    """With `no-referrer` it would say `Origin: null`, and every form would be refused."""
    assert pages.get(HOME)["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(("language", "word"), [("es", "Cerrar"), ("en", "Sign out")])
def test_a_person_is_spoken_to_in_their_language(tenant: Tenant, language: str, word: str) -> None:
    user = make_user(tenant, language=language)
    other = {"es": "en", "en": "es"}[language]

    page = pages_of(tenant, user=user, language=other).get(HOME).content.decode()

    assert f'<html lang="{language}">' in page
    assert word in page


def test_what_is_not_there_is_a_page_and_no_json(pages: Client) -> None:
    answer = pages.get("/dashboard/nothing-here")

    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")


def test_outside_of_the_dashboard_it_stays_json(client: Client, db: None) -> None:
    assert client.get("/nothing-here").json()["error"]["code"] == "NOT_FOUND"


def test_a_form_of_another_site_is_refused_with_a_page(tenant: Tenant) -> None:
    pages = pages_of(tenant)
    pages.handler.enforce_csrf_checks = True

    answer = pages.post("/dashboard/sign-out")

    assert (answer.status_code, answer["Content-Type"]) == (403, "text/html; charset=utf-8")


def test_htmx_is_led_to_the_whole_page_of_signing_in(client: Client, db: None) -> None:
    answer = client.get(HOME, headers={"HX-Request": "true"})

    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/dashboard/sign-in")


@pytest.mark.parametrize("path", ["/dashboard/", "/dashboard/sign-in"])
def test_a_body_that_is_too_large_is_refused_with_a_page(pages: Client, path: str) -> None:
    pages.get("/dashboard/account")  # its forms bring the cookie that the check looks for first
    pages.handler.enforce_csrf_checks = True

    answer = pages.post(path, {"a": "b"}, CONTENT_LENGTH=str(80 * 1024 * 1024))

    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize("path", ["/", "/dashboard/", "/dashboard/sign-in"])
def test_a_wrong_method_is_told_as_such(pages: Client, path: str) -> None:
    assert pages.put(path).status_code == 405


@pytest.mark.parametrize("path", ["account/language", "sources/upload", "sign-in", "nowhere"])
def test_a_body_that_is_no_form_is_refused_with_a_page(pages: Client, path: str) -> None:
    answer = pages.post(f"/dashboard/{path}", b"--", content_type="multipart/form-data")

    assert answer.status_code in (400, 404)
    assert answer["Content-Type"].startswith("text/html")
    assert (b"The form did not arrive complete." in answer.content) == (path != "nowhere")


def test_a_page_that_a_role_may_not_open_keeps_the_navigation(tenant: Tenant) -> None:
    answer = pages_of(tenant, role=Role.VIEWER).get("/dashboard/workspace/people")

    page = answer.content.decode()
    assert answer.status_code == 403
    assert 'id="navigation"' in page
    assert tenant.name in page
