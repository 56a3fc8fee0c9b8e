"""Rows of accounts elsewhere."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from dashboard.tests.accounts import SHOP, make_account
from dashboard.tests.matrix import ADMINS, PageRow


def an_account(tenant: Tenant) -> Mapping[str, Any]:
    return {"connection_id": make_account(tenant).pk}


def a_typed_in_account(tenant: Tenant) -> Mapping[str, Any]:
    return {"connection_id": make_account(tenant, provider=SHOP, account_id="https://a.example").pk}


CHOSEN = {"chosen": '{"id": "handbook", "name": "Handbook"}', "name": "Handbook"}
TYPED = {"address": "https://a.example", "key": "open sesame", "items": "all", "step": "add"}
ONE = "dashboard/connections/<uuid:connection_id>"

ROWS = [
    PageRow("GET", "dashboard/sources/connect", ADMINS),
    PageRow("GET", "dashboard/sources/connect/sign-in", ADMINS),
    PageRow("POST", "dashboard/sources/connect/sign-in", ADMINS),
    PageRow("GET", "dashboard/sources/connect/account", ADMINS),
    PageRow("POST", "dashboard/sources/connect/account", ADMINS),
    PageRow("GET", "dashboard/connections/callback", ADMINS),
    PageRow("GET", ONE, ADMINS, an_account),
    PageRow("POST", f"{ONE}/sign-in", ADMINS, an_account),
    PageRow("GET", f"{ONE}/account", ADMINS, a_typed_in_account),
    PageRow("POST", f"{ONE}/account", ADMINS, a_typed_in_account, TYPED),
    PageRow("POST", f"{ONE}/disconnect", ADMINS, an_account),
    PageRow("GET", f"{ONE}/choose", ADMINS, an_account),
    PageRow("POST", f"{ONE}/choose", ADMINS, an_account, CHOSEN),
    PageRow("GET", f"{ONE}/review", ADMINS, an_account),
    PageRow("POST", f"{ONE}/review", ADMINS, an_account, CHOSEN),
    PageRow("POST", f"{ONE}/measure", ADMINS, an_account, CHOSEN),
    PageRow("POST", f"{ONE}/read", ADMINS, an_account, CHOSEN),
]
