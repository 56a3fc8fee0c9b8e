"""A mail to whoever is signed in to from a place that they were not known to sign in from."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.mail.deliveries import read_context
from accounts.models import OutgoingMail, Session, Tenant, User
from accounts.services.signing_in.sessions import revoke_sessions_of
from accounts.tests.factories import PASSWORD, make_membership, make_tenant, make_user
from config.security.devices import network_of, read_device

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
NEWER_FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
    " (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def user(tenant: Tenant) -> User:
    return make_user(tenant)


def log_in(user: User, *, address: str = "203.0.113.9", agent: str = FIREFOX) -> None:
    api = APIClient(REMOTE_ADDR=address, headers={"User-Agent": agent})
    answer = api.post("/auth/login", {"email": user.email, "password": PASSWORD}, "json")
    assert answer.status_code == 200, answer.content


def mailed() -> list[dict[str, str]]:
    mails = OutgoingMail.all_tenants.filter(template="new_sign_in").order_by("created_at")
    return [read_context(mail) for mail in mails]


def test_the_first_sign_in_of_all_is_told_to_nobody(user: User) -> None:
    log_in(user)

    assert mailed() == []


def test_a_known_place_is_told_to_nobody_also_after_an_update_or_with_a_neighbours_address(
    user: User,
) -> None:
    log_in(user)
    log_in(user, agent=NEWER_FIREFOX)
    log_in(user, address="203.0.113.200")

    assert mailed() == []


def test_another_network_is_told_with_when_what_and_where(user: User, tenant: Tenant) -> None:
    tenant.time_zone = "America/Mexico_City"
    tenant.save()
    log_in(user)

    log_in(user, address="198.51.100.7")

    session = Session.objects.for_tenant(tenant).get(address="198.51.100.7")
    local = session.created_at - timedelta(hours=6)
    assert mailed() == [
        {
            "tenant_name": tenant.name,
            "signed_in_at": f"{local:%Y-%m-%d %H:%M} (America/Mexico_City)",
            "device": "Firefox · Linux",
            "address": "198.51.100.7",
            "link": f"{settings.BASE_URL}/dashboard/account",
        }
    ]
    [mail] = OutgoingMail.objects.for_tenant(tenant)
    assert (mail.recipient, mail.language) == (user.email, tenant.language)


def test_it_is_in_the_language_of_the_person_before_that_of_the_workspace(
    user: User, tenant: Tenant
) -> None:
    assert tenant.language == "es"
    user.language = "en"
    user.save()
    log_in(user)
    log_in(user, agent=PHONE)

    assert OutgoingMail.objects.for_tenant(tenant).get().language == "en"


def test_another_kind_of_device_is_told(user: User) -> None:
    log_in(user)
    log_in(user, agent=PHONE)

    assert [told["device"] for told in mailed()] == ["Safari · iPhone"]


def test_a_place_is_told_once(user: User) -> None:
    log_in(user)
    log_in(user, agent=PHONE)
    log_in(user, agent=PHONE)

    assert len(mailed()) == 1


def test_a_place_is_known_in_all_workspaces_of_a_person_also_after_its_session_has_ended(
    user: User,
) -> None:
    log_in(user)
    revoke_sessions_of(user)
    zeta = make_tenant("zeta")
    make_membership(zeta, user)
    api = APIClient(REMOTE_ADDR="203.0.113.9", headers={"User-Agent": FIREFOX})

    api.post(
        "/auth/login", {"email": user.email, "password": PASSWORD, "tenant_slug": "zeta"}, "json"
    )

    assert Session.objects.for_tenant(zeta).count() == 1
    assert mailed() == []


def test_the_place_of_a_colleague_is_none_of_ones_own(user: User, tenant: Tenant) -> None:
    log_in(user)
    log_in(make_user(tenant), address="198.51.100.7")

    log_in(user, address="198.51.100.7")

    assert len(mailed()) == 1


def test_a_place_is_forgotten_after_ninety_days(user: User, tenant: Tenant) -> None:
    log_in(user)
    long_ago = timezone.now() - timedelta(days=91)
    sessions = Session.objects.for_tenant(tenant)
    sessions.update(created_at=long_ago, last_seen_at=long_ago)

    log_in(user)

    assert len(mailed()) == 1


def test_sessions_from_before_places_were_kept_make_none_new(user: User, tenant: Tenant) -> None:
    log_in(user)
    Session.objects.for_tenant(tenant).update(address="", user_agent="")

    log_in(user)

    assert mailed() == []


def test_the_dashboard_tells_too(user: User, client: Any) -> None:
    log_in(user)

    client.post(
        "/dashboard/sign-in",
        {"email": user.email, "password": PASSWORD},
        REMOTE_ADDR="198.51.100.7",
        headers={"User-Agent": FIREFOX},
    )

    assert [told["address"] for told in mailed()] == ["198.51.100.7"]


# --- What a place is ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user_agent", "shown"),
    [
        (FIREFOX, "Firefox · Linux"),
        (PHONE, "Safari · iPhone"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge · Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/140.0.0.0 Mobile Safari/537.36",
            "Chrome · Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15"
            " (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
            "Safari · macOS",
        ),
        ("curl/8.5.0", "curl"),
        ("python-requests/2.32.3", "python-requests"),
        ("", ""),
        ("<b>", ""),
    ],
)
def test_a_device_is_read_from_what_it_says_without_versions(user_agent: str, shown: str) -> None:
    assert str(read_device(user_agent)) == shown


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.0/24"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_a_network_is_what_an_address_shares_with_its_neighbours(
    address: str, network: str
) -> None:
    assert network_of(address) == network
