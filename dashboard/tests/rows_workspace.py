"""Rows of the workspace's tabs and of the log: for admins alone."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.leaving.archives import KEPT
from accounts.leaving.exporting import archive_key
from accounts.models import ApiToken, ExportState, Membership, Role, Tenant, WorkspaceExport
from accounts.tests.factories import (
    PASSWORD,
    make_api_token,
    make_invitation,
    make_stranger,
    make_user,
)
from dashboard.tests.matrix import PageRow

COMPANY = {
    "legal_name": "Acme, S.L.",
    "tax_id": "B12345674",
    "address": "Calle Mayor 1",
    "postal_code": "36201",
    "city": "Vigo",
    "country": "ES",
    "billing_email": "pay@acme.es",
}


def colleague(tenant: Tenant) -> Mapping[str, Any]:
    return {"user_id": make_user(tenant, role=Role.MEMBER).pk}


def invited(tenant: Tenant) -> Mapping[str, Any]:
    person = make_stranger()
    make_invitation(tenant, person)
    return {"user_id": person.pk}


def token(tenant: Tenant) -> Mapping[str, Any]:
    make_api_token(make_user(tenant), tenant)
    return {"token_id": ApiToken.objects.for_tenant(tenant).get().pk}


def ready_export(tenant: Tenant) -> Mapping[str, Any]:
    now = timezone.now()
    export = WorkspaceExport(
        tenant=tenant,
        state=ExportState.READY,
        asked_by="ana@acme.es",
        finished_at=now,
        expires_at=now + KEPT,
    )
    export.archive = default_storage.save(archive_key(export), ContentFile(b"PK"))
    export.save()
    return {"export_id": export.pk}


def last_member(tenant: Tenant) -> Mapping[str, Any]:
    """What confirms the removal of `colleague`, who joined last but for who asks."""
    newest = Membership.objects.for_tenant(tenant).filter(role=Role.MEMBER).order_by("created_at")
    found = newest.select_related("user").first()
    return {"confirmation": found.user.email if found else ""}


def new_person(tenant: Tenant) -> Mapping[str, Any]:
    return {"email": f"{uuid.uuid4().hex}@acme.es", "role": Role.MEMBER}


PERSON = "dashboard/workspace/people/<uuid:user_id>"
ROWS = [
    PageRow("GET", "dashboard/workspace"),
    PageRow("POST", "dashboard/workspace", body={"name": "New", "language": "es", "time_zone": ""}),
    PageRow("GET", "dashboard/workspace/company"),
    PageRow("POST", "dashboard/workspace/company", body=COMPANY),
    PageRow("GET", "dashboard/workspace/plan"),
    PageRow("GET", "dashboard/workspace/people"),
    PageRow("POST", "dashboard/workspace/people", body=new_person),
    PageRow("POST", "dashboard/workspace/people/two-factor", body={"required": "yes"}),
    PageRow("POST", f"{PERSON}/role", target=colleague, body={"role": "viewer"}),
    PageRow("POST", f"{PERSON}/invitation", target=invited),
    PageRow("POST", f"{PERSON}/remove", target=colleague, body=last_member),
    PageRow("GET", "dashboard/workspace/tokens"),
    PageRow("POST", "dashboard/workspace/tokens", body={"name": "Shop", "days": "90"}),
    PageRow("POST", "dashboard/workspace/tokens/<uuid:token_id>/revoke", target=token),
    PageRow("GET", "dashboard/workspace/leaving"),
    PageRow("GET", "dashboard/workspace/exports"),
    PageRow("POST", "dashboard/workspace/exports", body={"password": PASSWORD}),
    PageRow("GET", "dashboard/workspace/exports/<uuid:export_id>", target=ready_export),
    PageRow(
        "POST",
        "dashboard/workspace/exports/<uuid:export_id>",
        target=ready_export,
        body={"password": PASSWORD},
    ),
    PageRow(
        "POST",
        "dashboard/workspace/deletion",
        body=lambda tenant: {"confirmation": tenant.slug, "password": PASSWORD},
    ),
    PageRow("POST", "dashboard/workspace/deletion/cancel"),
    PageRow("POST", "dashboard/workspace/customers/data", body={"contact": "eva@example.org"}),
    PageRow("POST", "dashboard/workspace/customers/erasure", body={"contact": "+34600111222"}),
    PageRow("GET", "dashboard/activity"),
    PageRow("GET", "dashboard/activity.csv"),
]
