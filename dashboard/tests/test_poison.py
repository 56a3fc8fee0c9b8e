"""Text of strangers (names, files, leads, transcripts, titles of websites) is shown, never run.

Every text of a workspace that has a row of everything is poisoned; each page is then read as a
browser does. dashboard/tests/browser looks at some of them in a real one.
"""

import copy
from collections.abc import Iterator
from typing import Any

import lxml.html
import pytest
from django.db import DataError, IntegrityError, models, transaction
from django.test import Client

from accounts.models import Role, Tenant
from accounts.models.tenancy import TenantModel
from config.security.sealing import SealedField
from config.tests.isolation.matrix import undone
from config.tests.isolation.shared_world import whole_world  # noqa: F401 - a fixture
from config.tests.isolation.world import Side, World, tenant_models
from dashboard.tests.accounts import Shelves, shelves  # noqa: F401 - a fixture
from dashboard.tests.factories import pages_of
from dashboard.tests.matrix import PageRow
from dashboard.tests.test_isolation import CLOSED, address
from sources.tests.conftest import inline_worker  # noqa: F401 - a fixture

MARK = "p0ison"
POISONS = (
    f"<script>alert('{MARK}')</script>",
    f"\"><img src=x onerror=alert('{MARK}')>",
    f"'onmouseover='alert({MARK})",
    f"javascript:alert('{MARK}')",
    f"</textarea></title><svg onload=alert('{MARK}')>",
    f"{{% debug %}}{{{{ {MARK} }}}}",
)
# Words of ours, which no stranger chooses: what they may be, a registry or a key says.
OURS = frozenset(
    {"source_type", "provider", "channel", "channel_type", "kind", "lane", "language", "model"}
    | {"key_id", "token_hash", "invitation_hash", "content_hash", "text_hash", "original_file"}
    | {"time_zone", "country"}
)
OUR_SCRIPTS = ("/static/", "/widget.js")
READING = [row for row in CLOSED if row.method == "GET"]


@pytest.fixture(autouse=True)
def nothing_outside(inline_worker: None, shelves: Shelves) -> None:  # noqa: F811 - the fixtures
    """No worker; and a provider that answers at once: a real one would be asked, again and again
    as it cannot be reached."""


@pytest.fixture
def side(whole_world: World) -> Iterator[Side]:  # noqa: F811 - the fixture
    """Its own objects: what is written to them is not undone with the rows."""
    with undone():
        yield copy.deepcopy(whole_world.ours)


def poison(tenant: Tenant, text: str) -> None:
    """Wherever the database lets it stand."""
    tenant.name = text
    tenant.save(update_fields=["name"])
    for model in tenant_models():
        for field in list_texts(model):
            rows = model.all_tenants.filter(tenant=tenant)
            try:
                with transaction.atomic():
                    rows.update(**{field.name: text[: field.max_length]})
            except (IntegrityError, DataError):
                continue  # a check of the database: no stranger gets past it either


def list_texts(model: type[TenantModel]) -> "Iterator[models.Field[Any, Any]]":
    for field in model._meta.concrete_fields:
        is_text = isinstance(field, models.CharField | models.TextField)
        if is_text and not (field.choices or field.name in OURS or isinstance(field, SealedField)):
            yield field


def find_danger(content: bytes) -> list[str]:
    """What a browser would run, or go to, that is none of ours."""
    found = []
    if not content.strip():
        return []
    for element in lxml.html.document_fromstring(content).iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag == "script" and not element.get("src", "").startswith(OUR_SCRIPTS):
            found.append(lxml.html.tostring(element).decode())
        for name, value in element.attrib.items():
            runs = name.startswith(("on", "hx-on")) or name == "style"
            leads_away = name in ("href", "src", "action", "formaction") and not value.startswith(
                ("/", "#", "?", "http://", "https://", "mailto:", "tel:", "data:,")
            )
            if runs or leads_away:
                found.append(f"{element.tag} {name}={value}")
    return found


@pytest.mark.parametrize("text", POISONS)
def test_no_text_of_a_stranger_runs(text: str, side: Side) -> None:
    addresses = [(row, address(row, row.target(side.tenant))) for row in READING]
    roles = {role: pages_of(side.tenant, role=role) for role in {role_for(row) for row in READING}}
    poison(side.tenant, text)

    found = {
        path: danger
        for row, path in addresses
        if (danger := find_danger(read_page(roles[role_for(row)], path)))
    }

    assert found == {}


def role_for(row: PageRow) -> Role:
    """That sees the most of what may see it."""
    return min(row.roles, key=list(Role).index)


def read_page(pages: Client, path: str) -> bytes:
    """Empty when it is no page: a file, or an image."""
    answer: Any = pages.get(path)
    if not answer.get("Content-Type", "").startswith("text/html"):
        return b""
    return bytes(answer.getvalue() if answer.streaming else answer.content)


def test_the_poison_is_on_the_pages(side: Side) -> None:
    poison(side.tenant, POISONS[0])
    pages: Client = pages_of(side.tenant)

    for page in ("/dashboard/sources", "/dashboard/agents", "/dashboard/leads"):
        assert MARK in pages.get(page).content.decode(), page


@pytest.mark.parametrize(
    "content",
    [
        b"<p>a<script>alert(1)</script></p>",
        b"<img src=x onerror=alert(1)>",
        b'<a href="javascript:alert(1)">a</a>',
    ],
)
def test_danger_is_found_where_there_is_some(content: bytes) -> None:
    assert find_danger(content) != []
