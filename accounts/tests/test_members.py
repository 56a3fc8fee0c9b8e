"""/tenants/me/members: listing, inviting, changing roles, removing."""

import itertools
import json
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.mail.deliveries import read_context
from accounts.models import ApiToken, Membership, OutgoingMail, Role, Session, Tenant, User
from accounts.services import members
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    client_of,
    make_api_token,
    make_invitation,
    make_membership,
    make_stranger,
    make_user,
)
from config.security.encryption import digest
from config.security.rate_limits import Limit
from config.tests.parallel import in_parallel

PATH = "/tenants/me/members"
FORBIDDEN = {"error": {"code": "FORBIDDEN", "message": "Your role does not allow this."}}
USER_NOT_FOUND = {
    "error": {"code": "USER_NOT_FOUND", "message": "This workspace has no such member."}
}
LAST_ADMIN = {
    "error": {
        "code": "CANNOT_REMOVE_LAST_ADMIN",
        "message": "A workspace needs at least one admin: make somebody else an admin first.",
    }
}
REMOVE_SELF = {
    "error": {
        "code": "CANNOT_REMOVE_SELF",
        "message": "You cannot remove yourself. Leave the workspace instead.",
    }
}
INVALID_ROLE = {
    "error": {
        "code": "INVALID_ROLE",
        "message": "The role must be one of: admin, member, viewer, api_user.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    """The only admin of acme."""
    return make_user(tenant, email="ana@acme.es")


@pytest.fixture
def admin_api(tenant: Tenant, ana: User) -> APIClient:
    """Ana, logged in."""
    api = APIClient(raise_request_exception=False)
    api.credentials(HTTP_AUTHORIZATION=bearer(ana, tenant)["Authorization"])
    return api


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is what happens once requests are let through."""
    monkeypatch.setattr("accounts.signing_in.guessing.refuse_for", lambda seconds: None)


def invite(api: APIClient, email: Any = "bea@acme.es", role: Any = "member") -> Any:
    return api.post(PATH, {"email": email, "role": role}, "json")


def change(api: APIClient, user_id: Any, role: Any) -> Any:
    return api.patch(f"{PATH}/{user_id}", {"role": role}, "json")


def remove(api: APIClient, user_id: Any) -> Any:
    return api.delete(f"{PATH}/{user_id}")


def member_of(tenant: Tenant, user: User) -> Membership:
    return Membership.objects.for_tenant(tenant).get(user=user)


def utc(moment: Any) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


# --- List -----------------------------------------------------------------------------------------


def test_list_has_who_joined_and_who_is_invited_oldest_first(
    tenant: Tenant, ana: User, admin_api: APIClient
) -> None:
    bea, cid = make_user(tenant, email="bea@acme.es", role=Role.VIEWER), make_stranger("cid@b.es")
    make_invitation(tenant, cid, role=Role.ADMIN)

    answer = admin_api.get(PATH)

    assert answer.status_code == 200
    assert answer.json() == [
        {
            "user_id": str(ana.id),
            "email": "ana@acme.es",
            "role": "admin",
            "status": "active",
            "joined_at": utc(member_of(tenant, ana).activated_at),
        },
        {
            "user_id": str(bea.id),
            "email": "bea@acme.es",
            "role": "viewer",
            "status": "active",
            "joined_at": utc(member_of(tenant, bea).activated_at),
        },
        {
            "user_id": str(cid.id),
            "email": "cid@b.es",
            "role": "admin",
            "status": "invited",
            "joined_at": None,
        },
    ]


def test_list_shows_nobody_of_another_tenant(
    admin_api: APIClient, ana: User, other_tenant: Tenant
) -> None:
    make_membership(other_tenant, ana, role=Role.VIEWER)
    make_user(other_tenant)

    listed = admin_api.get(PATH).json()

    assert [(member["email"], member["role"]) for member in listed] == [("ana@acme.es", "admin")]


def test_list_costs_the_same_for_two_and_twenty(
    tenant: Tenant, admin_api: APIClient, django_assert_num_queries: Any
) -> None:
    make_user(tenant)
    with django_assert_num_queries(2):  # the other: who is calling
        assert len(admin_api.get(PATH).json()) == 2
    for _ in range(18):
        make_user(tenant)
    with django_assert_num_queries(2):
        assert len(admin_api.get(PATH).json()) == 20


# --- Invite ---------------------------------------------------------------------------------------


def test_invitation_answers_the_member_and_mails_a_link(
    tenant: Tenant, admin_api: APIClient, settings: Any
) -> None:
    before = timezone.now()

    answer = invite(admin_api, " Bea@ACME.es ", "viewer")

    bea = User.objects.get(email="bea@acme.es")
    assert answer.status_code == 201
    assert answer.json() == {
        "user_id": str(bea.id),
        "email": "bea@acme.es",
        "role": "viewer",
        "status": "invited",
        "joined_at": None,
    }
    assert not bea.has_usable_password()
    mail = OutgoingMail.objects.for_tenant(tenant).get()
    content = read_context(mail)
    token = content["token"]
    assert (mail.recipient, mail.template, mail.language) == ("bea@acme.es", "invitation", "es")
    assert content == {
        "tenant_name": "Acme",
        "inviter_email": "ana@acme.es",
        "role": "viewer",
        "link": f"{settings.BASE_URL}/activate#token={token}",
        "days": "7",
        "token": token,
    }
    membership = member_of(tenant, bea)
    assert membership.invitation_hash == digest(token)
    assert len(token) == 43
    assert membership.invitation_expires_at is not None
    until = membership.invitation_expires_at - before
    assert timedelta(days=7) <= until < timedelta(days=7, minutes=1)


def test_mail_goes_out_after_the_commit_and_not_without_one(
    tenant: Tenant, admin_api: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as after_commit:
        invite(admin_api)

    mail = OutgoingMail.objects.for_tenant(tenant).get()
    assert [call.args for call in after_commit] == [(str(mail.pk), str(tenant.pk))]


def test_nothing_stays_of_an_invitation_whose_mail_cannot_be_written(
    tenant: Tenant, admin_api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("accounts.services.invitations.queue_mail", fail)

    assert invite(admin_api).status_code == 500
    assert not User.objects.filter(email="bea@acme.es").exists()
    assert Membership.objects.for_tenant(tenant).count() == 1


def test_answer_does_not_tell_whether_the_address_has_an_account(
    tenant: Tenant, admin_api: APIClient, other_tenant: Tenant
) -> None:
    make_user(other_tenant, email="known@acme.es")
    make_user(other_tenant, email="disabled@acme.es", is_active=False)

    answers = [invite(admin_api, f"{name}@acme.es") for name in ("known", "disabled", "new")]

    for answer in answers:
        assert answer.status_code == 201
        assert {**answer.json(), "user_id": "", "email": ""} == {
            "user_id": "",
            "email": "",
            "role": "member",
            "status": "invited",
            "joined_at": None,
        }
        assert uuid.UUID(answer.json()["user_id"]).version == 4
    assert OutgoingMail.objects.for_tenant(tenant).count() == 3


def test_invitations_of_known_and_new_addresses_take_the_same_statements(
    admin_api: APIClient, other_tenant: Tenant, django_assert_num_queries: Any
) -> None:
    make_user(other_tenant, email="known@acme.es")

    with django_assert_num_queries(11) as of_known:
        invite(admin_api, "known@acme.es")
    with django_assert_num_queries(11) as of_new:
        invite(admin_api, "new@acme.es")

    def shapes(context: Any) -> list[str]:
        return [re.sub(r"[\"'].*", "", query["sql"]) for query in context.captured_queries]

    assert shapes(of_known) == shapes(of_new)


def test_an_address_that_is_removed_and_invited_again_has_the_same_id(
    admin_api: APIClient, other_tenant: Tenant
) -> None:
    """Else a second id would tell that there was no account at the first."""
    make_user(other_tenant, email="known@acme.es")
    for email in ("known@acme.es", "new@acme.es"):
        first = invite(admin_api, email).json()["user_id"]
        assert remove(admin_api, first).status_code == 204
        assert invite(admin_api, email).json()["user_id"] == first


def test_an_id_that_somebody_who_changed_address_has_is_not_taken_twice(
    admin_api: APIClient, tenant: Tenant
) -> None:
    first = invite(admin_api, "old@acme.es").json()["user_id"]
    User.objects.filter(pk=first).update(email="renamed@acme.es")

    answer = invite(admin_api, "old@acme.es")

    assert answer.status_code == 201
    assert answer.json()["user_id"] != first
    assert Membership.objects.for_tenant(tenant).count() == 3


def test_an_account_keeps_its_password_and_its_other_roles(
    tenant: Tenant, admin_api: APIClient, other_tenant: Tenant
) -> None:
    known = make_user(other_tenant, email="known@acme.es")

    invite(admin_api, "known@acme.es", "viewer")

    password = known.password
    known.refresh_from_db()
    assert known.password == password
    assert member_of(other_tenant, known).role == Role.ADMIN
    assert member_of(tenant, known).role == Role.VIEWER


def test_members_and_invited_people_are_not_invited_twice(
    tenant: Tenant, admin_api: APIClient
) -> None:
    make_user(tenant, email="bea@acme.es", role=Role.VIEWER)
    invite(admin_api, "cid@acme.es")
    hash_before = Membership.objects.for_tenant(tenant).get(user__email="cid@acme.es")

    member, invited = invite(admin_api, "BEA@acme.es", "admin"), invite(admin_api, "cid@acme.es")

    assert (member.status_code, member.json()) == (
        409,
        {"error": {"code": "CONFLICT", "message": "This person is already a member."}},
    )
    assert (invited.status_code, invited.json()) == (
        409,
        {
            "error": {
                "code": "CONFLICT",
                "message": (
                    "This person has already been invited. To send another link, remove"
                    " them and invite them again."
                ),
            }
        },
    )
    hash_after = Membership.objects.for_tenant(tenant).get(user__email="cid@acme.es")
    assert hash_after.invitation_hash == hash_before.invitation_hash
    assert Membership.objects.for_tenant(tenant).get(user__email="bea@acme.es").role == "viewer"
    assert OutgoingMail.objects.for_tenant(tenant).count() == 1


def test_expired_invitation_is_renewed_with_the_new_role(
    tenant: Tenant, admin_api: APIClient
) -> None:
    cid = make_stranger("cid@acme.es")
    old = make_invitation(tenant, cid, expires_at=timezone.now() - timedelta(seconds=1))

    answer = invite(admin_api, "cid@acme.es", "admin")

    membership = member_of(tenant, cid)
    assert (answer.status_code, answer.json()["role"]) == (201, "admin")
    assert answer.json()["user_id"] == str(cid.id)
    assert membership.role == Role.ADMIN
    assert membership.invitation_hash not in ("", digest(old))
    assert membership.invitation_expires_at is not None
    assert membership.invitation_expires_at > timezone.now()
    assert OutgoingMail.objects.for_tenant(tenant).count() == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"email": "bea@acme.es"}, "MISSING_FIELDS"),
        ({"role": "member"}, "MISSING_FIELDS"),
        ({"email": "", "role": "member"}, "MISSING_FIELDS"),
        ({"email": "bea@acme.es", "role": ""}, "MISSING_FIELDS"),
        ({"email": "bea@acme.es", "role": None}, "MISSING_FIELDS"),
        ({"email": "bea", "role": "member"}, "VALIDATION_ERROR"),
        ({"email": "bea@acme.es\n", "role": "x"}, "INVALID_ROLE"),
        ({"email": 5, "role": "member"}, "VALIDATION_ERROR"),
        ({"email": ["bea@acme.es"], "role": "member"}, "VALIDATION_ERROR"),
        ({"email": "bea\x00@acme.es", "role": "member"}, "VALIDATION_ERROR"),
        ({"email": "bea@acme.es\r\nBcc: x@y.es", "role": "member"}, "VALIDATION_ERROR"),
        (
            {"email": f"{'a' * 64}@{'b' * 63}.{'c' * 63}.{'d' * 63}.es", "role": "member"},
            "VALIDATION_ERROR",
        ),
        # One letter that becomes two in lower case: too long for the column then
        ({"email": f"bea@{'İ.' * 120}{'a' * 5}.es", "role": "member"}, "VALIDATION_ERROR"),
        ({"email": "bea@acme.es", "role": "owner"}, "INVALID_ROLE"),
        ({"email": "bea@acme.es", "role": "Admin"}, "INVALID_ROLE"),
        ({"email": "bea@acme.es", "role": "admin\x00"}, "INVALID_ROLE"),
        ({"email": "bea@acme.es", "role": "a" * 1000}, "INVALID_ROLE"),
        ({"email": "bea@acme.es", "role": 1}, "INVALID_ROLE"),
        ({"email": "bea@acme.es", "role": ["admin"]}, "INVALID_ROLE"),
    ],
)
def test_bad_invitation(
    tenant: Tenant, admin_api: APIClient, body: dict[str, Any], code: str
) -> None:
    answer = admin_api.post(PATH, body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert User.objects.count() == 1
    assert not OutgoingMail.objects.for_tenant(tenant).exists()


def test_parallel_invitations_of_one_address_have_one_winner(committed_tenant: Tenant) -> None:
    headers = bearer(make_user(committed_tenant), committed_tenant)
    body = {"email": f"bea@{committed_tenant.slug}.es", "role": "member"}

    def call() -> int:
        api = APIClient(raise_request_exception=False)
        return int(api.post(PATH, body, "json", headers=headers).status_code)

    assert sorted(in_parallel(call)) == [201] + [409] * 49
    assert OutgoingMail.objects.for_tenant(committed_tenant).count() == 1


def test_parallel_renewals_have_one_winner(committed_tenant: Tenant) -> None:
    headers = bearer(make_user(committed_tenant), committed_tenant)
    bea = make_stranger(f"bea@{committed_tenant.slug}.es")
    make_invitation(committed_tenant, bea, expires_at=timezone.now() - timedelta(days=1))

    def call() -> int:
        api = APIClient(raise_request_exception=False)
        body = {"email": bea.email, "role": "member"}
        return int(api.post(PATH, body, "json", headers=headers).status_code)

    assert sorted(in_parallel(call)) == [201] + [409] * 49


@pytest.mark.usefixtures("unlimited")
def test_invitations_removals_logins_and_role_changes_at_once_break_nothing(
    committed_tenant: Tenant,
) -> None:
    """They lock rows of three tables: in one order, or some would end as a deadlock."""
    headers = bearer(make_user(committed_tenant), committed_tenant)
    email = f"bea@{committed_tenant.slug}.es"
    path = f"{PATH}/{User.objects.id_for(email)}"

    def activate(api: APIClient) -> Any:
        mails = OutgoingMail.objects.for_tenant(committed_tenant)
        mail = mails.filter(sent_at=None, template="invitation").first()
        token = read_context(mail)["token"] if mail else "none"
        return api.post("/auth/activate", {"token": token, "password": PASSWORD}, "json")

    def log_in(api: APIClient) -> Any:
        return api.post("/auth/login", {"email": email, "password": PASSWORD}, "json")

    acts: Any = itertools.cycle(
        [
            lambda api: api.post(PATH, {"email": email, "role": "admin"}, "json", headers=headers),
            activate,
            lambda api: api.patch(path, {"role": "viewer"}, "json", headers=headers),
            log_in,
            lambda api: api.delete(path, headers=headers),
        ]
    )

    try:
        answers = in_parallel(
            lambda: next(acts)(APIClient(raise_request_exception=False)), times=100
        )
    finally:
        User.objects.filter(email=email).delete()
    assert {answer.status_code for answer in answers} <= {200, 201, 204, 400, 401, 403, 404, 409}


# --- Change a role --------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role)
def test_changed_role_is_answered_and_acts_on_the_next_request(
    tenant: Tenant, admin_api: APIClient, api: APIClient, role: Role
) -> None:
    bea = make_user(tenant, email="bea@acme.es", role=Role.MEMBER)
    headers = bearer(bea, tenant)

    answer = change(admin_api, bea.id, role)

    assert answer.status_code == 200
    assert answer.json() == {
        "user_id": str(bea.id),
        "email": "bea@acme.es",
        "role": role,
        "status": "active",
        "joined_at": utc(member_of(tenant, bea).activated_at),
    }
    assert api.get("/auth/me", headers=headers).json()["role"] == role
    assert api.get(PATH, headers=headers).status_code == (200 if role == Role.ADMIN else 403)


def test_role_of_an_invitation_can_be_changed(tenant: Tenant, admin_api: APIClient) -> None:
    cid = make_stranger()
    token = make_invitation(tenant, cid)

    assert change(admin_api, cid.id, "viewer").json()["status"] == "invited"

    membership = member_of(tenant, cid)
    assert (membership.role, membership.invitation_hash) == (Role.VIEWER, digest(token))


def test_role_elsewhere_stays(tenant: Tenant, admin_api: APIClient, other_tenant: Tenant) -> None:
    bea = make_user(tenant, role=Role.MEMBER)
    make_membership(other_tenant, bea)

    change(admin_api, bea.id, "viewer")

    assert member_of(other_tenant, bea).role == Role.ADMIN


@pytest.mark.parametrize("body", [{}, {"role": None}, {"role": ""}])
def test_change_without_a_role(tenant: Tenant, admin_api: APIClient, body: dict[str, Any]) -> None:
    bea = make_user(tenant, role=Role.MEMBER)

    answer = admin_api.patch(f"{PATH}/{bea.id}", body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MISSING_FIELDS")


@pytest.mark.parametrize("role", ["owner", "ADMIN", " admin", "admin\x00", 1, True, {}, ["admin"]])
def test_change_to_a_role_that_is_none(tenant: Tenant, admin_api: APIClient, role: Any) -> None:
    bea = make_user(tenant, role=Role.MEMBER)

    answer = change(admin_api, bea.id, role)

    assert (answer.status_code, answer.json()) == (400, INVALID_ROLE)
    assert member_of(tenant, bea).role == Role.MEMBER


# --- Remove ---------------------------------------------------------------------------------------


def test_removed_member_is_out_at_once_with_sessions_and_api_tokens(
    tenant: Tenant, admin_api: APIClient, api: APIClient
) -> None:
    bea = make_user(tenant)
    headers, token = bearer(bea, tenant), make_api_token(bea, tenant)

    answer = remove(admin_api, bea.id)

    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get("/auth/me", headers=headers).status_code == 401
    assert api.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert not Session.all_tenants.filter(membership__user=bea).exists()
    assert not ApiToken.objects.for_tenant(tenant).exists()
    assert remove(admin_api, bea.id).json() == USER_NOT_FOUND


def test_removed_member_keeps_the_account_and_other_tenants(
    tenant: Tenant, admin_api: APIClient, api: APIClient, other_tenant: Tenant
) -> None:
    bea = make_user(tenant)
    make_membership(other_tenant, bea)
    headers = bearer(bea, other_tenant)

    remove(admin_api, bea.id)

    assert api.get("/auth/me", headers=headers).json()["tenant_slug"] == "umbrella"


def test_link_of_somebody_removed_goes_with_them(tenant: Tenant, admin_api: APIClient) -> None:
    cid = invite(admin_api, "cid@acme.es").json()["user_id"]

    assert remove(admin_api, cid).status_code == 204

    assert not OutgoingMail.objects.for_tenant(tenant).exists()
    assert [member["email"] for member in admin_api.get(PATH).json()] == ["ana@acme.es"]


def test_removal_does_not_tell_by_its_time_whether_there_is_an_account(
    tenant: Tenant, admin_api: APIClient
) -> None:
    """Anybody can invite any address, and take it back."""

    def statements(person: User) -> list[str]:
        make_invitation(tenant, person)
        with CaptureQueriesContext(connection) as queries:
            remove(admin_api, person.id)
        made = [query["sql"] for query in queries.captured_queries]
        made = [sql.partition(" WHERE ")[0].partition(" VALUES ")[0] for sql in made]
        return [sql for sql in made if "SAVEPOINT" not in sql]  # each has a number

    assert statements(make_user()) == statements(make_stranger())


def test_nobody_removes_themselves(tenant: Tenant, ana: User, admin_api: APIClient) -> None:
    """Said before the last admin: it is the same with another admin there."""
    alone = remove(admin_api, ana.id)
    make_user(tenant)
    in_company = remove(admin_api, ana.id)

    assert (alone.status_code, alone.json()) == (409, REMOVE_SELF)
    assert (in_company.status_code, in_company.json()) == (409, REMOVE_SELF)


def test_invited_person_can_be_removed_and_invited_again(
    tenant: Tenant, admin_api: APIClient
) -> None:
    first = invite(admin_api).json()["user_id"]
    remove(admin_api, first)

    assert invite(admin_api).status_code == 201
    assert OutgoingMail.objects.for_tenant(tenant).count() == 1


# --- Ids of nobody --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "user_id",
    ["{other}", str(uuid.UUID(int=0)), "1", "x" * 300, "%00", "%F0%9F%98%80", "me", "{upper}"],
)
@pytest.mark.parametrize("method", ["patch", "delete"])
def test_foreign_missing_and_malformed_ids_answer_the_same_bytes(
    admin_api: APIClient, other_tenant: Tenant, method: str, user_id: str
) -> None:
    other = make_user(other_tenant, role=Role.MEMBER)
    path = f"{PATH}/{user_id.format(other=other.id, upper=str(other.id).upper())}"

    answer = getattr(admin_api, method)(path, {"role": "viewer"}, "json")

    assert answer.status_code == 404
    assert answer.content == json.dumps(USER_NOT_FOUND, separators=(",", ":")).encode()
    assert member_of(other_tenant, other).role == Role.MEMBER


# --- Staff, who are no members --------------------------------------------------------------------


def test_staff_changes_and_removes_within_the_same_rules(tenant: Tenant, ana: User) -> None:
    bea = make_user(tenant, role=Role.MEMBER)

    assert members.change_role(tenant, bea.id, Role.ADMIN).role == Role.ADMIN
    members.remove_member(tenant, ana.id)

    assert [member.user for member in members.list_members(tenant)] == [bea]


def test_client_of_another_tenant_sees_its_own(other_tenant: Tenant, ana: User) -> None:
    listed = client_of(other_tenant).get(PATH).json()

    assert str(ana.id) not in {member["user_id"] for member in listed}


# --- Mails that nobody asked for ------------------------------------------------------------------


def invite_and_remove(api: APIClient, email: str) -> int:
    answer = invite(api, email)
    if answer.status_code == 201:
        assert api.delete(f"{PATH}/{answer.json()['user_id']}").status_code == 204
    return int(answer.status_code)


def test_five_invitations_an_hour_for_one_address(
    admin_api: APIClient, other_api: APIClient
) -> None:
    assert [invite_and_remove(admin_api, "bea@acme.es") for _ in range(5)] == [201] * 5

    answer = invite(admin_api, "Bea@acme.es")

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 3600
    assert OutgoingMail.all_tenants.filter(recipient="bea@acme.es").count() <= 5
    assert invite(admin_api, "eva@acme.es").status_code == 201
    assert invite(other_api, "bea@acme.es").status_code == 201


def test_invitations_of_a_workspace_are_limited_by_the_day(
    admin_api: APIClient, other_api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.signing_in.guessing.INVITATIONS_OF_TENANT", Limit("few", 2, 900))
    assert invite(admin_api, "a@acme.es").status_code == 201
    assert invite(admin_api, "a@acme.es").status_code == 409  # no mail, not counted
    assert invite(admin_api, "b@acme.es").status_code == 201

    assert invite(admin_api, "c@acme.es").status_code == 429
    assert invite(other_api, "c@acme.es").status_code == 201
