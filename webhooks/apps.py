from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"

    def ready(self) -> None:
        """Connects `wake_chats` to the signal of `channels`, an app that does not know of chats."""
        from channels.connections import reconnected
        from webhooks.chats import wake_chats

        reconnected.connect(wake_chats, dispatch_uid="webhooks.wake_chats")
