from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"

    def ready(self) -> None:
        """What apps below do with chats, which they do not know."""
        from channels.connections import RECONNECTED
        from channels.rotation import ENCRYPTED
        from query.erasure import ALSO_ERASED
        from webhooks.chats import wake_chats
        from webhooks.erasure import erase_chats
        from webhooks.rotation import ENCRYPTED_TEXTS

        RECONNECTED.append(wake_chats)
        ALSO_ERASED.append(erase_chats)
        ENCRYPTED.extend(ENCRYPTED_TEXTS)
