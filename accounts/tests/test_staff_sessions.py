"""Sessions of our staff: how long they last, who ends them, who is told, and what asks again."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.leaving.expiry import delete_expired
from accounts.models import Plan, RecoveryCode, StaffSession, Tenant, TwoFactor, User
from accounts.services.signing_in.passwords import change_password
from accounts.signing_in.staff_notices import tell_staff_of_sign_ins
from accounts.tests.factories import PASSWORD, make_user, sign_staff_in, switch_two_factor_on

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
NEW_PASSWORD = "an entirely different one 2"
PLAN = "/admin/accounts/plan/free/change/"
PROOF = "/admin/proof/"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.com", PASSWORD)


@pytest.fixture
def staff(root: User) -> Client:
    client = Client()
    sign_staff_in(client, root)
    return client


def log_in(client: Client, user: User, code: str = "", address: str = "203.0.113.9") -> Any:
    return client.post(
        "/admin/login/",
        {"username": user.email, "password": PASSWORD, "code": code, "next": "/admin/"},
        REMOTE_ADDR=address,
        headers={"User-Agent": FIREFOX},
    )


def is_in(client: Client) -> bool:
    return bool(client.get("/admin/").status_code == 200)


def change(**times: Any) -> None:
    StaffSession.objects.update(**times)


# --- How long -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unused_minutes", "old_hours", "is_open"),
    [(29, 1, True), (30, 1, False), (1, 11.9, True), (1, 12, False)],
)
def test_one_ends_unused_after_half_an_hour_and_used_after_twelve(
    staff: Client, unused_minutes: float, old_hours: float, *, is_open: bool
) -> None:
    now = timezone.now()
    change(
        last_seen_at=now - timedelta(minutes=unused_minutes),
        began_at=now - timedelta(hours=old_hours),
    )

    assert is_in(staff) is is_open


def test_a_page_that_is_opened_keeps_it_open(staff: Client) -> None:
    change(last_seen_at=timezone.now() - timedelta(minutes=29))

    assert is_in(staff)
    assert timezone.now() - StaffSession.objects.get().last_seen_at < timedelta(minutes=1)


def test_djangos_session_alone_lets_nobody_in(root: User) -> None:
    client = Client()
    client.force_login(root)
    assert not is_in(client)

    session = client.session
    session["staff_session"] = str(uuid.uuid4())
    session.save()
    assert not is_in(client)


def test_another_persons_session_lets_nobody_in(root: User, staff: Client) -> None:
    other = User.objects.create_superuser("other@example.com", PASSWORD)
    client = Client()
    client.force_login(other)
    session = client.session
    session["staff_session"] = str(StaffSession.objects.get(user=root).pk)
    session.save()

    assert not is_in(client)


def test_its_cookie_is_for_the_browser_until_it_closes(root: User) -> None:
    client = Client()
    log_in(client, root)

    cookie = client.cookies["sessionid"]
    assert (cookie["path"], cookie["max-age"], bool(cookie["httponly"])) == ("/", "", True)


# --- Who ends it ----------------------------------------------------------------------------------


def test_its_owner_sees_their_own_and_ends_them(staff: Client, root: User) -> None:
    elsewhere = Client()
    log_in(elsewhere, root, address="198.51.100.7")
    other = User.objects.create_superuser("other@example.com", PASSWORD)
    log_in(Client(), other, address="192.0.2.1")
    session = StaffSession.objects.get(address="198.51.100.7")

    page = staff.get("/admin/sessions/").content.decode()
    assert ("198.51.100.7" in page, "192.0.2.1" in page) == (True, False)
    assert "Firefox · Linux" in page
    assert is_in(elsewhere)

    staff.post(f"/admin/sessions/{session.pk}/end/")
    assert (is_in(staff), is_in(elsewhere)) == (True, False)


def test_nobody_ends_another_ones_there(root: User, staff: Client) -> None:
    other = Client()
    sign_staff_in(other, User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True))
    session = StaffSession.objects.get(user=root)

    answer: Any = other.post(f"/admin/sessions/{session.pk}/end/", follow=True)

    assert "This session does not exist or has ended." in answer.content.decode()
    assert is_in(staff)


def test_a_superuser_ends_anybodys_and_it_is_logged(staff: Client) -> None:
    client, clerk = Client(), User.objects.create_user("c@example.com", PASSWORD, is_staff=True)
    sign_staff_in(client, clerk)
    selected = [str(StaffSession.objects.get(user=clerk).pk)]

    staff.post("/admin/accounts/staffsession/", {"action": "end", "_selected_action": selected})

    assert not is_in(client)
    assert LogEntry.objects.get().change_message == "Ended."


def test_logging_out_ends_it_also_for_a_copy_of_the_cookie(staff: Client) -> None:
    copy = Client()
    copy.cookies["sessionid"] = staff.cookies["sessionid"].value
    staff.post("/admin/logout/")

    assert StaffSession.objects.get().ended_at is not None
    assert not is_in(copy)


def test_another_password_ends_all(staff: Client, root: User) -> None:
    change_password(root, PASSWORD, NEW_PASSWORD, address="203.0.113.9")

    assert StaffSession.objects.open_now().count() == 0
    assert not is_in(staff)


@pytest.mark.parametrize(
    "powers", [{"is_staff": ""}, {"is_superuser": "on"}, {"is_active": ""}, {"user_permissions": 1}]
)
def test_other_powers_end_all(staff: Client, powers: dict[str, Any]) -> None:
    clerk = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    sign_staff_in(Client(), clerk)
    if "user_permissions" in powers:
        powers = {"user_permissions": [powers["user_permissions"]]}
    body = {"email": clerk.email, "is_active": "on", "is_staff": "on"}
    body |= {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    given = {name: value for name, value in (body | powers).items() if value != ""}

    answer = staff.post(f"/admin/accounts/user/{clerk.pk}/change/", given)

    assert answer.status_code == 302
    assert StaffSession.objects.open_now().filter(user=clerk).count() == 0


# --- Who is told ----------------------------------------------------------------------------------


def test_a_new_place_is_mailed_once_the_first_one_too(root: User) -> None:
    log_in(Client(), root)
    log_in(Client(), root)
    log_in(Client(), root, address="198.51.100.7")

    tell_staff_of_sign_ins()
    tell_staff_of_sign_ins()

    assert [message.to for message in mail.outbox] == [[root.email], [root.email]]
    told = str(mail.outbox[1].body)
    assert "198.51.100.7" in told
    assert "Firefox · Linux" in told
    assert f"{settings.BASE_URL}/admin/sessions/" in told


def test_without_a_mail_server_it_is_told_later(root: User, settings: Any) -> None:
    log_in(Client(), root)
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    tell_staff_of_sign_ins()
    assert StaffSession.objects.get().told_at is None

    settings.EMAIL_BACKEND = working
    tell_staff_of_sign_ins()
    assert len(mail.outbox) == 1


def test_old_ones_are_forgotten(staff: Client) -> None:
    change(last_seen_at=timezone.now() - timedelta(days=91))

    delete_expired(timezone.now())

    assert not StaffSession.objects.exists()


# --- A second factor, outside development ---------------------------------------------------------


@pytest.fixture
def production(settings: Any) -> None:
    settings.STAFF_NEED_TWO_FACTOR = True


@pytest.mark.usefixtures("production")
def test_without_one_nothing_is_done_before_it_is_set_up(root: User, tenant: Tenant) -> None:
    client = Client()
    assert log_in(client, root).status_code == 302
    paths = ["", "accounts/plan/", "accounts/tenant/add/", "password_change/", "search/?s=a"]

    for path in (*paths, f"accounts/tenant/{tenant.pk}/change/"):
        for answer in (client.get(f"/admin/{path}"), client.post(f"/admin/{path}", {"name": "X"})):
            assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/two-factor/")


@pytest.mark.usefixtures("production")
def test_it_is_set_up_right_there(root: User) -> None:
    client = Client()
    log_in(client, root)
    page = client.get("/admin/two-factor/")
    secret = page.context["secret"]

    wrong = client.post("/admin/two-factor/", {"code": "000000"})
    assert (wrong.status_code, wrong.context["secret"]) == (400, secret)
    assert not TwoFactor.objects.exclude(confirmed_at=None).exists()

    right = client.post("/admin/two-factor/", {"code": pyotp.TOTP(secret).now()})
    assert len(right.context["codes"]) == 10
    assert is_in(client)
    assert client.get("/admin/two-factor/").headers["Location"] == "/admin/"


@pytest.mark.usefixtures("production")
def test_guessing_there_is_slowed_down(root: User) -> None:
    client = Client()
    log_in(client, root)
    secret = client.get("/admin/two-factor/").context["secret"]
    for _ in range(10):
        client.post("/admin/two-factor/", {"code": "000000"})

    answer = client.post("/admin/two-factor/", {"code": pyotp.TOTP(secret).now()})

    assert "Too many attempts" in answer.content.decode()
    assert not TwoFactor.objects.exclude(confirmed_at=None).exists()


@pytest.mark.usefixtures("production")
def test_a_browser_that_was_left_open_sets_none_up(root: User) -> None:
    client = Client()
    log_in(client, root)
    change(proved_at=timezone.now() - timedelta(minutes=31), last_seen_at=timezone.now())

    assert client.get("/admin/two-factor/").headers["Location"].startswith(PROOF)


@pytest.mark.usefixtures("production")
def test_nobody_sees_that_page_who_is_not_logged_in(root: User) -> None:
    for path in ("two-factor/", "proof/", "sessions/"):
        assert Client().get(f"/admin/{path}").headers["Location"] == "/admin/login/"
    assert not TwoFactor.objects.exists()


@pytest.mark.usefixtures("production")
def test_who_lost_everything_is_let_in_by_a_recovery_code_or_by_the_operator(root: User) -> None:
    _, codes = switch_two_factor_on(root)
    client = Client()
    assert log_in(client, root, codes[0]).status_code == 302
    assert is_in(client)

    call_command("reset_two_factor", "Root@Example.com")

    assert not RecoveryCode.objects.exists()
    assert client.get("/admin/").headers["Location"] == "/admin/two-factor/"
    with pytest.raises(CommandError):
        call_command("reset_two_factor", "nobody@example.com")


def test_in_development_the_password_is_enough(root: User) -> None:
    client = Client()
    log_in(client, root)

    assert is_in(client)


# --- Asked again ----------------------------------------------------------------------------------

GRAVE = [
    PLAN,
    "/admin/accounts/plan/add/",
    "/admin/accounts/plan/pro/delete/",
    "/admin/auth/group/add/",
    "/admin/accounts/user/{}/change/",
    "/admin/accounts/user/{}/password/",
    "/admin/accounts/user/{}/delete/",
]
HARMLESS = ["/admin/", "/admin/accounts/plan/", "/admin/accounts/session/", "/admin/sessions/"]


def test_what_cannot_be_taken_back_asks_for_both_factors_again(staff: Client, root: User) -> None:
    person = make_user()
    change(proved_at=timezone.now() - timedelta(minutes=16))

    for path in GRAVE:
        answer = staff.get(path.format(person.pk))
        assert answer.headers["Location"].startswith(f"{PROOF}?next="), path
    for path in HARMLESS:
        assert staff.get(path).status_code == 200


def test_whatever_writes_asks_and_nothing_is_changed(staff: Client, root: User) -> None:
    body = {"name": "Other", "schedule_frequencies": ["manual"]}
    body |= {"max_requests_per_minute": "30", "max_pages_per_crawl": "25"}
    change(proved_at=timezone.now() - timedelta(minutes=31))

    answer: Any = staff.post(PLAN, body, follow=True)
    assert "Nothing was changed." in answer.content.decode()
    assert Plan.objects.get(slug="free").name != "Other"

    proof = staff.post(f"{PROOF}?next={PLAN}", {"password": PASSWORD})
    assert proof.headers["Location"] == PLAN
    assert staff.post(PLAN, body).status_code == 302
    assert Plan.objects.get(slug="free").name == "Other"


def test_a_form_that_was_opened_in_time_may_be_filled_in(staff: Client) -> None:
    change(proved_at=timezone.now() - timedelta(minutes=29))

    assert staff.post("/admin/accounts/plan/add/", {}).status_code == 200


@pytest.mark.parametrize(
    ("password", "has_code", "is_proof"),
    [(PASSWORD, True, True), (PASSWORD, False, False), ("wrong", True, False)],
)
def test_both_are_needed_where_both_are_on(
    staff: Client, root: User, password: str, *, has_code: bool, is_proof: bool
) -> None:
    secret, _ = switch_two_factor_on(root)
    code = pyotp.TOTP(secret).now() if has_code else ""
    change(proved_at=timezone.now() - timedelta(hours=1))

    answer = staff.post(PROOF, {"password": password, "code": code})

    assert answer.status_code == (302 if is_proof else 400)
    assert (staff.get(PLAN).status_code == 200) is is_proof


def test_guessing_at_it_is_slowed_down_as_a_login(staff: Client, root: User) -> None:
    for _ in range(10):
        staff.post(PROOF, {"password": "wrong"})

    assert "Too many attempts" in staff.post(PROOF, {"password": PASSWORD}).content.decode()
    assert log_in(Client(), root, address="127.0.0.1").status_code == 429


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/", "//evil.example", "/dashboard/", "/admin/../dashboard/"],
)
def test_it_leads_nowhere_else(staff: Client, wanted: str) -> None:
    answer = staff.post(f"{PROOF}?next={wanted}", {"password": PASSWORD})

    assert answer.headers["Location"] == "/admin/"
