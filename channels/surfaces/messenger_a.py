"""Telegram's Bot API: https://core.telegram.org/bots/api, read 2026-11-21."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from channels.surfaces.base import IncomingMessage, Messenger


class MessengerA(Messenger):
    """Its configuration: `bot_token`, and `secret_token`, which is ours and random."""

    fields = ("bot_token", "secret_token")
    text_max_units = 4096
    sends_per_second = 25  # the documented limit is 30
    chat_pause_seconds = 1
    reply_window = None

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
