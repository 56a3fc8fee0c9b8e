"""WhatsApp Business Cloud API: developers.facebook.com/docs/whatsapp/cloud-api, read 2026-11-21."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta

from channels.surfaces.base import IncomingMessage, Messenger


class MessengerB(Messenger):
    """Its configuration: what its owner sends to connect it."""

    fields = ("phone_number_id", "system_user_token", "app_secret", "verify_token")
    text_max_units = 4096
    sends_per_second = 70  # the documented limit is 80
    chat_pause_seconds = 0
    reply_window = timedelta(hours=24)

    @property
    def account_id(self) -> str:
        raise NotImplementedError

    def connect(self, webhook_url: str) -> None:
        raise NotImplementedError

    def disconnect(self) -> None:
        raise NotImplementedError

    def send_text(self, chat_id: str, text: str) -> None:
        raise NotImplementedError

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        raise NotImplementedError

    def read_messages(self, payload: object) -> Sequence[IncomingMessage]:
        raise NotImplementedError

    def as_plain(self, text: str) -> str:
        raise NotImplementedError
