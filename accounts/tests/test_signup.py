"""POST /auth/signup: a workspace is asked for, and begins with the code that was mailed."""

import json
import logging
import re
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import (
    Membership,
    OneTimeCode,
    Purpose,
    Role,
    Session,
    Signup,
    Tenant,
    User,
)
from accounts.services.signing_in import signup as signups
from accounts.signing_in.codes import make_code
from accounts.tests.code_mails import at_once, mailed_code, stop_mail_server, wrong_code
from accounts.tests.factories import (
    PASSWORD,
    make_invitation,
    make_stranger,
    make_tenant,
    make_user,
    switch_two_factor_on,
)

WISH = {
    "email": "ana@acme.es",
    "password": PASSWORD,
    "tenant_name": "Acme, S.L.",
    "slug": "acme",
}
SLUG_ALREADY_IN_USE = {
    "error": {
        "code": "SLUG_ALREADY_IN_USE",
        "message": "This slug is already taken.",
    }
}
EMAIL_ALREADY_REGISTERED = {
    "error": {
        "code": "EMAIL_ALREADY_REGISTERED",
        "message": "This e-mail address already belongs to the admin of another workspace.",
    }
}
INVALID_OTP = {
    "error": {
        "code": "INVALID_OTP",
        "message": "The code is wrong or has expired. Ask for a new one.",
    }
}


@pytest.fixture
def api(db: None) -> APIClient:
    return APIClient(raise_request_exception=False)


def sign_up(api: APIClient, **over: Any) -> Any:
    return api.post("/auth/signup", WISH | over, "json")


def verify(api: APIClient, code: str, email: str = "ana@acme.es") -> Any:
    return api.post("/auth/otp/verify", {"email": email, "code": code, "purpose": "signup"}, "json")


def log_in(api: APIClient, password: str = PASSWORD) -> Any:
    return api.post("/auth/login", {"email": "ana@acme.es", "password": password}, "json")


# --- The way of somebody new ----------------------------------------------------------------------


def test_signup_answers_the_ids_and_mails_a_code(api: APIClient) -> None:
    answer = sign_up(api)

    signup = Signup.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "user_id": str(signup.user_id),
        "tenant_id": str(signup.id),
        "tenant_slug": "acme",
    }
    [sent] = mail.outbox
    assert sent.to == ["ana@acme.es"]
    assert "Acme, S. L." in str(sent.body)  # no word of theirs is a link


def test_nothing_exists_before_the_code(api: APIClient) -> None:
    sign_up(api)

    assert not Tenant.objects.exists()
    assert not User.objects.exists()
    assert log_in(api).status_code == 401
    assert log_in(api).json()["error"]["code"] == "INVALID_CREDENTIALS"


def test_code_makes_the_workspace_and_logs_its_admin_in(api: APIClient) -> None:
    ids = sign_up(api).json()

    answer = verify(api, mailed_code())

    tokens = answer.json()
    tenant, user = Tenant.objects.get(), User.objects.get()
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert (tokens["role"], tokens["tenant_id"]) == ("admin", ids["tenant_id"])
    assert (str(tenant.id), tenant.name, tenant.plan_id) == (ids["tenant_id"], "Acme, S.L.", "free")
    assert (str(user.id), user.email, user.is_staff) == (ids["user_id"], "ana@acme.es", False)
    membership = Membership.objects.for_tenant(tenant).get()
    assert (membership.user, membership.role, membership.status) == (user, "admin", "active")
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert api.get("/auth/me", headers=headers).json()["user_id"] == ids["user_id"]
    assert log_in(api).status_code == 200


def test_signup_and_its_codes_are_gone_afterwards(api: APIClient) -> None:
    sign_up(api)
    verify(api, mailed_code())

    assert not Signup.objects.exists()
    assert not OneTimeCode.objects.exists()
    assert verify(api, mailed_code()).json() == INVALID_OTP


def test_secrets_are_kept_as_hashes(api: APIClient) -> None:
    sign_up(api)

    signup, row = Signup.objects.get(), OneTimeCode.objects.get()
    assert PASSWORD not in signup.password
    assert mailed_code() not in row.code_hash
    assert len(row.code_hash) == 64


def test_address_and_slug_are_kept_in_lower_case(api: APIClient) -> None:
    assert sign_up(api, email=" Ana@ACME.es ", slug=" ACME ").json()["tenant_slug"] == "acme"

    answer = verify(api, f" {mailed_code()} ", email="ANA@acme.es ")

    assert answer.json()["tenant_slug"] == "acme"
    assert User.objects.get().email == "ana@acme.es"


@pytest.mark.parametrize(
    ("given", "header", "language"),
    [
        ("en", "es", "en"),
        ("es", "en", "es"),
        (None, "en-GB,en;q=0.9,es;q=0.5", "en"),
        ("", "fr, es;q=0.3, en;q=0.2", "es"),
        (None, "de", "es"),
        (None, "en;q=0, de", "es"),
        (None, "\x7f;;q=,", "es"),
        (None, "", "es"),
    ],
)
def test_language_is_given_or_the_clients_or_spanish(
    api: APIClient, given: str | None, header: str, language: str
) -> None:
    answer = api.post(
        "/auth/signup", WISH | {"language": given}, "json", headers={"Accept-Language": header}
    )

    assert answer.status_code == 201
    assert Signup.objects.get().language == language
    verify(api, mailed_code())
    assert Tenant.objects.get().language == language


# --- What is refused, in this order ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"email": None, "slug": "x"}, "MISSING_FIELDS"),
        ({"password": ""}, "MISSING_FIELDS"),
        ({"tenant_name": "  "}, "MISSING_FIELDS"),
        ({"slug": ""}, "MISSING_FIELDS"),
        ({"email": 1, "slug": "x"}, "VALIDATION_ERROR"),
        ({"email": "ana\x00@acme.es"}, "VALIDATION_ERROR"),
        ({"tenant_name": "A\x00"}, "VALIDATION_ERROR"),
        ({"tenant_name": ["Acme"]}, "VALIDATION_ERROR"),
        ({"password": "p\x00" + PASSWORD}, "VALIDATION_ERROR"),
        ({"password": "p" * 1001}, "VALIDATION_ERROR"),
        ({"slug": "ac\x00me"}, "VALIDATION_ERROR"),
        ({"slug": 123}, "VALIDATION_ERROR"),
        ({"language": "fr"}, "VALIDATION_ERROR"),
        ({"language": ["es"]}, "VALIDATION_ERROR"),
        ({"slug": "ab", "email": "no address"}, "INVALID_SLUG"),
        ({"slug": "a" * 64}, "INVALID_SLUG"),
        ({"slug": "a" * 5000}, "INVALID_SLUG"),
        ({"slug": "acmé"}, "INVALID_SLUG"),
        ({"slug": "acme_shop"}, "INVALID_SLUG"),
        ({"slug": "acme\nshop"}, "INVALID_SLUG"),
        ({"email": "no address", "password": "short"}, "VALIDATION_ERROR"),
        ({"email": "a@" + "İ" * 240 + ".es"}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es\nBcc: all@acme.es"}, "VALIDATION_ERROR"),
        ({"tenant_name": "A" * 201, "password": "short"}, "VALIDATION_ERROR"),
        ({"password": "short"}, "WEAK_PASSWORD"),
        ({"password": "123456789012"}, "WEAK_PASSWORD"),
        ({"password": "ana@acme.es"}, "WEAK_PASSWORD"),
        ({"password": "password1234"}, "WEAK_PASSWORD"),
    ],
)
def test_bad_input(api: APIClient, over: dict[str, Any], code: str) -> None:
    answer = api.post("/auth/signup", json.dumps(WISH | over), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not Signup.objects.exists()
    assert not mail.outbox


def test_longest_name_and_slug_are_taken(api: APIClient) -> None:
    assert sign_up(api, tenant_name="A" * 200, slug="a" * 63).status_code == 201


def test_password_is_judged_before_address_and_slug_are_looked_up(
    api: APIClient, tenant: Tenant
) -> None:
    make_user(tenant, email="ana@acme.es")

    assert sign_up(api, password="short").json()["error"]["code"] == "WEAK_PASSWORD"


def test_admin_of_a_workspace_cannot_sign_up(api: APIClient, tenant: Tenant) -> None:
    make_user(tenant, email="ana@acme.es")

    answer = sign_up(api)  # the slug is in use as well

    assert (answer.status_code, answer.json()) == (409, EMAIL_ALREADY_REGISTERED)
    assert not Signup.objects.exists()


def sign_up_at_the_page() -> Signup:
    return signups.sign_up(**WISH, language="en", address="203.0.113.9", refuses_admins=False)


def test_at_the_page_an_admin_is_told_by_mail_and_nobody_else(
    api: APIClient, other_tenant: Tenant
) -> None:
    ana = make_user(other_tenant, email="ana@acme.es")

    signup = sign_up_at_the_page()
    again = api.post("/auth/otp/send", {"email": "ana@acme.es", "purpose": "signup"}, "json")

    assert (signup.user_id, again.status_code) == (ana.id, 200)
    assert [sent.to for sent in mail.outbox] == [["ana@acme.es"]] * 2
    for sent in mail.outbox:
        assert sent.subject == "You already have a workspace"
        assert "/dashboard/sign-in" in str(sent.body)
        assert "Acme" not in str(sent.body)  # no word of whoever asked
        assert not re.search(r"\b\d{6}\b", str(sent.body))


def test_an_admin_gets_no_second_workspace_even_with_the_code(
    api: APIClient, other_tenant: Tenant
) -> None:
    make_user(other_tenant, email="ana@acme.es")
    code = make_code("ana@acme.es", Purpose.SIGNUP, sign_up_at_the_page())

    answer = verify(api, code)

    assert (answer.status_code, answer.json()) == (409, EMAIL_ALREADY_REGISTERED)
    assert not Tenant.objects.filter(slug="acme").exists()


def test_invited_admin_who_has_not_come_can_sign_up(api: APIClient, other_tenant: Tenant) -> None:
    make_user(other_tenant, email="ana@acme.es")
    Membership.objects.for_tenant(other_tenant).update(activated_at=None)

    assert sign_up(api).status_code == 201


def test_slug_of_a_workspace_is_in_use(api: APIClient, tenant: Tenant) -> None:
    answer = sign_up(api, slug="ACME")

    assert (answer.status_code, answer.json()) == (409, SLUG_ALREADY_IN_USE)


@pytest.mark.parametrize(
    "other", [{"email": "bea@acme.es"}, {"password": "another horse battery 1"}]
)
def test_slug_that_waits_for_its_code_is_in_use(api: APIClient, other: dict[str, str]) -> None:
    sign_up(api)
    code = mailed_code()

    answer = sign_up(api, **other)

    assert (answer.status_code, answer.json()) == (409, SLUG_ALREADY_IN_USE)
    assert len(mail.outbox) == 1
    assert verify(api, code).status_code == 200


def test_expired_signup_frees_its_slug_and_its_code_is_worth_nothing(api: APIClient) -> None:
    sign_up(api)
    code = mailed_code()
    Signup.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert verify(api, code).json() == INVALID_OTP
    assert sign_up(api, email="bea@acme.es").status_code == 201
    assert Signup.objects.get().email == "bea@acme.es"


# --- The same wish again --------------------------------------------------------------------------


def test_same_wish_again_has_the_same_ids_and_a_fresh_code(api: APIClient) -> None:
    first = sign_up(api)
    Signup.objects.update(expires_at=timezone.now() + timedelta(minutes=1))

    second = sign_up(api, tenant_name="Acme Tools", language="en")

    assert (second.status_code, second.json()) == (201, first.json())
    signup = Signup.objects.get()
    assert (signup.tenant_name, signup.language) == ("Acme Tools", "en")
    assert signup.expires_at > timezone.now() + timedelta(hours=23)
    assert OneTimeCode.objects.count() == 1
    if mailed_code(0) != mailed_code(1):  # once in a million they are the same
        assert verify(api, mailed_code(0)).json() == INVALID_OTP
    assert verify(api, mailed_code(1)).status_code == 200


def test_code_decides_which_of_several_signups_begins(api: APIClient) -> None:
    sign_up(api, slug="first", tenant_name="First")
    sign_up(api, slug="second", tenant_name="Second")

    assert verify(api, mailed_code(0)).json()["tenant_slug"] == "first"

    assert [tenant.slug for tenant in Tenant.objects.all()] == ["first"]
    assert not Signup.objects.exists()
    assert log_in(api).status_code == 200


@pytest.mark.parametrize("was_invited", [False, True])
def test_with_signups_of_several_passwords_none_of_them_lets_in(
    api: APIClient, other_tenant: Tenant, was_invited: bool
) -> None:
    """Somebody else signs up with the address of whoever is signing up: another code asked for is
    the one of their signup, and typing it must not let them in.
    """
    if was_invited:
        make_invitation(other_tenant, make_stranger("ana@acme.es"))
    sign_up(api)
    sign_up(api, slug="acme-2", password="another horse battery 1")
    api.post("/auth/otp/send", {"email": "ana@acme.es", "purpose": "signup"}, "json")

    assert verify(api, mailed_code()).json()["tenant_slug"] == "acme-2"

    assert log_in(api).status_code == 401
    assert log_in(api, "another horse battery 1").status_code == 401
    assert not User.objects.get(email="ana@acme.es").has_usable_password()


def test_wrong_code_takes_a_try_from_each_signup_of_the_address(api: APIClient) -> None:
    sign_up(api, slug="first")
    sign_up(api, slug="second")

    assert verify(api, wrong_code(mailed_code(0), mailed_code(1))).json() == INVALID_OTP

    assert list(OneTimeCode.objects.values_list("tries_left", flat=True)) == [4, 4]


# --- Somebody who has an account ------------------------------------------------------------------


def test_account_that_is_admin_nowhere_gets_the_workspace_and_keeps_its_password(
    api: APIClient, other_tenant: Tenant
) -> None:
    ana = make_user(other_tenant, role=Role.MEMBER, email="ana@acme.es")
    ids = sign_up(api, password="another horse battery 1").json()

    tokens = verify(api, mailed_code()).json()

    assert ids["user_id"] == str(ana.id)
    assert (tokens["tenant_slug"], tokens["role"]) == ("acme", "admin")
    assert log_in(api).status_code == 200
    assert log_in(api, "another horse battery 1").status_code == 401
    assert ana.memberships.count() == 2


def test_invited_person_without_a_password_gets_the_one_they_signed_up_with(
    api: APIClient, other_tenant: Tenant
) -> None:
    ana = make_user(other_tenant, role=Role.MEMBER, email="ana@acme.es")
    ana.set_unusable_password()
    ana.save()
    sign_up(api)

    assert verify(api, mailed_code()).status_code == 200
    assert log_in(api).status_code == 200


def test_answer_does_not_tell_whether_there_is_an_account(
    api: APIClient, other_tenant: Tenant
) -> None:
    make_user(other_tenant, role=Role.MEMBER, email="ana@acme.es")

    def shapes(email: str, slug: str) -> tuple[Any, ...]:
        first = sign_up(api, email=email, slug=slug)
        second = sign_up(api, email=email, slug=f"{slug}-2")
        same_person = first.json()["user_id"] == second.json()["user_id"]
        version = uuid.UUID(first.json()["user_id"]).version
        headers = {name: value for name, value in first.items() if name != "X-Request-ID"}
        return first.status_code, list(first.json()), version, same_person, headers

    assert shapes("ana@acme.es", "known") == shapes("bea@acme.es", "other")


def test_id_that_somebody_else_has_by_now_is_not_given_twice(
    api: APIClient, other_tenant: Tenant
) -> None:
    """Their address was changed by our staff since."""
    make_user(other_tenant, email="moved@acme.es", id=User.objects.id_for("ana@acme.es"))
    ids = sign_up(api).json()

    assert verify(api, mailed_code()).status_code == 200
    assert str(User.objects.get(email="ana@acme.es").id) == ids["user_id"]


def test_disabled_account_cannot_begin_a_workspace(api: APIClient, other_tenant: Tenant) -> None:
    make_user(other_tenant, email="ana@acme.es", is_active=False)
    assert sign_up(api).status_code == 201

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert not Tenant.objects.filter(slug="acme").exists()


def test_account_with_two_factor_gets_the_workspace_and_a_challenge(
    api: APIClient, other_tenant: Tenant
) -> None:
    switch_two_factor_on(make_user(other_tenant, role=Role.VIEWER, email="ana@acme.es"))
    sign_up(api)

    answer = verify(api, mailed_code())

    assert answer.status_code == 200
    assert answer.json().keys() == {"two_factor_required", "challenge"}
    assert Tenant.objects.filter(slug="acme").exists()
    assert not Session.all_tenants.exists()


def test_address_that_became_admin_elsewhere_meanwhile(
    api: APIClient, other_tenant: Tenant
) -> None:
    sign_up(api)
    make_user(other_tenant, email="ana@acme.es")

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (409, EMAIL_ALREADY_REGISTERED)
    assert not Tenant.objects.filter(slug="acme").exists()


def test_slug_that_our_staff_gave_away_meanwhile(api: APIClient) -> None:
    sign_up(api)
    make_tenant("acme")

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (409, SLUG_ALREADY_IN_USE)
    assert not User.objects.exists()


# --- What goes wrong ------------------------------------------------------------------------------


def test_failing_mail_is_told_and_the_same_wish_again_is_the_way_out(
    api: APIClient, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    backend = settings.EMAIL_BACKEND
    stop_mail_server(settings)
    with caplog.at_level(logging.INFO):
        answer = sign_up(api)

    assert answer.status_code == 500
    assert answer.json() == {
        "error": {
            "code": "OTP_SEND_FAILED",
            "message": "The code could not be sent. Try again in a minute.",
        }
    }
    assert "A one-time code could not be mailed" in caplog.text
    assert "ana@acme.es" not in caplog.text
    assert PASSWORD not in caplog.text
    tenant_id = Signup.objects.get().id

    settings.EMAIL_BACKEND = backend
    again = sign_up(api)

    assert (again.status_code, again.json()["tenant_id"]) == (201, str(tenant_id))
    assert verify(api, mailed_code()).status_code == 200


def test_crash_between_code_and_workspace_leaves_the_code_usable(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_up(api)
    with monkeypatch.context() as broken:
        broken.setattr("accounts.services.signing_in.signup.admit", lambda *_, **__: 1 / 0)
        assert verify(api, mailed_code()).json()["error"]["code"] == "INTERNAL_ERROR"

    assert not Tenant.objects.exists()
    assert not User.objects.exists()
    assert verify(api, mailed_code()).status_code == 200


# --- Slowed down ----------------------------------------------------------------------------------


def test_five_codes_for_an_address_then_wait(api: APIClient) -> None:
    assert [sign_up(api).status_code for _ in range(5)] == [201] * 5

    answer = sign_up(api)

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    assert len(mail.outbox) == 5
    assert sign_up(api, email="bea@acme.es", slug="bea").status_code == 201


def test_hundred_and_twenty_wishes_from_a_client_then_wait(
    api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(120):  # refused ones count as well: each tells whether a slug is there
        assert sign_up(api).status_code == 409

    answer = sign_up(api, email="bea@acme.es", slug="bea")

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    elsewhere = APIClient(REMOTE_ADDR="198.51.100.7")
    assert sign_up(elsewhere, slug="else").status_code == 201


def test_bad_wishes_are_not_counted(api: APIClient) -> None:
    for _ in range(61):
        assert sign_up(api, password="short").status_code == 400

    assert sign_up(api).status_code == 201


# --- At once --------------------------------------------------------------------------------------


@pytest.fixture
def race(committed_tenant: Tenant) -> Iterator[str]:
    """A slug, and the beginning of addresses, of which nothing stays."""
    slug = f"race-{uuid.uuid4().hex[:8]}"
    yield slug
    Signup.objects.filter(slug=slug).delete()
    Tenant.objects.filter(slug=slug).delete()
    User.objects.filter(email__startswith=slug).delete()


def test_of_parallel_signups_for_one_slug_one_gets_it(race: str) -> None:
    def wish(number: int) -> Any:
        return sign_up(APIClient(), email=f"{race}-{number}@acme.es", slug=race)

    assert at_once(wish, 8) == [201] + [409] * 7


def test_of_parallel_uses_of_one_code_one_gets_the_workspace(race: str) -> None:
    email = f"{race}@acme.es"
    sign_up(APIClient(), email=email, slug=race)
    code = mailed_code()

    assert at_once(lambda _: verify(APIClient(), code, email), 50) == [200] + [401] * 49
    assert Tenant.objects.filter(slug=race).count() == 1
    assert Session.all_tenants.filter(tenant__slug=race).count() == 1


def test_of_parallel_codes_of_two_signups_one_begins(race: str) -> None:
    """Each has a password of its own: the second must not come after the first."""
    email = f"{race}@acme.es"
    sign_up(APIClient(), email=email, slug=race)
    sign_up(APIClient(), email=email, slug=f"{race}-2")
    given = [mailed_code(0), mailed_code(1)]

    assert at_once(lambda number: verify(APIClient(), given[number], email), 2) == [200, 401]
    [tenant] = Tenant.objects.filter(slug__startswith=race)
    tenant.delete()
