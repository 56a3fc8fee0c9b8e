"""Mails that their reader has not asked for, over all kinds and workspaces."""

import pytest
from rest_framework.test import APIClient

from accounts.models import OutgoingMail, Purpose, Tenant
from accounts.services.invitations import invite_member
from accounts.signing_in.guessing import count_sending
from accounts.tests.factories import make_tenant, make_user
from config.errors import TooManyRequests

VICTIM = "victim@elsewhere.example"


def test_an_address_is_invited_ten_times_a_day_from_however_many_workspaces(db: None) -> None:
    tenants = [make_tenant() for _ in range(12)]

    outcomes = [invite(tenant) for tenant in tenants]

    assert outcomes == [True] * 10 + [False] * 2
    assert OutgoingMail.all_tenants.filter(recipient=VICTIM).count() == 10


def invite(tenant: Tenant) -> bool:
    try:
        invite_member(tenant, email=VICTIM, role="member", inviter=make_user(tenant))
    except TooManyRequests:
        return False
    return True


def test_who_invites_too_often_is_told_when_it_goes_on(
    tenant: Tenant, admin_api: APIClient
) -> None:
    for _ in range(10):
        invite(make_tenant())

    answer = admin_api.post("/tenants/me/members", {"email": VICTIM, "role": "member"}, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 0 < int(answer.headers["Retry-After"]) <= 86_400


def test_an_address_gets_thirty_codes_a_day_whatever_they_are_for(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.signing_in.guessing.CODES_SENT", [])
    purposes = [Purpose.LOGIN, Purpose.RESET, Purpose.SIGNUP] * 10
    for purpose in purposes:
        count_sending(VICTIM, purpose)

    with pytest.raises(TooManyRequests):
        count_sending(VICTIM.upper(), Purpose.LOGIN)
