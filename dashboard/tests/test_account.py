"""A person's own account: language, password, second factor, sessions, leaving."""

import io
import json
import re
import uuid
import zipfile
from typing import Any

import pyotp
import pytest
import segno
from django.test import Client

from accounts.models import (
    Membership,
    OutgoingMail,
    PersonExport,
    Role,
    Session,
    Tenant,
    TwoFactor,
    User,
)
from accounts.services.signing_in.sessions import list_sessions
from accounts.signing_in.second_factor import make_otpauth_uri
from accounts.tasks import build_person_export, erase_people
from accounts.tests.factories import (
    PASSWORD,
    make_membership,
    make_person_export,
    make_session,
    make_tenant,
    make_user,
    switch_two_factor_on,
)
from dashboard.account.qr import QUIET_ZONE
from dashboard.tests.factories import pages_of
from dashboard.tests.test_coming_in import POISON, problem_at, text_of

ACCOUNT = "/dashboard/account"
NEW_PASSWORD = "another horse battery 2"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def user(tenant: Tenant) -> User:
    make_user(tenant)  # another admin, so that this one may leave
    return make_user(tenant)


@pytest.fixture
def own(tenant: Tenant, user: User) -> Client:
    """The browser in which they are signed in."""
    return pages_of(tenant, user=user)


# --- Language -------------------------------------------------------------------------------------


def test_the_language_is_the_persons_from_the_next_page_on(own: Client, user: User) -> None:
    assert own.post(f"{ACCOUNT}/language", {"language": "es"})["Location"] == ACCOUNT

    assert '<html lang="es">' in text_of(own.get(ACCOUNT))
    own.post(f"{ACCOUNT}/language", {"language": ""})
    assert '<html lang="en">' in text_of(own.get(ACCOUNT))


def test_a_language_that_we_do_not_write_is_refused(own: Client, user: User) -> None:
    assert own.post(f"{ACCOUNT}/language", {"language": "xx"}).status_code == 400
    user.refresh_from_db()
    assert user.language == ""


# --- Password -------------------------------------------------------------------------------------


def test_a_new_password_ends_all_sessions_and_asks_to_sign_in(own: Client, user: User) -> None:
    given = {"current_password": PASSWORD, "new_password": NEW_PASSWORD}

    answer = own.post(f"{ACCOUNT}/password", given, follow=True)

    assert answer.redirect_chain == [("/dashboard/sign-in", 302)]
    assert "Your password has been changed" in text_of(answer)
    user.refresh_from_db()
    assert user.check_password(NEW_PASSWORD)
    assert not list_sessions(user).exists()


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        (
            {"current_password": "wrong", "new_password": NEW_PASSWORD},
            "current_password",
            "This is",
        ),
        ({"current_password": PASSWORD, "new_password": "short"}, "new_password", "This pass"),
        ({"current_password": PASSWORD}, "new_password", "This field is required."),
    ],
)
def test_a_password_that_cannot_be_is_told_at_its_field(
    own: Client, user: User, given: dict[str, str], field: str, words: str
) -> None:
    answer = own.post(f"{ACCOUNT}/password", given)

    assert answer.status_code == 400
    assert problem_at(answer, field).startswith(words)
    assert list_sessions(user).count() == 1


# --- The second factor ----------------------------------------------------------------------------


def drawn(page: str) -> list[list[bool]]:
    """The modules of the QR code that a page draws, without its quiet zone."""
    [size] = re.findall(r'viewBox="0 0 (\d+) \d+" role="img"', page)
    [path] = re.findall(r'<path d="([^"]*)"></path></svg>\s*<p>Or type', page)
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    side = range(QUIET_ZONE, int(size) - QUIET_ZONE)
    return [[(x, y) in dark for x in side] for y in side]


def set_up(own: Client) -> str:
    """The secret that the page shows."""
    own.post(f"{ACCOUNT}/two-factor")
    [secret] = re.findall(r'id="secret">(\w+)<', text_of(own.get(f"{ACCOUNT}/two-factor/set-up")))
    return str(secret)


def test_the_qr_code_is_the_uri_with_the_secret_that_is_shown(own: Client, user: User) -> None:
    secret = set_up(own)

    page = text_of(own.get(f"{ACCOUNT}/two-factor/set-up"))

    expected = segno.make_qr(make_otpauth_uri(user, secret), error="m").matrix
    assert drawn(page) == [[bool(module) for module in row] for row in expected]


def test_a_code_of_the_app_turns_it_on_and_shows_the_recovery_codes_once(
    own: Client, user: User
) -> None:
    code = pyotp.TOTP(set_up(own)).now()

    page = text_of(own.post(f"{ACCOUNT}/two-factor/set-up", {"code": code}))

    [shown] = re.findall(r'<pre id="codes">(.*?)</pre>', page, re.DOTALL)
    assert len(shown.split()) == 10
    assert TwoFactor.objects.get(user=user).confirmed_at is not None
    status = text_of(own.get(f"{ACCOUNT}/two-factor"))
    assert "10 recovery codes are left." in status
    assert shown.split()[0] not in status


def test_a_wrong_code_is_told_and_the_secret_stays_the_same(own: Client, user: User) -> None:
    secret = set_up(own)

    answer = own.post(f"{ACCOUNT}/two-factor/set-up", {"code": "12"})

    assert answer.status_code == 400
    assert problem_at(answer, "code") == "The code is wrong, has been used, or has expired."
    assert f'id="secret">{secret}<' in text_of(answer)
    assert TwoFactor.objects.get(user=user).confirmed_at is None


def test_the_secret_is_not_shown_once_it_is_on(own: Client, user: User) -> None:
    secret, _ = switch_two_factor_on(user)

    answer = own.get(f"{ACCOUNT}/two-factor/set-up")

    assert (answer.status_code, answer["Location"]) == (302, f"{ACCOUNT}/two-factor")
    assert secret not in text_of(own.get(f"{ACCOUNT}/two-factor"))
    assert own.post(f"{ACCOUNT}/two-factor").status_code == 409


@pytest.mark.parametrize(
    ("password", "code", "field"),
    [("wrong", "", "password"), (PASSWORD, "12", "code")],
    ids=["password", "code"],
)
def test_turning_it_off_takes_the_password_and_a_code(
    own: Client, user: User, password: str, code: str, field: str
) -> None:
    _, recovery_codes = switch_two_factor_on(user)
    given = {"password": password, "code": code or recovery_codes[0]}

    answer = own.post(f"{ACCOUNT}/two-factor/off", given)

    assert (answer.status_code, problem_at(answer, field) != "") == (400, True)
    right = {"password": PASSWORD, "code": recovery_codes[0]}
    assert own.post(f"{ACCOUNT}/two-factor/off", right)["Location"] == f"{ACCOUNT}/two-factor"
    assert not TwoFactor.objects.filter(user=user).exists()


# --- Sessions -------------------------------------------------------------------------------------


def test_sessions_are_listed_with_device_address_and_workspace_and_this_one_is_marked(
    own: Client, tenant: Tenant, user: User
) -> None:
    zeta = make_tenant("zeta", name="Zeta")
    make_membership(zeta, user)
    elsewhere = make_session(user, zeta)
    Session.objects.for_tenant(zeta).filter(pk=elsewhere.pk).update(
        user_agent=FIREFOX, address="203.0.113.9"
    )
    make_session(make_user(tenant), tenant)

    page = text_of(own.get(ACCOUNT))

    for shown in ("Firefox · Linux", "203.0.113.9", "Zeta"):
        assert shown in page
    assert page.count("This one") == 1
    assert page.count('/end"') == 2  # that one, and all others


def test_one_session_is_ended(own: Client, tenant: Tenant, user: User) -> None:
    elsewhere = make_session(user, tenant)

    answer = own.post(f"{ACCOUNT}/sessions/{elsewhere.pk}/end")

    assert answer["Location"] == ACCOUNT
    elsewhere.refresh_from_db()
    assert elsewhere.revoked_at is not None
    assert own.get(ACCOUNT).status_code == 200


def test_all_others_are_ended_in_every_workspace(own: Client, tenant: Tenant, user: User) -> None:
    zeta = make_tenant("zeta")
    make_membership(zeta, user)
    make_session(user, zeta)
    make_session(user, tenant)
    colleague = make_session(make_user(tenant), tenant)

    own.post(f"{ACCOUNT}/sessions/end")

    assert own.get(ACCOUNT).status_code == 200
    assert list_sessions(user).count() == 1
    colleague.refresh_from_db()
    assert colleague.revoked_at is None


def test_anothers_session_is_not_there(own: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    theirs = [make_session(make_user(one), one) for one in (tenant, other_tenant)]

    for session_id in (*(one.pk for one in theirs), uuid.uuid4()):
        assert own.post(f"{ACCOUNT}/sessions/{session_id}/end").status_code == 404
    assert Session.all_tenants.filter(revoked_at=None).count() == 3


def test_a_page_of_sessions_costs_as_much_with_two_as_with_fifty(
    own: Client, tenant: Tenant, user: User, django_assert_max_num_queries: Any
) -> None:
    for _ in range(50):
        make_session(user, tenant)

    with django_assert_max_num_queries(8):
        own.get(ACCOUNT)


def test_what_a_device_says_of_itself_is_shown_and_does_nothing(
    own: Client, tenant: Tenant, user: User
) -> None:
    session = make_session(user, tenant)
    Session.objects.for_tenant(tenant).filter(pk=session.pk).update(
        user_agent=f"{POISON} Firefox/1", address=POISON[:50]
    )

    page = text_of(own.get(ACCOUNT))

    assert "<script>alert" not in page


# --- Leaving --------------------------------------------------------------------------------------


def test_leaving_asks_for_the_name_of_the_workspace(
    own: Client, tenant: Tenant, user: User
) -> None:
    wrong = own.post(f"{ACCOUNT}/leave", {"name": "something else"})
    assert wrong.status_code == 400
    assert "That is not the name of the workspace." in text_of(wrong)
    assert Membership.objects.for_tenant(tenant).filter(user=user).exists()

    answer = own.post(f"{ACCOUNT}/leave", {"name": tenant.name}, follow=True)

    assert answer.redirect_chain == [("/dashboard/sign-in", 302)]
    assert "You have left the workspace." in text_of(answer)
    assert not Membership.objects.for_tenant(tenant).filter(user=user).exists()


def test_the_last_admin_is_told_why_they_cannot_leave(tenant: Tenant) -> None:
    answer = pages_of(tenant).post(f"{ACCOUNT}/leave", {"name": tenant.name})

    assert answer.status_code == 400
    assert "A workspace needs at least one admin" in text_of(answer)


@pytest.mark.parametrize("role", Role)
def test_everybody_has_an_account_whatever_their_role(tenant: Tenant, role: Role) -> None:
    pages = pages_of(tenant, role=role)

    for address in ("", "/password", "/two-factor"):
        assert pages.get(ACCOUNT + address).status_code == 200
    assert not OutgoingMail.all_tenants.exists()


# --- Their data -----------------------------------------------------------------------------------


def test_their_archive_is_made_by_a_worker_and_the_page_shows_how_far_it_is(
    own: Client, user: User
) -> None:
    assert "Create an archive" in text_of(own.get(ACCOUNT))
    assert own.post(f"{ACCOUNT}/data")["Location"] == ACCOUNT
    page = text_of(own.get(ACCOUNT))
    assert "queued" in page
    assert 'hx-trigger="every 2s"' in page
    assert "Create an archive" not in page

    build_person_export()

    part = text_of(own.get(f"{ACCOUNT}/data", headers={"HX-Request": "true"}))
    assert "every 2s" not in part
    assert "You can request another one from" in part
    [link] = re.findall(r'href="(/dashboard/account/data/[^"]+)"', part)
    answer = own.get(link)
    assert answer["Content-Disposition"].startswith('attachment; filename="account-')
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert json.loads(archive.read("account.jsonl"))["email"] == user.email


def test_a_second_archive_within_an_hour_is_refused_and_said(own: Client, user: User) -> None:
    own.post(f"{ACCOUNT}/data")
    again = own.post(f"{ACCOUNT}/data", follow=True)
    assert "An export is already being prepared." in text_of(again)
    build_person_export()

    later = own.post(f"{ACCOUNT}/data", follow=True)

    assert "You can request another one from" in text_of(later)
    assert PersonExport.objects.filter(user=user).count() == 1


def test_an_archive_that_failed_says_so_and_can_be_asked_for_again(own: Client, user: User) -> None:
    make_person_export(user, state="failed", reason="gave_up", archive=b"")

    page = text_of(own.get(ACCOUNT))

    assert "It could not be finished after several attempts." in page
    assert "Create an archive" in page


def test_a_colleagues_archive_is_not_there(own: Client, tenant: Tenant) -> None:
    theirs = make_person_export(make_user(tenant))

    assert own.get(f"{ACCOUNT}/data/{theirs.pk}").status_code == 404


def test_the_account_goes_with_its_password(own: Client, user: User) -> None:
    assert own.post(f"{ACCOUNT}/erase", {"password": "wrong"}).status_code == 400
    assert own.get(ACCOUNT).status_code == 200

    assert own.post(f"{ACCOUNT}/erase", {"password": PASSWORD})["Location"].endswith("/sign-in")

    assert own.get(ACCOUNT).status_code == 302
    erase_people()
    assert not User.objects.filter(pk=user.pk).exists()


def test_the_only_admin_is_told_what_to_do_first(tenant: Tenant) -> None:
    only = pages_of(tenant, user=make_user(tenant))

    page = text_of(only.get(f"{ACCOUNT}/erase"))

    assert "You are the only admin of these workspaces" in page
    assert 'name="password"' not in page
    assert only.post(f"{ACCOUNT}/erase", {"password": PASSWORD}).status_code == 400
