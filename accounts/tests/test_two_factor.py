"""POST /auth/2fa/verify, /setup, /confirm and /disable."""

import re
import time
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jwt
import pyotp
import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import (
    ApiToken,
    Membership,
    OutgoingMail,
    RecoveryCode,
    Role,
    Session,
    Tenant,
    TwoFactor,
    User,
)
from accounts.signing_in.second_factor import make_recovery_codes, make_secret, seal_secret
from accounts.signing_in.tokens import make_api_token, make_challenge, make_tokens
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_membership,
    make_session,
    make_tenant,
    make_user,
    switch_two_factor_on,
)
from config.security.encryption import decrypt, digest
from config.tests.parallel import in_parallel

STEP_SECONDS = 30
INVALID_OTP = {
    "error": {
        "code": "INVALID_OTP",
        "message": (
            "The code is wrong or has already been used. Enter the code that the app shows"
            " now, or an unused recovery code."
        ),
    }
}
CHALLENGE_OVER = {
    "error": {
        "code": "UNAUTHORIZED",
        "message": "The login took too long, or the account has changed. Log in again.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, role=Role.VIEWER, email="ana@acme.es")


@pytest.fixture
def ana_api(ana: User, tenant: Tenant) -> APIClient:
    return client_with(bearer(ana, tenant))


def client_with(headers: dict[str, str]) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=headers["Authorization"])
    return client


def log_in(api: APIClient, **over: Any) -> Any:
    return api.post("/auth/login", {"email": "ana@acme.es", "password": PASSWORD} | over, "json")


def verify(api: APIClient, challenge: Any, code: Any) -> Any:
    return api.post("/auth/2fa/verify", {"challenge": challenge, "code": code}, "json")


def confirm(api: APIClient, code: Any) -> Any:
    return api.post("/auth/2fa/confirm", {"code": code}, "json")


def disable(api: APIClient, code: Any, password: Any = PASSWORD) -> Any:
    return api.post("/auth/2fa/disable", {"password": password, "code": code}, "json")


def code_in(secret: str, steps: int) -> str:
    """What the app shows so many steps from now."""
    return pyotp.TOTP(secret).at(time.time() + steps * STEP_SECONDS)


def wrong_code(secret: str) -> str:
    """Six digits that are none of the next or last minutes."""
    right = {code_in(secret, steps) for steps in range(-3, 4)}
    return next(code for code in map("{:06d}".format, range(100)) if code not in right)


# --- The whole way --------------------------------------------------------------------------------


def test_from_setup_to_the_next_login_and_back_off(
    api: APIClient, ana_api: APIClient, ana: User, tenant: Tenant
) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]
    assert ana_api.get("/auth/me").json()["two_factor_enabled"] is False
    assert "access_token" in log_in(api).json()  # not before it is confirmed

    codes = confirm(ana_api, code_in(secret, -1)).json()["recovery_codes"]
    assert ana_api.get("/auth/me").json()["two_factor_enabled"] is True

    asked = log_in(api)
    assert (asked.status_code, asked.headers["Cache-Control"]) == (200, "no-store")
    assert asked.json().keys() == {"two_factor_required", "challenge"}
    assert asked.json()["two_factor_required"] is True

    answer = verify(api, asked.json()["challenge"], code_in(secret, 0))
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json() | {"access_token": "", "refresh_token": ""} == {
        "access_token": "",
        "refresh_token": "",
        "token_type": "Bearer",
        "expires_in": 900,
        "role": "viewer",
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
    }
    me = api.get(
        "/auth/me", headers={"Authorization": f"Bearer {answer.json()['access_token']}"}
    ).json()
    assert (me["user_id"], me["two_factor_enabled"]) == (str(ana.id), True)

    assert disable(ana_api, codes[0]).json() == {}
    assert ana_api.get("/auth/me").json()["two_factor_enabled"] is False
    assert "access_token" in log_in(api).json()


# --- Setup ----------------------------------------------------------------------------------------


def test_setup_answers_a_secret_and_its_address(ana_api: APIClient) -> None:
    answer = ana_api.post("/auth/2fa/setup")

    setup = answer.json()
    uri = urlsplit(setup["otpauth_uri"])
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert setup.keys() == {"secret", "otpauth_uri"}
    assert re.fullmatch(r"[A-Z2-7]{32}", setup["secret"])  # 160 bits
    assert (uri.scheme, uri.netloc, unquote(uri.path)) == (
        "otpauth",
        "totp",
        "/Knowledge Agents:ana@acme.es",
    )
    assert parse_qs(uri.query) == {"secret": [setup["secret"]], "issuer": ["Knowledge Agents"]}


def test_an_authenticator_that_reads_the_address_shows_the_right_code(ana_api: APIClient) -> None:
    app = pyotp.parse_uri(ana_api.post("/auth/2fa/setup").json()["otpauth_uri"])
    assert isinstance(app, pyotp.TOTP)

    assert confirm(ana_api, app.now()).status_code == 200


def test_secret_is_encrypted_at_rest_for_its_person_only(
    ana_api: APIClient, ana: User, tenant: Tenant
) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]
    sealed = bytes(TwoFactor.objects.get(user=ana).encrypted_secret)
    other = make_user(tenant)
    TwoFactor.objects.create(user=other, encrypted_secret=sealed)

    assert secret.encode() not in sealed
    answer = confirm(client_with(bearer(other, tenant)), code_in(secret, 0))
    assert answer.status_code == 503


def test_setup_again_gives_another_secret_and_the_first_is_no_good(ana_api: APIClient) -> None:
    first = ana_api.post("/auth/2fa/setup").json()["secret"]
    second = ana_api.post("/auth/2fa/setup").json()["secret"]

    assert first != second
    assert confirm(ana_api, code_in(first, 0)).json() == INVALID_OTP
    assert confirm(ana_api, code_in(second, 0)).status_code == 200


def test_setup_while_it_is_on_is_a_conflict_and_changes_nothing(
    ana_api: APIClient, ana: User
) -> None:
    switch_two_factor_on(ana)
    before = TwoFactor.objects.values().get()

    answer = ana_api.post("/auth/2fa/setup")

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "error": {
                "code": "CONFLICT",
                "message": "Two-factor authentication is on. Disable it to set it up again.",
            }
        },
    )
    assert TwoFactor.objects.values().get() == before


# --- Confirm --------------------------------------------------------------------------------------


def test_confirm_answers_ten_readable_recovery_codes(ana_api: APIClient, ana: User) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]

    answer = confirm(ana_api, code_in(secret, 0))

    codes = answer.json()["recovery_codes"]
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    assert answer.json().keys() == {"recovery_codes"}
    assert len(codes) == len(set(codes)) == 10
    # 32 letters and digits to choose from: 50 bits
    form = re.compile(r"[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}")
    assert [code for code in codes if not form.fullmatch(code)] == []
    hashes = set(
        RecoveryCode.objects.filter(two_factor__user=ana).values_list("code_hash", flat=True)
    )
    assert len(hashes) == 10
    assert all(re.fullmatch(r"[0-9a-f]{64}", code_hash) for code_hash in hashes)


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_confirm_takes_the_codes_of_the_steps_around(ana_api: APIClient, steps: int) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]

    assert confirm(ana_api, code_in(secret, steps)).status_code == 200


@pytest.mark.parametrize("steps", [-3, 3])
def test_a_code_of_another_minute_is_wrong(ana_api: APIClient, steps: int) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]

    answer = confirm(ana_api, code_in(secret, steps))

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert ana_api.get("/auth/me").json()["two_factor_enabled"] is False
    assert not RecoveryCode.objects.exists()


def test_confirm_without_setup_says_what_to_do(ana_api: APIClient) -> None:
    answer = confirm(ana_api, "123456")

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "error": {
                "code": "CONFLICT",
                "message": "Two-factor authentication is not set up yet: call POST"
                " /auth/2fa/setup.",
            }
        },
    )


def test_confirm_while_it_is_on_is_a_conflict(ana_api: APIClient, ana: User) -> None:
    secret, _ = switch_two_factor_on(ana)

    answer = confirm(ana_api, code_in(secret, 1))

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONFLICT")
    assert RecoveryCode.objects.count() == 10


def test_the_code_that_confirmed_does_not_log_in(api: APIClient, ana_api: APIClient) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]
    code = code_in(secret, 0)
    confirm(ana_api, code)

    assert verify(api, log_in(api).json()["challenge"], code).json() == INVALID_OTP


# --- Verify: the code -----------------------------------------------------------------------------


@pytest.fixture
def secret(ana: User) -> str:
    return switch_two_factor_on(ana)[0]


@pytest.fixture
def recovery_codes(ana: User, secret: str) -> list[str]:
    RecoveryCode.objects.filter(two_factor__user=ana).delete()
    return make_recovery_codes(TwoFactor.objects.get(user=ana))


@pytest.fixture
def challenge(api: APIClient, secret: str) -> str:
    return str(log_in(api).json()["challenge"])


def test_wrong_code_is_refused_and_opens_no_session(
    api: APIClient, challenge: str, secret: str
) -> None:
    answer = verify(api, challenge, wrong_code(secret))

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert not Session.all_tenants.exists()


def test_a_code_is_good_once(api: APIClient, challenge: str, secret: str) -> None:
    code = code_in(secret, 0)

    assert verify(api, challenge, code).status_code == 200
    again = verify(api, challenge, code)
    assert (again.status_code, again.json()) == (401, INVALID_OTP)


def test_a_code_of_a_step_before_the_last_used_is_refused(
    api: APIClient, challenge: str, secret: str
) -> None:
    older, newer = code_in(secret, 0), code_in(secret, 1)

    assert verify(api, challenge, newer).status_code == 200
    assert verify(api, challenge, older).status_code == 401


def test_a_code_is_read_as_the_app_groups_it(api: APIClient, challenge: str, secret: str) -> None:
    code = code_in(secret, 0)

    assert verify(api, challenge, f" {code[:3]} {code[3:]} ").status_code == 200


@pytest.mark.parametrize(
    "typed",
    [
        lambda code: code,
        lambda code: code.upper(),
        lambda code: code.replace("-", ""),
        lambda code: f" {code.replace('-', ' - ')} ",
        lambda code: code.replace("0", "O").replace("1", "I"),
    ],
    ids=["as shown", "capitals", "no dash", "spaces", "letters for digits"],
)
def test_a_recovery_code_logs_in_once(
    api: APIClient, challenge: str, recovery_codes: list[str], typed: Any
) -> None:
    assert verify(api, challenge, typed(recovery_codes[3])).status_code == 200

    again = verify(api, challenge, recovery_codes[3])
    assert (again.status_code, again.json()) == (401, INVALID_OTP)
    assert RecoveryCode.objects.filter(used_at=None).count() == 9
    assert verify(api, challenge, recovery_codes[4]).status_code == 200


def test_the_recovery_code_of_somebody_else_is_wrong(
    api: APIClient, challenge: str, tenant: Tenant
) -> None:
    _, theirs = switch_two_factor_on(make_user(tenant))

    assert verify(api, challenge, theirs[0]).json() == INVALID_OTP
    assert not RecoveryCode.objects.exclude(used_at=None).exists()


@pytest.mark.parametrize("code", ["0", "-", "------", "1234567", "a" * 40, "１２３", "é", "²²²²²²"])
def test_what_is_no_code_is_wrong(api: APIClient, challenge: str, code: str) -> None:
    answer = verify(api, challenge, code)

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)


def test_guessing_is_slowed_down_and_the_right_code_clears_it(
    api: APIClient, challenge: str, secret: str
) -> None:
    for _ in range(9):
        assert verify(api, challenge, wrong_code(secret)).status_code == 401
    assert verify(api, challenge, code_in(secret, 0)).status_code == 200
    for _ in range(10):
        assert verify(api, challenge, wrong_code(secret)).status_code == 401

    answer = verify(api, challenge, code_in(secret, 1))

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 450 <= int(answer.headers["Retry-After"]) <= 900
    assert log_in(api).status_code == 200  # the password is counted by itself


# --- Verify: the challenge ------------------------------------------------------------------------


@pytest.fixture
def membership(ana: User, tenant: Tenant) -> Membership:
    return Membership.objects.for_tenant(tenant).select_related("user").get(user=ana)


def forge(membership: Membership, **over: Any) -> str:
    content = jwt.decode(make_challenge(membership), options={"verify_signature": False})
    return jwt.encode(content | over, settings.SECRET_KEY, algorithm="HS256")


@pytest.mark.parametrize(
    "over",
    [
        {"exp": 1},
        {"token_type": "access"},
        {"mid": "00000000-0000-0000-0000-000000000000"},
        {"mid": "none"},
        {"pwd": "é"},
        {"pwd": None},
    ],
    ids=lambda over: next(iter(over)),
)
def test_a_false_challenge_is_unauthorized_whatever_the_code(
    api: APIClient, membership: Membership, secret: str, over: dict[str, Any]
) -> None:
    answer = verify(api, forge(membership, **over), code_in(secret, 0))

    assert (answer.status_code, answer.json()) == (401, CHALLENGE_OVER)
    assert verify(api, forge(membership), code_in(secret, 0)).status_code == 200


def test_a_challenge_lasts_five_minutes(membership: Membership) -> None:
    content = jwt.decode(make_challenge(membership), options={"verify_signature": False})

    assert content["exp"] - content["iat"] == 300


def test_other_tokens_are_no_challenges(
    api: APIClient, ana: User, tenant: Tenant, secret: str
) -> None:
    tokens = make_tokens(make_session(ana, tenant))

    for token in (tokens.access_token, tokens.refresh_token, "x.y.z", "x"):
        answer = verify(api, token, code_in(secret, 0))
        assert (answer.status_code, answer.json()) == (401, CHALLENGE_OVER)


def test_a_challenge_admits_to_nothing_else(api: APIClient, challenge: str) -> None:
    headers = {"Authorization": f"Bearer {challenge}"}

    for path in ("/auth/me", "/auth/tenants", "/ingest/sources"):
        assert api.get(path, headers=headers).status_code == 401
    assert api.post("/auth/2fa/setup", headers=headers).status_code == 401
    assert api.post("/auth/refresh", {"refresh_token": challenge}, "json").status_code == 401
    assert api.post("/auth/logout", {"refresh_token": challenge}, "json").status_code == 401


def change_password(ana: User) -> None:
    ana.set_password("another long password 2")
    ana.save()


def disable_person(ana: User) -> None:
    ana.is_active = False
    ana.save()


def remove(ana: User) -> None:
    ana.memberships.all().delete()


def switch_off(ana: User) -> None:
    TwoFactor.objects.get(user=ana).delete()


@pytest.mark.parametrize("change", [change_password, disable_person, remove, switch_off])
def test_what_changed_since_ends_the_challenge(
    api: APIClient, ana: User, challenge: str, secret: str, change: Any
) -> None:
    change(ana)

    answer = verify(api, challenge, code_in(secret, 0))

    assert (answer.status_code, answer.json()) == (401, CHALLENGE_OVER)
    assert not Session.all_tenants.exists()


@pytest.mark.parametrize("change", [change_password, disable_person])
def test_what_changes_while_the_code_is_checked_ends_the_challenge(
    api: APIClient,
    ana: User,
    challenge: str,
    secret: str,
    change: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "accounts.services.signing_in.two_factor.take_code",
        lambda *_: change(User.objects.get(pk=ana.pk)),
    )

    answer = verify(api, challenge, code_in(secret, 0))

    assert (answer.status_code, answer.json()) == (401, CHALLENGE_OVER)
    assert not Session.all_tenants.exists()


def test_a_role_that_changed_since_is_the_one_that_counts(
    api: APIClient, membership: Membership, challenge: str, secret: str
) -> None:
    membership.role = Role.MEMBER
    membership.save()

    assert verify(api, challenge, code_in(secret, 0)).json()["role"] == "member"


def test_the_tenant_of_the_login_is_the_one_of_the_session(
    api: APIClient, ana: User, secret: str
) -> None:
    make_membership(make_tenant("second"), ana)
    challenge = log_in(api, tenant_slug="second").json()["challenge"]

    assert verify(api, challenge, code_in(secret, 0)).json()["tenant_slug"] == "second"


# --- Disable --------------------------------------------------------------------------------------


def test_disable_takes_password_and_code_of_the_app(
    ana_api: APIClient, ana: User, secret: str
) -> None:
    answer = disable(ana_api, code_in(secret, 0))

    assert (answer.status_code, answer.json()) == (200, {})
    assert not TwoFactor.objects.exists()
    assert not RecoveryCode.objects.exists()


def test_disable_takes_a_recovery_code(ana_api: APIClient, recovery_codes: list[str]) -> None:
    assert disable(ana_api, recovery_codes[0]).status_code == 200


def test_disable_looks_at_the_password_first_and_uses_no_code_up(
    ana_api: APIClient, secret: str
) -> None:
    code = code_in(secret, 0)

    answer = disable(ana_api, code, "not her password")

    assert (answer.status_code, answer.json()) == (
        401,
        {"error": {"code": "INCORRECT_PASSWORD", "message": "The current password is wrong."}},
    )
    assert TwoFactor.objects.exists()
    assert disable(ana_api, code).status_code == 200


def test_disable_with_a_wrong_code_leaves_it_on(ana_api: APIClient, secret: str) -> None:
    answer = disable(ana_api, wrong_code(secret))

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert ana_api.get("/auth/me").json()["two_factor_enabled"] is True


def test_disable_without_a_password_says_what_to_do(
    ana_api: APIClient, ana: User, secret: str
) -> None:
    ana.set_unusable_password()
    ana.save()

    answer = disable(ana_api, code_in(secret, 0))

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "NO_PASSWORD_SET")


def test_disable_while_it_is_off_is_a_conflict(ana_api: APIClient) -> None:
    ana_api.post("/auth/2fa/setup")  # not confirmed: still off

    answer = disable(ana_api, "123456")

    assert (answer.status_code, answer.json()) == (
        409,
        {"error": {"code": "CONFLICT", "message": "Two-factor authentication is off."}},
    )


def test_disable_slows_guessing_of_the_password_down(ana_api: APIClient, secret: str) -> None:
    for _ in range(10):
        assert disable(ana_api, code_in(secret, 0), "wrong").status_code == 401

    answer = disable(ana_api, code_in(secret, 0))

    assert answer.status_code == 429
    assert 450 <= int(answer.headers["Retry-After"]) <= 900


def test_disable_slows_guessing_of_the_code_down(ana_api: APIClient, secret: str) -> None:
    for _ in range(10):
        assert disable(ana_api, wrong_code(secret)).status_code == 401

    assert disable(ana_api, code_in(secret, 0)).status_code == 429


# --- Mail -----------------------------------------------------------------------------------------


def test_both_changes_are_mailed(
    ana_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = ana_api.post("/auth/2fa/setup").json()["secret"]
    assert not OutgoingMail.all_tenants.exists()

    confirm(ana_api, code_in(secret, 0))
    disable(ana_api, code_in(secret, 1))

    mails = OutgoingMail.objects.for_tenant(tenant).order_by("created_at")
    assert [(mail.template, mail.recipient) for mail in mails] == [
        ("two_factor_enabled", "ana@acme.es"),
        ("two_factor_disabled", "ana@acme.es"),
    ]


# --- Who may, and with what -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["setup", "confirm", "disable"])
def test_people_only(api: APIClient, ana: User, tenant: Tenant, path: str) -> None:
    row = ApiToken.objects.for_tenant(tenant).create(
        membership=Membership.objects.for_tenant(tenant).get(user=ana),
        name="Shop",
        expires_at=timezone.now() + timedelta(days=1),
    )
    token = make_api_token(row)
    ApiToken.objects.for_tenant(tenant).filter(pk=row.pk).update(token_hash=digest(token))
    machine = client_with({"Authorization": f"Bearer {token}"})
    body = {"code": "123456", "password": PASSWORD}

    assert api.post(f"/auth/2fa/{path}", body, "json").status_code == 401
    assert machine.post(f"/auth/2fa/{path}", body, "json").status_code == 403
    assert not TwoFactor.objects.exists()


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("verify", {"code": "123456"}, "MISSING_FIELDS"),
        ("verify", {"challenge": "x"}, "MISSING_FIELDS"),
        ("verify", {"challenge": "x", "code": ""}, "MISSING_FIELDS"),
        ("verify", {"challenge": "x", "code": 123456}, "VALIDATION_ERROR"),
        ("verify", {"challenge": "x", "code": "1" * 41}, "VALIDATION_ERROR"),
        ("verify", {"challenge": "x", "code": "1\x00"}, "VALIDATION_ERROR"),
        ("verify", {"challenge": "x" * 4001, "code": "123456"}, "VALIDATION_ERROR"),
        ("confirm", {}, "MISSING_FIELDS"),
        ("confirm", {"code": None}, "MISSING_FIELDS"),
        ("confirm", {"code": ["123456"]}, "VALIDATION_ERROR"),
        ("disable", {"code": "123456"}, "MISSING_FIELDS"),
        ("disable", {"password": PASSWORD}, "MISSING_FIELDS"),
        ("disable", {"password": 1, "code": "123456"}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(ana_api: APIClient, path: str, body: dict[str, Any], code: str) -> None:
    answer = ana_api.post(f"/auth/2fa/{path}", body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_a_key_that_was_taken_away_leaves_the_recovery_codes(
    api: APIClient, ana: User, settings: Any
) -> None:
    secret, codes = switch_two_factor_on(ana)
    challenge = make_challenge(ana.memberships.get())
    settings.CHANNEL_ENCRYPTION_KEYS = [bytes(range(128, 160))]

    answer = verify(api, challenge, code_in(secret, 1))

    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
    assert "recovery code" in answer.json()["error"]["message"]
    assert verify(api, challenge, codes[0]).status_code == 200


# --- In parallel ----------------------------------------------------------------------------------


def verify_in_parallel(challenge: str, code: str) -> list[int]:
    return sorted(
        in_parallel(
            lambda: verify(APIClient(raise_request_exception=False), challenge, code).status_code
        )
    )


# Limits hold here: who is late with the right code has not guessed.


@pytest.fixture
def bea(committed_tenant: Tenant) -> User:
    return make_user(committed_tenant)


def test_fifty_uses_of_a_recovery_code_log_in_once(bea: User) -> None:
    _, codes = switch_two_factor_on(bea)

    statuses = verify_in_parallel(make_challenge(bea.memberships.get()), codes[0])

    assert statuses == [200] + [401] * 49
    assert Session.all_tenants.filter(membership__user=bea).count() == 1
    assert RecoveryCode.objects.filter(two_factor__user=bea, used_at=None).count() == 9


def test_fifty_uses_of_a_code_of_the_app_log_in_once(bea: User) -> None:
    secret, _ = switch_two_factor_on(bea)

    statuses = verify_in_parallel(make_challenge(bea.memberships.get()), code_in(secret, 1))

    assert statuses == [200] + [401] * 49
    assert Session.all_tenants.filter(membership__user=bea).count() == 1


def test_of_fifty_guesses_at_once_ten_are_looked_at(bea: User) -> None:
    switch_two_factor_on(bea)

    statuses = verify_in_parallel(make_challenge(bea.memberships.get()), "zzzzz-zzzzz")

    assert statuses == [401] * 10 + [429] * 40


def test_fifty_confirms_switch_on_once_with_ten_codes(bea: User, committed_tenant: Tenant) -> None:
    secret = make_secret()
    TwoFactor.objects.create(user=bea, encrypted_secret=seal_secret(bea, secret))
    headers, code = bearer(bea, committed_tenant), code_in(secret, 1)

    statuses = sorted(in_parallel(lambda: confirm(client_with(headers), code).status_code))

    assert statuses == [200] + [409] * 49
    assert RecoveryCode.objects.filter(two_factor__user=bea).count() == 10
    mails = OutgoingMail.objects.for_tenant(committed_tenant)
    assert [mail.template for mail in mails] == ["two_factor_enabled"]


def test_setups_beside_confirms_never_switch_on_a_secret_that_no_code_proved(
    bea: User, committed_tenant: Tenant
) -> None:
    """Else the person would be locked out: the app has another secret."""
    secret = make_secret()
    TwoFactor.objects.create(user=bea, encrypted_secret=seal_secret(bea, secret))
    headers, code = bearer(bea, committed_tenant), code_in(secret, 1)
    paths = iter(["confirm", "setup"] * 25)

    def call() -> int:
        answer = client_with(headers).post(f"/auth/2fa/{next(paths)}", {"code": code}, "json")
        return int(answer.status_code)

    statuses = in_parallel(call)

    row = TwoFactor.objects.get(user=bea)
    assert 500 not in statuses
    if row.confirmed_at is not None:
        kept = decrypt(bytes(row.encrypted_secret), context=f"accounts.TwoFactor:{bea.pk}").decode()
        assert kept == secret
