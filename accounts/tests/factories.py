"""Rows of accounts for the tests of every app. Each makes up what a test does not name."""

import itertools
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import (
    ApiToken,
    ExportState,
    Membership,
    PersonExport,
    Plan,
    Program,
    ProgramAccess,
    ProgramCode,
    Role,
    Session,
    StaffAccess,
    Tenant,
    TwoFactor,
    User,
)
from accounts.models.staff import ACCESS_LIFETIME
from accounts.services.staff_sessions import begin_staff_session
from accounts.signing_in.second_factor import make_recovery_codes, make_secret, seal_secret
from accounts.signing_in.tokens import make_api_token as sign_api_token
from accounts.signing_in.tokens import make_program_tokens, make_tokens
from accounts.staff_site.doors import NAME_KEY
from config.security.encryption import digest

PASSWORD = "correct horse battery 1"

_numbers = itertools.count(1)


def make_tenant(slug: str = "", *, plan: str = "enterprise", **over: Any) -> Tenant:
    """A tenant on a seeded plan: the largest unless told, so that no limit is met by accident."""
    slug = slug or f"tenant-{next(_numbers)}"
    fields: dict[str, Any] = {
        "slug": slug,
        "name": slug.title(),
        "plan": Plan.objects.get(slug=plan),
    }
    return Tenant.objects.create(**(fields | over))


def make_user(
    tenant: Tenant | None = None,
    *,
    role: Role = Role.ADMIN,
    email: str = "",
    password: str = PASSWORD,
    **over: Any,
) -> User:
    """A person who can log in, and their membership of `tenant` (of none without one)."""
    email = email or f"person-{next(_numbers)}@example.com"
    user = User.objects.create_user(email, password, **over)
    if tenant is not None:
        make_membership(tenant, user, role=role)
    return user


def make_membership(tenant: Tenant, user: User, *, role: Role = Role.ADMIN) -> Membership:
    return Membership.objects.for_tenant(tenant).create(user=user, role=role)


def make_session(user: User, tenant: Tenant, *, expires_at: datetime | None = None) -> Session:
    """A login of `user`, who is a member of `tenant`; good for a day unless told."""
    return Session.objects.for_tenant(tenant).create(
        membership=Membership.objects.for_tenant(tenant).get(user=user),
        expires_at=expires_at or timezone.now() + timedelta(days=1),
    )


def bearer(user: User, tenant: Tenant) -> dict[str, str]:
    """Headers of a request of `user` in `tenant`: `api.get("/agents", headers=bearer(u, t))`."""
    return {"Authorization": f"Bearer {make_tokens(make_session(user, tenant)).access_token}"}


def client_of(tenant: Tenant, *, role: Role = Role.ADMIN) -> APIClient:
    """A client that is logged in as a new member of `tenant` with `role`."""
    client = APIClient(raise_request_exception=False)
    headers = bearer(make_user(tenant, role=role), tenant)
    client.credentials(HTTP_AUTHORIZATION=headers["Authorization"])
    return client


def sign_staff_in(client: Client, user: User) -> None:
    """As if they had just given both factors at /admin/login/."""
    client.force_login(user)
    session = client.session
    session[NAME_KEY] = str(begin_staff_session(user).pk)
    session.save()


def make_staff_access(tenant: Tenant, user: User, **over: Any) -> StaffAccess:
    """What `user`, of our staff, opened of `tenant` just now."""
    now = timezone.now()
    fields: Any = {
        "user": user,
        "reason": "Ticket 42: answers are wrong",
        "began_at": now,
        "ends_at": now + ACCESS_LIFETIME,
        **over,
    }
    return StaffAccess.objects.for_tenant(tenant).create(**fields)


def switch_two_factor_on(user: User) -> tuple[str, list[str]]:
    """The secret of the authenticator app, and the recovery codes."""
    secret = make_secret()
    two_factor = TwoFactor.objects.create(
        user=user, encrypted_secret=seal_secret(user, secret), confirmed_at=timezone.now()
    )
    return secret, make_recovery_codes(two_factor)


def make_api_token(
    user: User, tenant: Tenant, *, name: str = "Shop", expires_at: datetime | None = None
) -> str:
    """An API token that `user`, a member of `tenant`, made; good for a day unless told."""
    row = ApiToken(
        tenant=tenant,
        membership=Membership.objects.for_tenant(tenant).get(user=user),
        name=name,
        expires_at=expires_at or timezone.now() + timedelta(days=1),
    )
    token = sign_api_token(row)
    row.token_hash = digest(token)
    row.save(force_insert=True)
    return token


def make_program(**over: Any) -> Program:
    number = next(_numbers)
    fields: dict[str, Any] = {
        "client_id": f"program-{number}",
        "name": f"Program {number}",
        "redirect_uris": ["https://program.example/back"],
    }
    return Program.objects.create(**(fields | over))


def make_program_code(membership: Membership, **over: Any) -> ProgramCode:
    """One that nobody knows, good for a minute unless told."""
    fields: Any = {
        "membership": membership,
        "code_hash": digest(f"code-{next(_numbers)}"),
        "redirect_uri": "https://program.example/back",
        "scope": "ask sources",
        "resource": settings.MCP_RESOURCE,
        "code_challenge": "c" * 43,
        "expires_at": timezone.now() + timedelta(minutes=1),
        **over,
    }
    fields["program"] = over.get("program") or make_program()
    return ProgramCode.objects.for_tenant(membership.tenant).create(**fields)


def make_access(membership: Membership, **over: Any) -> ProgramAccess:
    """What `membership` permitted a new program unless told: everything, for a day."""
    fields: Any = {
        "membership": membership,
        "scope": "ask sources",
        "resource": settings.MCP_RESOURCE,
        "expires_at": timezone.now().replace(microsecond=0) + timedelta(days=1),
        **over,
    }
    fields["program"] = over.get("program") or make_program()
    return ProgramAccess.objects.for_tenant(membership.tenant).create(**fields)


def program_bearer(access: ProgramAccess) -> dict[str, str]:
    """Headers of a request of the program: `api.post("/tenants/me/mcp", headers=...)`."""
    return {"Authorization": f"Bearer {make_program_tokens(access).access_token}"}


def make_invitation(
    tenant: Tenant,
    user: User,
    *,
    role: Role = Role.MEMBER,
    token: str = "",
    expires_at: datetime | None = None,
) -> str:
    """The token of the link that `user` got; good for a day unless told."""
    token = token or f"invitation-{next(_numbers)}"
    Membership.objects.for_tenant(tenant).create(
        user=user,
        role=role,
        activated_at=None,
        invitation_hash=digest(token),
        invitation_expires_at=expires_at or timezone.now() + timedelta(days=1),
    )
    return token


def make_stranger(email: str = "") -> User:
    """Somebody who was invited and has not come yet."""
    user = make_user(email=email)
    user.set_unusable_password()
    user.save()
    return user


def make_person_export(user: User, **over: Any) -> PersonExport:
    """A ready one, that was asked for two hours ago."""
    now = timezone.now()
    given: dict[str, Any] = {
        "state": ExportState.READY,
        "archive": b"PK",
        "size_bytes": 2,
        "created_at": now - timedelta(hours=2),
        "finished_at": now - timedelta(hours=2),
        "expires_at": now + timedelta(days=1),
    }
    return PersonExport.objects.create(user=user, **given | over)
