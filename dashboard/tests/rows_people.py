"""Coming in, and one's own account: open to all, or to every role."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Session, Tenant
from accounts.tests.factories import (
    PASSWORD,
    make_person_export,
    make_session,
    make_user,
)
from dashboard.tests.matrix import EVERYBODY, PageRow
from query.notifications.recipients import make_stop_link
from query.tests.factories import make_mail_recipient

EMAIL = "nobody@nova.example"
CODE = "000000"
NEW_PASSWORD = "another horse battery 2"


class NewestSession:
    """In an address: the session of whoever signed in last in a tenant, which is the browser that
    asks; else a new one. Known only when the address is written."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def __str__(self) -> str:
        session = Session.objects.for_tenant(self.tenant).order_by("-created_at").first()
        return str((session or make_session(make_user(self.tenant), self.tenant)).pk)


def own_session(tenant: Tenant) -> Mapping[str, Any]:
    return {"session_id": NewestSession(tenant)}


class OwnExport:
    """In an address: a ready archive of whoever signed in last in a tenant, as above."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def __str__(self) -> str:
        session = Session.all_tenants.get(pk=str(NewestSession(self.tenant)))
        return str(make_person_export(session.membership.user).pk)


def own_archive(tenant: Tenant) -> Mapping[str, Any]:
    return {"export_id": OwnExport(tenant)}


def mailed(tenant: Tenant) -> Mapping[str, Any]:
    link = make_stop_link(make_mail_recipient(tenant))
    return {"token": link.rpartition("/")[2]}


def own_slug(tenant: Tenant) -> Mapping[str, Any]:
    return {"slug": tenant.slug}


def name(tenant: Tenant) -> Mapping[str, Any]:
    make_user(tenant)  # another admin, so that the one who asks may leave
    return {"name": tenant.name}


def password(tenant: Tenant) -> Mapping[str, Any]:
    make_user(tenant)  # another admin, so that the one who asks may go
    return {"password": PASSWORD}


def public(method: str, route: str, **more: Any) -> PageRow:
    return PageRow(method, route, EVERYBODY, is_public=True, **more)


def own(method: str, route: str, **more: Any) -> PageRow:
    return PageRow(method, f"dashboard/account{route}", EVERYBODY, **more)


WISH = {"email": EMAIL, "password": NEW_PASSWORD, "tenant_name": "Nova", "slug": "nova"}
CHECK = {"email": EMAIL, "code": CODE}

ROWS = [
    public("GET", ""),
    public("GET", "security"),
    public("GET", "privacy"),
    public("GET", "terms"),
    public("GET", "imprint"),
    public("GET", "activate"),
    public(
        "POST", "activate", body={"token": "forged", "password": PASSWORD, "repeated": PASSWORD}
    ),
    public("GET", "dashboard/sign-in"),
    public("POST", "dashboard/sign-in", body={"email": EMAIL, "password": PASSWORD}),
    public("GET", "dashboard/sign-in/second-factor"),
    public("POST", "dashboard/sign-in/second-factor", body={"challenge": "forged", "code": CODE}),
    public("GET", "dashboard/sign-in/code"),
    public("POST", "dashboard/sign-in/code", body={"email": EMAIL}),
    public("GET", "dashboard/sign-in/code/check"),
    public("POST", "dashboard/sign-in/code/check", body=CHECK),
    public("GET", "dashboard/sign-up"),
    public("POST", "dashboard/sign-up", body=WISH),
    public("GET", "dashboard/sign-up/again"),
    public("POST", "dashboard/sign-up/again", body={"email": EMAIL}),
    public("GET", "dashboard/sign-up/code"),
    public("POST", "dashboard/sign-up/code", body=CHECK),
    public("GET", "dashboard/reset-password"),
    public("POST", "dashboard/reset-password", body={"email": EMAIL}),
    public("GET", "dashboard/reset-password/code"),
    public("POST", "dashboard/reset-password/code", body=CHECK | {"new_password": NEW_PASSWORD}),
    public("GET", "dashboard/stop-mails/<str:token>", target=mailed),
    public("POST", "dashboard/stop-mails/<str:token>", target=mailed),
    PageRow("GET", "dashboard/workspaces", EVERYBODY),
    PageRow("POST", "dashboard/workspaces", EVERYBODY, body=own_slug),
    PageRow("GET", "dashboard/workspaces/menu", EVERYBODY),
    PageRow("GET", "dashboard/docs", EVERYBODY),
    PageRow("GET", "dashboard/docs/schema", EVERYBODY),
    PageRow("POST", "dashboard/sign-out", EVERYBODY),
    own("GET", ""),
    own("POST", "/language", body={"language": "en"}),
    own("GET", "/password"),
    own("POST", "/password", body={"current_password": PASSWORD, "new_password": NEW_PASSWORD}),
    own("GET", "/two-factor"),
    own("POST", "/two-factor"),
    own("GET", "/two-factor/set-up"),
    own("POST", "/two-factor/set-up", body={"code": CODE}),
    own("GET", "/two-factor/off"),
    own("POST", "/two-factor/off", body={"password": PASSWORD, "code": CODE}),
    own("POST", "/sessions/end"),
    own("POST", "/sessions/<uuid:session_id>/end", target=own_session),
    own("GET", "/data"),
    own("POST", "/data"),
    own("GET", "/data/<uuid:export_id>", target=own_archive),
    own("GET", "/erase"),
    own("POST", "/erase", body=password),
    own("GET", "/leave"),
    own("POST", "/leave", body=name),
]
