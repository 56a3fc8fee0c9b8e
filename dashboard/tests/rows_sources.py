"""Rows of the list of sources, of one source, and of adding more."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from dashboard.tests.matrix import ADMINS, READERS, PageRow
from sources.models import SyncStatus
from sources.tests.factories import make_source, text_file


def a_source(tenant: Tenant) -> Mapping[str, Any]:
    """Synced, with a stored file; called "Prices"."""
    return {"source_id": make_source(tenant, name="Prices", original_file="stored").pk}


def a_new_website(tenant: Tenant) -> Mapping[str, Any]:
    source = make_source(tenant, source_type="web", sync_status=SyncStatus.PENDING)
    return {"source_id": source.pk}


def a_file(tenant: Tenant) -> Mapping[str, Any]:
    return {"file": text_file()}


WEBSITE = "http://93.184.216.34/help"  # nothing is asked there
ONE = "dashboard/sources/<uuid:source_id>"

ROWS = [
    PageRow("GET", "dashboard/sources", READERS),
    PageRow("GET", "dashboard/sources/states", READERS),
    PageRow("GET", "dashboard/sources/add", ADMINS),
    PageRow("POST", "dashboard/sources/upload", ADMINS, body=a_file),
    PageRow("GET", "dashboard/sources/earlier", ADMINS),
    PageRow("GET", "dashboard/sources/add/website", ADMINS),
    PageRow("POST", "dashboard/sources/add/website", ADMINS, body={"source_url": WEBSITE}),
    PageRow(
        "POST",
        "dashboard/sources/add/website/new",
        ADMINS,
        body={"source_url": WEBSITE, "name": "Our website"},
    ),
    PageRow("GET", "dashboard/sources/columns", ADMINS),
    PageRow("POST", "dashboard/sources/columns", ADMINS, body={"name": "Stock", "is_told": "no"}),
    PageRow("GET", ONE, READERS, a_source),
    PageRow("GET", f"{ONE}/live", READERS, a_source),
    PageRow("GET", f"{ONE}/download", READERS, a_source),
    PageRow("POST", f"{ONE}/move", ADMINS, a_source, {"step": "up"}),
    PageRow("POST", f"{ONE}/rename", ADMINS, a_source, {"name": "Prices of 2027"}),
    PageRow("POST", f"{ONE}/sync", ADMINS, a_new_website),
    PageRow("POST", f"{ONE}/schedule", ADMINS, a_source, {"frequency": "24h"}),
    PageRow("POST", f"{ONE}/delete", ADMINS, a_source, {"name": "Prices"}),
]
