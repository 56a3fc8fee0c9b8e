"""What people did is written down by whichever door they came, and stays."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client, RequestFactory
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient

from accounts.activity import KEPT, SERVICE, Actor, acting_as, current_actor, record
from accounts.api.tenants import TenantView
from accounts.leaving.expiry import delete_expired
from accounts.models import Action, ActivityEntry, Membership, Role, Tenant, User
from accounts.services.activity import list_activity
from accounts.services.api_tokens import create_api_token, revoke_api_token
from accounts.services.company import replace_company_profile
from accounts.services.invitations import activate, invite_member, resend_invitation
from accounts.services.members import change_role, leave_tenant, remove_member
from accounts.services.profile import change_workspace, rename_tenant
from accounts.services.signing_in.passwords import change_password
from accounts.services.signing_in.sessions import log_in
from accounts.services.signing_in.two_factor import switch_off_for
from accounts.services.staff import set_password
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_api_token,
    make_invitation,
    make_tenant,
    make_user,
    sign_staff_in,
    switch_two_factor_on,
)

ANA = "ana@acme.es"
ADDRESS = "203.0.113.7"


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email=ANA)


def member(tenant: Tenant, user: User) -> Membership:
    return Membership.objects.for_tenant(tenant).get(user=user)


def actions(tenant: Tenant) -> list[str]:
    """The oldest first."""
    return [entry.action for entry in reversed(list_activity(tenant))]


def last(tenant: Tenant) -> ActivityEntry:
    entry = list_activity(tenant).first()
    assert entry is not None
    return entry


# --- Who, and from where --------------------------------------------------------------------------


def test_the_api_leaves_who_when_and_from_where(tenant: Tenant, ana: User) -> None:
    api = APIClient()
    headers = {**bearer(ana, tenant), "User-Agent": "Firefox\x00/140"}

    api.patch("/tenants/me", {"name": "Nueva"}, format="json", headers=headers)

    entry = last(tenant)
    assert (entry.actor, entry.person_id, entry.action) == (ANA, ana.pk, "workspace_renamed")
    assert (entry.address, entry.user_agent) == ("127.0.0.1", "Firefox/140")
    assert entry.details == {"before": "Acme", "after": "Nueva"}


def test_a_machine_goes_by_its_tokens_name(tenant: Tenant, ana: User) -> None:
    seen: list[Actor] = []
    token = make_api_token(ana, tenant, name="Shop")

    class LookingView(TenantView):
        def get(self, request: Request) -> Response:
            seen.append(current_actor.get())
            return super().get(request)

    request = RequestFactory().get("/tenants/me", headers={"Authorization": f"Bearer {token}"})
    LookingView.as_view()(request)

    assert seen == [Actor("API token Shop")]


def test_who_asked_is_forgotten_after_the_request(tenant: Tenant, ana: User) -> None:
    APIClient().get("/tenants/me", headers=bearer(ana, tenant))

    assert current_actor.get() == SERVICE


def test_what_staff_does_is_written_down_without_their_name_and_address(tenant: Tenant) -> None:
    staff = User.objects.create_superuser("root@example.com", PASSWORD)
    browser = Client()
    sign_staff_in(browser, staff)
    person = make_user(tenant, role=Role.MEMBER)

    answer = browser.post(
        f"/admin/accounts/membership/{member(tenant, person).pk}/change/",
        {"tenant": tenant.pk, "user": person.pk, "role": "viewer"},
    )

    assert answer.status_code == 302
    entry = last(tenant)
    assert (entry.action, entry.actor, entry.address) == ("role_changed", "staff", "")
    assert entry.person_id is None


def test_what_nobody_asked_for_is_the_services_own(tenant: Tenant) -> None:
    record(tenant, Action.WORKSPACE_CHANGED)

    assert last(tenant).actor == "service"


# --- Each action ----------------------------------------------------------------------------------


def test_signing_in_by_whichever_way(tenant: Tenant, ana: User) -> None:
    log_in(ANA, PASSWORD, address=ADDRESS)
    Client().post("/dashboard/sign-in", {"email": ANA, "password": PASSWORD})

    assert actions(tenant) == ["sign_in", "sign_in"]
    assert last(tenant).actor == ANA


def test_a_wrong_password_leaves_nothing(tenant: Tenant, ana: User) -> None:
    Client().post("/dashboard/sign-in", {"email": ANA, "password": "wrong"})

    assert actions(tenant) == []


def test_signing_out_here_and_there(tenant: Tenant, ana: User) -> None:
    browser = Client()
    browser.post("/dashboard/sign-in", {"email": ANA, "password": PASSWORD})
    browser.post("/dashboard/sign-out")
    api = APIClient()
    given = api.post("/auth/login", {"email": ANA, "password": PASSWORD}, format="json").json()
    refresh = {"refresh_token": given["refresh_token"]}
    api.post("/auth/logout", refresh, format="json")
    api.post("/auth/logout", refresh, format="json")  # it has ended already

    assert actions(tenant) == ["sign_in", "sign_out", "sign_in", "sign_out"]


def test_what_happens_to_an_account_is_in_each_workspace_of_its_person(
    tenant: Tenant, ana: User
) -> None:
    elsewhere = make_tenant()
    Membership.objects.for_tenant(elsewhere).create(user=ana, role=Role.MEMBER)
    make_invitation(make_tenant(), ana)

    change_password(ana, PASSWORD, "another good secret 2", address=ADDRESS)

    for each in (tenant, elsewhere):
        assert (last(each).action, last(each).actor) == ("password_changed", ANA)
    assert ActivityEntry.all_tenants.count() == 2


def test_our_staff_resets_a_password_and_takes_two_factor_away(tenant: Tenant, ana: User) -> None:
    switch_two_factor_on(ana)
    with acting_as(Actor("staff", is_hidden=True)):
        switch_off_for(ana)
        set_password(ana, "another good secret 2")

    assert actions(tenant) == ["two_factor_off", "password_changed"]
    assert {entry.actor for entry in list_activity(tenant)} == {"staff"}
    assert last(tenant).target_name == ANA


def test_people_come_change_and_go(tenant: Tenant, ana: User) -> None:
    admin = member(tenant, ana)
    with acting_as(Actor(ANA, ana.pk)):
        invited = invite_member(tenant, email="eva@acme.es", role="member", inviter=ana)
        resend_invitation(tenant, invited.user_id, inviter=ana)
        change_role(tenant, invited.user_id, "viewer", by=admin)
        remove_member(tenant, invited.user_id, by=admin)
    person = make_user(tenant, role=Role.MEMBER, email="leo@acme.es")
    leave_tenant(tenant, person)

    entries = list(reversed(list_activity(tenant)))
    assert [(entry.action, entry.target_name, entry.details) for entry in entries] == [
        ("member_invited", "eva@acme.es", {"role": "member"}),
        ("member_invited", "eva@acme.es", {"role": "member", "again": True}),
        ("role_changed", "eva@acme.es", {"before": "member", "after": "viewer"}),
        ("member_removed", "eva@acme.es", {"role": "viewer"}),
        ("member_left", "leo@acme.es", {"role": "member"}),
    ]
    assert [entry.actor for entry in entries] == [ANA] * 4 + ["leo@acme.es"]


def test_whoever_accepts_an_invitation_has_joined_once(tenant: Tenant) -> None:
    person = make_user(email="eva@acme.es")
    token = make_invitation(tenant, person)

    activate(token, PASSWORD, address=ADDRESS)
    log_in("eva@acme.es", PASSWORD, address=ADDRESS)

    assert actions(tenant) == ["member_joined", "sign_in", "sign_in"]


def test_the_workspace_and_its_tokens(tenant: Tenant, ana: User) -> None:
    made = create_api_token(tenant, member(tenant, ana), name="Shop", expires_in_days=30)
    revoke_api_token(tenant, made.row.pk)
    rename_tenant(tenant, "Nueva")
    change_workspace(tenant, name="Nueva", language="en", time_zone="Europe/Lisbon")
    change_workspace(tenant, name="Nueva", language="en", time_zone="Europe/Lisbon")
    replace_company_profile(
        tenant,
        legal_name="Acme, S.L.",
        tax_id="B1",
        address="Calle 1",
        city="Vigo",
        postal_code="36201",
        country="ES",
        billing_email="pay@acme.es",
    )

    assert actions(tenant) == [
        "api_token_created",
        "api_token_revoked",
        "workspace_renamed",
        "workspace_changed",
        "company_changed",
    ]
    assert made.token not in str(list(list_activity(tenant).values()))


def test_what_did_not_happen_is_not_written_down(tenant: Tenant) -> None:
    with transaction.atomic():
        rename_tenant(tenant, "Nueva")
        transaction.set_rollback(True)

    assert actions(tenant) == []


# --- It stays -------------------------------------------------------------------------------------


def test_the_database_lets_nobody_change_an_entry(tenant: Tenant) -> None:
    record(tenant, Action.SIGN_IN)

    with pytest.raises(IntegrityError, match="stays as it is"), transaction.atomic():
        ActivityEntry.objects.for_tenant(tenant).update(actor="somebody else")

    assert last(tenant).actor == "service"


def test_the_database_lets_nobody_delete_an_entry(tenant: Tenant) -> None:
    record(tenant, Action.SIGN_IN)

    with (
        pytest.raises(IntegrityError, match="stays as it is"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM accounts_activityentry")

    assert actions(tenant) == ["sign_in"]


def test_it_goes_with_its_tenant_and_no_other(tenant: Tenant, other_tenant: Tenant) -> None:
    record(tenant, Action.SIGN_IN)
    record(other_tenant, Action.SIGN_OUT)

    tenant.delete()

    assert list(ActivityEntry.all_tenants.values_list("tenant", "action")) == [
        (other_tenant.pk, "sign_out")
    ]


def test_it_goes_after_two_years_by_itself(tenant: Tenant) -> None:
    now = timezone.now()
    entries = ActivityEntry.objects.for_tenant(tenant)
    for age in (KEPT + timedelta(days=1), KEPT - timedelta(days=3), timedelta(0)):
        entries.create(actor="service", action=f"{age.days} days ago", created_at=now - age)

    delete_expired(now)

    assert actions(tenant) == [f"{KEPT.days - 3} days ago", "0 days ago"]
