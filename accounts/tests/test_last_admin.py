"""A workspace keeps an admin who can log in, whatever many people do to each other at once."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.errors import CannotRemoveLastAdmin
from accounts.models import Membership, Role, Tenant, User
from accounts.services import members
from accounts.tests.factories import PASSWORD, bearer, make_user
from config.tests.parallel import in_parallel

LAST_ADMIN = {
    "error": {
        "code": "CANNOT_REMOVE_LAST_ADMIN",
        "message": "A workspace needs at least one admin: make somebody else an admin first.",
    }
}


def demote(api: APIClient, user: User, headers: dict[str, str]) -> Any:
    return api.patch(f"/tenants/me/members/{user.pk}", {"role": "viewer"}, "json", headers=headers)


def remove(api: APIClient, user: User, headers: dict[str, str]) -> Any:
    return api.delete(f"/tenants/me/members/{user.pk}", headers=headers)


def leave(api: APIClient, headers: dict[str, str]) -> Any:
    return api.delete("/tenants/me/membership", headers=headers)


def admins_of(tenant: Tenant) -> list[User]:
    return [row.user for row in Membership.objects.for_tenant(tenant).active_admins()]


# --- One after the other --------------------------------------------------------------------------


def test_last_admin_cannot_demote_themselves(api: APIClient, tenant: Tenant) -> None:
    ana = make_user(tenant)
    make_user(tenant, role=Role.MEMBER)

    answer = demote(api, ana, bearer(ana, tenant))

    assert (answer.status_code, answer.json()) == (409, LAST_ADMIN)
    assert admins_of(tenant) == [ana]


def test_one_of_two_admins_can_demote_themselves(api: APIClient, tenant: Tenant) -> None:
    ana, bea = make_user(tenant), make_user(tenant)
    headers = bearer(ana, tenant)

    assert demote(api, ana, headers).status_code == 200

    assert demote(api, bea, headers).status_code == 403
    assert demote(api, bea, bearer(bea, tenant)).json() == LAST_ADMIN


def test_last_admin_can_be_made_admin_again(api: APIClient, tenant: Tenant) -> None:
    ana = make_user(tenant)

    answer = api.patch(
        f"/tenants/me/members/{ana.pk}", {"role": "admin"}, "json", headers=bearer(ana, tenant)
    )

    assert (answer.status_code, answer.json()["role"]) == (200, "admin")


@pytest.mark.parametrize("case", ["invited", "disabled"])
def test_admins_who_cannot_log_in_do_not_count_and_can_go(
    api: APIClient, tenant: Tenant, case: str
) -> None:
    ana, bea = make_user(tenant), make_user(tenant, is_active=case != "disabled")
    if case == "invited":
        Membership.objects.for_tenant(tenant).filter(user=bea).update(activated_at=None)
    headers = bearer(ana, tenant)

    assert demote(api, ana, headers).json() == LAST_ADMIN
    assert demote(api, bea, headers).status_code == 200
    assert remove(api, bea, headers).status_code == 204


def test_staff_cannot_take_the_last_admin_away_either(tenant: Tenant) -> None:
    ana = make_user(tenant)

    with pytest.raises(CannotRemoveLastAdmin):
        members.remove_member(tenant, ana.pk)
    with pytest.raises(CannotRemoveLastAdmin):
        members.change_role(tenant, ana.pk, Role.MEMBER)

    assert admins_of(tenant) == [ana]


# --- In parallel ----------------------------------------------------------------------------------


@pytest.fixture
def two_admins(committed_tenant: Tenant) -> Iterator[tuple[User, User]]:
    """Committed. Deleted after, where the tenant that they have left cannot do it."""
    ana, bea = make_user(committed_tenant), make_user(committed_tenant)
    yield ana, bea
    User.objects.filter(pk__in=[ana.pk, bea.pk]).delete()


def client() -> APIClient:
    return APIClient(raise_request_exception=False)


def test_of_fifty_parallel_demotions_of_two_admins_by_each_other_one_wins(
    committed_tenant: Tenant, two_admins: tuple[User, User]
) -> None:
    ana, bea = two_admins
    pairs = [(ana, bearer(bea, committed_tenant)), (bea, bearer(ana, committed_tenant))]
    turns = itertools.cycle(pairs)

    # The winner repeats what is so already; the loser is no admin any more.
    answers = in_parallel(lambda: (turn := next(turns), demote(client(), *turn).status_code))

    left = admins_of(committed_tenant)
    assert len(left) == 1
    winners = {turn[0].pk for turn, status in answers if status == 200}
    assert winners == {ana.pk, bea.pk} - {left[0].pk}
    assert {status for _, status in answers} == {200, 403}


def test_fifty_parallel_demotions_of_the_last_admin_all_fail(committed_tenant: Tenant) -> None:
    ana = make_user(committed_tenant)
    headers = bearer(ana, committed_tenant)

    statuses = in_parallel(lambda: demote(client(), ana, headers).status_code)

    assert statuses == [409] * 50
    assert admins_of(committed_tenant) == [ana]


def test_admins_who_demote_remove_and_leave_at_once_leave_one(
    committed_tenant: Tenant, two_admins: tuple[User, User]
) -> None:
    ana, bea = two_admins
    of_ana, of_bea = bearer(ana, committed_tenant), bearer(bea, committed_tenant)
    acts = itertools.cycle(
        [
            lambda: demote(client(), bea, of_ana),
            lambda: remove(client(), ana, of_bea),
            lambda: leave(client(), of_ana),
            lambda: leave(client(), of_bea),
            lambda: remove(client(), bea, of_ana),
            lambda: demote(client(), ana, of_bea),
            lambda: demote(client(), ana, of_ana),
        ]
    )

    statuses = in_parallel(lambda: next(acts)().status_code)

    assert len(admins_of(committed_tenant)) == 1
    assert set(statuses) <= {200, 204, 401, 403, 404, 409}


def test_removal_and_logins_at_once_leave_no_session_behind(
    committed_tenant: Tenant, two_admins: tuple[User, User]
) -> None:
    """And nobody meets a half-done removal: each login is in, or out."""
    ana, bea = two_admins
    headers = bearer(ana, committed_tenant)
    body = {"email": bea.email, "password": PASSWORD}
    turns = itertools.count()

    def call() -> int:
        if next(turns) == 10:
            return int(remove(client(), bea, headers).status_code)
        return int(client().post("/auth/login", body, "json").status_code)

    statuses = in_parallel(call)

    assert set(statuses) <= {200, 204, 403}
    assert statuses.count(204) == 1
    assert client().post("/auth/login", body, "json").status_code == 403
