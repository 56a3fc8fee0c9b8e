"""The channels of an agent in the dashboard, the snippet and the preview."""

import html
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.errors import ChannelConnectFailed
from channels.models import ChannelConnection, ConnectionStatus
from channels.tests.factories import make_connection, make_web_agent
from channels.tests.visitor import Visitor
from reasons import as_reason

TOKEN = "700000001:the-secret-of-a-bot"
WHATSAPP = {
    "messenger_b-phone_number_id": "100000000007",
    "messenger_b-system_user_token": "token-that-is-secret",
    "messenger_b-app_secret": "app-secret-of-a-test",
    "messenger_b-verify_token": "verify-token-of-a-test",
}


def address(agent: Agent, page: str = "/channels") -> str:
    return f"/dashboard/agents/{agent.pk}{page}"


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would be connected. No messenger is asked."""
    calls: list[Any] = []

    def connect(tenant: Tenant, agent_id: Any, kind: str, config: Any) -> None:
        calls.append((agent_id, kind, dict(config)))

    monkeypatch.setattr("channels.services.connect_channel", connect)
    return calls


def test_each_kind_of_channel_is_shown_with_how_to_connect_it(
    tenant: Tenant, pages: Client
) -> None:
    page = pages.get(address(make_agent(tenant))).content.decode()

    for words in ("Website", "Telegram", "WhatsApp", "Bot token", "Verify token", "@BotFather"):
        assert words in page


def test_a_website_is_connected_with_a_click(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant)

    answer = pages.post(address(agent, "/channels/web/connect"))

    assert (answer.status_code, answer["Location"]) == (302, address(agent))
    agent.refresh_from_db()
    assert agent.active_channels == ["web"]


def test_a_bot_is_connected_with_its_token(
    tenant: Tenant, pages: Client, connected: list[Any]
) -> None:
    agent = make_agent(tenant)

    pages.post(address(agent, "/channels/messenger_a/connect"), {"messenger_a-bot_token": TOKEN})

    assert connected == [(agent.pk, "messenger_a", {"bot_token": TOKEN})]


@pytest.mark.parametrize("token", ["", " spaces ", "ñ", "x" * 201, "line\nbreak", "break\n"])
def test_a_token_of_another_form_is_told_at_its_field(
    tenant: Tenant, pages: Client, connected: list[Any], token: str
) -> None:
    agent = make_agent(tenant)

    answer = pages.post(
        address(agent, "/channels/messenger_a/connect"), {"messenger_a-bot_token": token}
    )

    assert answer.status_code == 400
    [form] = [card.form for card in answer.context["cards"] if card.kind == "messenger_a"]
    assert list(form.errors) == ["bot_token"]
    assert connected == []


def test_what_a_messenger_refuses_is_told_and_secrets_are_not_shown_again(
    tenant: Tenant, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any) -> None:
        raise ChannelConnectFailed(
            "The channel was not connected, and nothing was changed. The messenger does"
            " not accept the connection of this phone number."
        )

    monkeypatch.setattr("channels.services.connect_channel", refuse)

    answer = pages.post(address(make_agent(tenant), "/channels/messenger_b/connect"), WHATSAPP)

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "does not accept the connection of this phone number" in page
    assert "100000000007" in page
    for name, value in WHATSAPP.items():
        assert (value in page) == name.endswith("phone_number_id")


def test_a_connection_tells_its_state_its_error_and_its_webhook(
    tenant: Tenant, pages: Client
) -> None:
    agent = make_agent(tenant)
    make_connection(
        agent,
        "messenger_b",
        status=ConnectionStatus.FAILING,
        error=as_reason("<b>The token was revoked.</b>"),
        error_at=timezone.now(),
    )

    page = pages.get(address(agent)).content.decode()

    assert "Not working" in page
    assert "&lt;b&gt;The token was revoked.&lt;/b&gt;" in page
    assert f"/webhooks/messenger_b/agent/{agent.pk}" in page
    assert "system-user-token-of-a-test" not in page


def test_a_channel_is_disconnected_when_the_name_is_typed(tenant: Tenant, pages: Client) -> None:
    agent = make_web_agent(tenant, name="Marina")

    refused = pages.post(address(agent, "/channels/web/disconnect"), {"name": "Mar"}, follow=True)
    assert ChannelConnection.objects.for_tenant(tenant).count() == 1
    done = pages.post(address(agent, "/channels/web/disconnect"), {"name": "Marina"})

    assert b"Nothing was disconnected" in refused.content
    assert (done.status_code, done["Location"]) == (302, address(agent))
    assert ChannelConnection.objects.for_tenant(tenant).count() == 0


@pytest.mark.parametrize("what", ["connect", "disconnect"])
def test_a_channel_that_nobody_knows_is_not_there(tenant: Tenant, pages: Client, what: str) -> None:
    agent = make_agent(tenant, name="Marina")

    answer = pages.post(address(agent, f"/channels/fax/{what}"), {"name": "Marina"})

    assert answer.status_code == 404


# --- The snippet and the preview ------------------------------------------------------------------


def test_the_snippet_is_the_widgets_line(tenant: Tenant, pages: Client, settings: Any) -> None:
    settings.BASE_URL = "https://agents.example"
    agent = make_web_agent(tenant)

    page = html.unescape(pages.get(address(agent)).content.decode())

    line = f'<script src="https://agents.example/widget.js" data-agent="{agent.pk}" async></script>'
    assert line in page


def test_looks_that_were_chosen_are_in_the_snippet_and_others_are_not(
    tenant: Tenant, pages: Client
) -> None:
    agent = make_web_agent(tenant)
    query = {"color": "#8a4a24", "theme": "dark", "position": '"><script>'}

    page = pages.get(address(agent), query).content.decode()

    assert 'data-color="#8a4a24" data-theme="dark" async' in html.unescape(page)
    assert '"><script>' not in page
    assert "color=%238a4a24&amp;theme=dark" in page


def test_the_preview_stands_in_our_own_frames_alone(tenant: Tenant, pages: Client) -> None:
    answer = pages.get(address(make_web_agent(tenant), "/preview"))

    policy = answer["Content-Security-Policy"].split("; ")
    assert "frame-ancestors 'self'" in policy
    assert "script-src 'self'" in policy
    assert "connect-src 'self'" in policy
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert answer["Cache-Control"] == "no-store"


def test_the_page_around_it_stands_in_no_frame(tenant: Tenant, pages: Client) -> None:
    answer = pages.get(address(make_web_agent(tenant)))

    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
    assert "frame-src 'self'" in answer["Content-Security-Policy"]


def test_the_preview_may_ask_though_no_origin_is_allowed(tenant: Tenant, pages: Client) -> None:
    agent = make_web_agent(tenant, allowed_origins=[])
    preview_pass = pages.get(address(agent, "/preview")).context["preview_pass"]
    visitor = Visitor(agent, origin="http://testserver")

    refused = visitor.begin()
    visitor.headers["X-Widget-Preview"] = preview_pass
    greeted = visitor.begin()

    assert (refused.status_code, greeted.status_code) == (403, 201)
    assert visitor.ask("hello").status_code == 200
