"""GET /widget.js and GET /demo."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.demo_site import Site, write_site
from channels.pages.widget import FILE

NOT_FOUND = {"error": {"code": "NOT_FOUND", "message": "There is nothing at this address."}}
PLAIN_ETAG = f'"{hashlib.sha256(FILE.read_bytes()).hexdigest()[:32]}"'
PACKED_ETAG = f'{PLAIN_ETAG[:-1]}-gzip"'


@pytest.fixture
def client() -> Client:
    """Of a visitor: no token, no cookie."""
    return Client()


# --- GET /widget.js ---------------------------------------------------------------------------


def test_the_widget_is_one_file_for_pages_of_any_origin(client: Client) -> None:
    answer = client.get("/widget.js")
    assert answer.status_code == 200
    assert answer.content == FILE.read_bytes()
    shown = {
        name: answer.headers[name]
        for name in (
            "Content-Type",
            "ETag",
            "Cache-Control",
            "Vary",
            "Access-Control-Allow-Origin",
            "Cross-Origin-Resource-Policy",
            "X-Content-Type-Options",
        )
    }
    assert shown == {
        "Content-Type": "application/javascript; charset=utf-8",
        "ETag": PLAIN_ETAG,
        "Cache-Control": "public, max-age=3600",
        "Vary": "Accept-Encoding",
        "Access-Control-Allow-Origin": "*",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
    assert not answer.cookies


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("*", True),
        ("", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("x-gzipped", False),
    ],
)
def test_it_is_packed_for_who_can_unpack_it(
    client: Client, accepted: str, *, is_packed: bool
) -> None:
    answer = client.get("/widget.js", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == ("gzip" if is_packed else None)
    assert answer.headers["ETag"] == (PACKED_ETAG if is_packed else PLAIN_ETAG)
    content = gzip.decompress(answer.content) if is_packed else answer.content
    assert content == FILE.read_bytes()


@pytest.mark.parametrize(("accepted", "etag"), [("", PLAIN_ETAG), ("gzip", PACKED_ETAG)])
def test_who_has_it_gets_no_content(client: Client, accepted: str, etag: str) -> None:
    headers = {"Accept-Encoding": accepted, "If-None-Match": f'"old", {etag}'}
    answer = client.get("/widget.js", headers=headers)
    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["ETag"] == etag
    assert answer.headers["Cache-Control"] == "public, max-age=3600"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_who_has_another_one_gets_it_anew(client: Client) -> None:
    answer = client.get("/widget.js", headers={"If-None-Match": PACKED_ETAG})
    assert (answer.status_code, answer.content) == (200, FILE.read_bytes())


def test_the_widget_answers_head(client: Client) -> None:
    answer = client.head("/widget.js")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Length"] == str(FILE.stat().st_size)


@pytest.mark.parametrize("path", ["/widget.js"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_another_method_is_refused(client: Client, method: str, path: str) -> None:
    answer = client.generic(method, path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


def test_the_widget_is_small() -> None:
    assert FILE.stat().st_size < 32_000


# --- GET /demo --------------------------------------------------------------------------------


@pytest.fixture
def demo(tenant: Tenant, tmp_path: Path, settings: Any) -> str:
    """The demo company is loaded; its agent's id."""
    agent = make_agent(tenant)
    settings.DATA_DIR = tmp_path
    settings.IS_DEVELOPMENT = True
    (tmp_path / "demo_loaded").write_text(f"{tenant.pk}\n")
    write_site(tmp_path, Site(agent.pk, ()))
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
    assert answer.headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["Cache-Control"] == "no-store"
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
    write_site(tmp_path, Site(make_agent(other_tenant).pk, ()))
    assert client.get("/demo").status_code == 404
