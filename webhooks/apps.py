from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"

    def ready(self) -> None:
        """Whoever connects a channel anew does not know that chats wait for it."""
        from channels.connections import reconnected
        from webhooks.chats import wake_chats

        reconnected.connect(wake_chats, dispatch_uid="webhooks.wake_chats")
