from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"

    def ready(self) -> None:
        """Whoever connects a channel anew does not know that chats wait for it."""
        from channels.connections import RECONNECTED
        from webhooks.chats import wake_chats

        RECONNECTED.append(wake_chats)
