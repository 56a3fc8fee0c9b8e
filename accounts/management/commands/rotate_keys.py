"""bin/manage rotate_keys: everything encrypted, under the first key."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.security.encryption import current_key_id
from config.security.rotation import rotate


class Command(BaseCommand):
    help = (
        "Re-encrypt, with the first of CHANNEL_ENCRYPTION_KEYS, everything that older keys"
        " have encrypted: channels, authenticator apps, and waiting mails and messages."
        " Print for each kind how many rows were renewed, already had the first key"
        " (current), or cannot be decrypted by any key (unreadable); exit with 1 if there"
        " are unreadable rows. The command can be killed and run again. Run it once every"
        " process knows the new key. Remove an old key only when a run prints renewed 0"
        " and unreadable 0 for all kinds, and half an hour has passed since every process"
        " began to use the new key first: until then, sessions in Redis may still need it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        counts = rotate()
        rows = {name: asdict(count) for name, count in counts.items()}
        self.stdout.write(json.dumps({"key_id": current_key_id(), "rows": rows}))
        unreadable = sum(count.unreadable for count in counts.values())
        if unreadable:
            raise CommandError(
                f"No key opens {unreadable} rows; the log names them. Put the key that encrypted"
                " them back into CHANNEL_ENCRYPTION_KEYS, and run this again."
            )
