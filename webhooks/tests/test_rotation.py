"""Texts that wait are encrypted anew with everything else: channels/tests/test_rotation.py."""

from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from channels.tests.factories import make_connection
from config.security.rotation import Counts, rotate
from webhooks.inbox import open_text
from webhooks.replies import open_parts
from webhooks.tests.factories import make_chat, make_inbound_message, make_reply


def test_messages_and_replies_that_wait_open_without_the_old_key(
    tenant: Tenant, settings: Any
) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [b"\1" * 32]
    chat = make_chat(make_connection(make_agent(tenant)))
    message, reply = (
        make_inbound_message(chat, "¿Abrís hoy?"),
        make_reply(chat, "Sí.", "Hasta las dos."),
    )
    make_inbound_message(chat, encrypted_text=b"")
    settings.CHANNEL_ENCRYPTION_KEYS = [b"\2" * 32, b"\1" * 32]

    counts = rotate()

    assert counts["webhooks.InboundMessage"] == counts["webhooks.Reply"] == Counts(renewed=1)
    settings.CHANNEL_ENCRYPTION_KEYS = [b"\2" * 32]
    message.refresh_from_db()
    reply.refresh_from_db()
    assert open_text(message) == "¿Abrís hoy?"
    assert open_parts(reply) == ["Sí.", "Hasta las dos."]
