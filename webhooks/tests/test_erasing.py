"""What is kept of chats goes: when it is asked for, and by itself after its days."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import Role, Tenant
from accounts.tests.factories import make_staff_access, make_user, sign_staff_in
from agents.tests.factories import make_agent
from channels.models import ChannelConnection
from channels.tests.factories import make_connection
from query.tests.factories import make_conversation
from webhooks import expiry, tasks
from webhooks.models import Chat, InboundMessage, Reply
from webhooks.tests.chatting import ago
from webhooks.tests.factories import make_chat, make_inbound_message, make_reply

pytestmark = pytest.mark.django_db

DAY_SECONDS = 24 * 3600
PHONE = "34600111222"


@pytest.fixture
def connection(tenant: Tenant) -> ChannelConnection:
    return make_connection(make_agent(tenant), "messenger_b")


def fill_chat(connection: ChannelConnection, **over: Any) -> Chat:
    """Two messages and a reply."""
    chat = make_chat(connection, **over)
    make_inbound_message(chat, "hello")
    make_inbound_message(chat, "anybody there?")
    make_reply(chat)
    return chat


def counts_of(tenant: Tenant) -> list[int]:
    models = (Chat, InboundMessage, Reply)
    return [model.objects.for_tenant(tenant).count() for model in models]


def erase(tenant: Tenant, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("erase", tenant=tenant.slug, stdout=out, **options)
    printed: dict[str, Any] = json.loads(out.getvalue())
    assert printed.pop("receipt")["found"] == 0
    return printed


# --- On request -----------------------------------------------------------------------------------


def test_a_session_is_erased_with_its_chats_and_no_other(
    tenant: Tenant, other_tenant: Tenant, connection: ChannelConnection
) -> None:
    fill_chat(connection, external_id=PHONE)
    fill_chat(make_connection(make_agent(tenant), "messenger_b"), external_id=PHONE)
    make_conversation(connection.agent, channel="messenger_b", session_id=PHONE)
    other = fill_chat(connection, external_id="34600111333")
    fill_chat(make_connection(make_agent(other_tenant), "messenger_b"), external_id=PHONE)

    printed = erase(tenant, session=PHONE)

    assert printed == {
        "tenant": "acme",
        "messages": 0,
        "conversations": 1,
        "notifications": 0,
        "mails": 0,
        "lead_notes": 0,
        "leads": 0,
        "question_groups": 0,
        "chat_messages": 4,
        "replies": 2,
        "chats": 2,
        "remembered": 0,
    }
    assert counts_of(tenant) == [1, 2, 1]
    assert Chat.objects.for_tenant(tenant).get() == other
    assert counts_of(other_tenant) == [1, 2, 1]


def test_everything_of_a_tenant_is_erased_with_its_chats(
    tenant: Tenant, other_tenant: Tenant, connection: ChannelConnection
) -> None:
    fill_chat(connection)
    fill_chat(make_connection(make_agent(other_tenant)))

    erase(tenant, everything=True, yes=True)

    assert Chat.all_tenants.get().tenant == other_tenant
    assert counts_of(other_tenant) == [1, 2, 1]


def test_a_chat_is_found_by_its_number(tenant: Tenant, connection: ChannelConnection) -> None:
    fill_chat(connection, external_id=PHONE)
    make_chat(connection, external_id="34600111223")
    out = StringIO()

    call_command("erase", tenant=tenant.slug, person=f"+{PHONE}", yes=True, stdout=out)

    erased = json.loads(out.getvalue())["receipt"]["erased"]
    assert erased == {"chat_messages": 2, "replies": 1, "chats": 1}
    assert Chat.objects.for_tenant(tenant).get().external_id == "34600111223"


# --- After its days -------------------------------------------------------------------------------


def age(chat: Chat, days: float) -> None:
    """Its messages and replies."""
    moment = ago(days * DAY_SECONDS)
    InboundMessage.objects.for_tenant(chat.tenant).filter(chat=chat).update(received_at=moment)
    Reply.objects.for_tenant(chat.tenant).filter(chat=chat).update(created_at=moment)


def test_messages_and_replies_go_after_eight_days_whatever_became_of_them(
    connection: ChannelConnection,
) -> None:
    old, young = fill_chat(connection), fill_chat(connection)
    age(old, 8.01)
    age(young, 7.99)
    InboundMessage.objects.for_tenant(old.tenant).update(handled_at=timezone.now())

    assert expiry.delete_old(timezone.now()) == 3
    assert counts_of(old.tenant) == [2, 2, 1]
    assert set(InboundMessage.objects.for_tenant(old.tenant).values_list("chat", flat=True)) == {
        young.pk
    }


def test_chats_go_after_thirty_days_in_which_nobody_wrote(connection: ChannelConnection) -> None:
    gone = make_chat(connection, last_inbound_at=ago(30.01 * DAY_SECONDS))
    due = make_chat(connection, last_inbound_at=ago(30.01 * DAY_SECONDS), due_at=ago(5))
    young = make_chat(connection, last_inbound_at=ago(29.99 * DAY_SECONDS))

    tasks.delete_old_messages()

    assert set(Chat.objects.for_tenant(gone.tenant)) == {due, young}


def test_every_tenant_and_more_than_one_batch(
    connection: ChannelConnection, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.leaving.expiry.ROWS_AT_ONCE", 2)
    theirs = make_connection(make_agent(other_tenant))
    for owner in (connection, connection, theirs):
        age(fill_chat(owner), 9)

    assert expiry.delete_old(timezone.now()) == 9


# --- The back office ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chat", "inboundmessage", "reply"])
def test_staff_sees_that_there_are_messages_and_not_what_they_say(
    connection: ChannelConnection, client: Any, name: str
) -> None:
    chat = make_chat(connection)
    rows = {
        "chat": chat,
        "inboundmessage": make_inbound_message(chat, "a visitor's words"),
        "reply": make_reply(chat, "a word of ours"),
    }
    staff = make_user(
        connection.tenant, role=Role.VIEWER, email="us@x.test", is_staff=True, is_superuser=True
    )
    sign_staff_in(client, staff)
    make_staff_access(connection.tenant, staff)

    for path in ("", f"{rows[name].pk}/change/"):
        page = client.get(f"/admin/webhooks/{name}/{path}")
        assert page.status_code == 200
        assert b"encrypted" not in page.content
        assert b"a visitor" not in page.content
        assert b"a word of" not in page.content
