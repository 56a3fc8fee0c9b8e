"""GET /demo."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.pages.widget import FILE
from config.rest.pages import page_headers
from demo.site import Site, write_site

NOT_FOUND = {"error": {"code": "NOT_FOUND", "message": "There is nothing at this address."}}
PLAIN_ETAG = f'"{hashlib.sha256(FILE.read_bytes()).hexdigest()[:32]}"'
PACKED_ETAG = f'{PLAIN_ETAG[:-1]}-gzip"'


@pytest.fixture
def demo(tenant: Tenant, tmp_path: Path, settings: Any) -> str:
    """The demo company is loaded; its agent's id."""
    agent = make_agent(tenant)
    settings.DATA_DIR = tmp_path
    settings.IS_DEVELOPMENT = True
    (tmp_path / "demo_loaded").write_text(f"{tenant.pk}\n")
    write_site(tmp_path, Site(agent.pk, (), takes_leads=True))
    return str(agent.pk)


def test_the_demo_page_has_one_script_tag_with_its_agent(client: Client, demo: str) -> None:
    answer = client.get("/demo")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    page = answer.content.decode()
    tags = re.findall(r"<script.*?</script>", page, re.DOTALL)
    assert tags == [
        f'<script src="/widget.js" data-agent="{demo}" data-color="#8a4a24" async></script>'
    ]
    assert re.findall(r" (?:style|on\w+)=", page) == []
    assert "<style" not in page


def test_the_demo_page_lets_nothing_but_our_own_files_run(client: Client, demo: str) -> None:
    answer = client.get("/demo")
    headers = {name: answer.headers[name] for name in page_headers()}
    assert headers == {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-src 'none';"
            " frame-ancestors 'none'"
        ),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    assert not answer.cookies


def test_the_demo_page_answers_head_and_refuses_a_post(client: Client, demo: str) -> None:
    assert client.head("/demo").status_code == 200
    answer = client.post("/demo")
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_there_is_no_demo_page_in_production(client: Client, demo: str, settings: Any) -> None:
    settings.IS_DEVELOPMENT = False
    answer = client.get("/demo")
    assert (answer.status_code, answer.json()) == (404, NOT_FOUND)


@pytest.mark.parametrize("missing", ["demo_loaded", "demo_site.json"])
def test_there_is_no_demo_page_where_no_demo_is_loaded(
    client: Client, demo: str, tmp_path: Path, missing: str
) -> None:
    (tmp_path / missing).unlink()
    answer = client.get("/demo")
    assert (answer.status_code, answer.json()) == (404, NOT_FOUND)


def test_there_is_no_demo_page_when_its_agent_was_deleted(
    client: Client, demo: str, tenant: Tenant
) -> None:
    Agent.objects.for_tenant(tenant).filter(pk=demo).delete()
    assert client.get("/demo").status_code == 404


def test_an_agent_of_another_tenant_is_none_of_the_demo_company(
    client: Client, demo: str, other_tenant: Tenant, tmp_path: Path
) -> None:
    write_site(tmp_path, Site(make_agent(other_tenant).pk, (), takes_leads=True))
    assert client.get("/demo").status_code == 404
