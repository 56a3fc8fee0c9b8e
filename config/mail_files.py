"""The mail backend of a copy without a mail server: one .eml file per mail in EMAIL_OUTBOX."""

import time
import uuid
from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class EmailBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Files that sort by time. Raises OSError when the folder cannot be written."""
        folder = settings.EMAIL_OUTBOX
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for message in email_messages:
            name = f"{time.time_ns()}-{uuid.uuid4().hex[:8]}"
            draft = folder / f".{name}"
            draft.touch(mode=0o600)  # it may hold a code
            draft.write_bytes(message.message().as_bytes())
            draft.rename(folder / f"{name}.eml")  # whole, or not there
        return len(email_messages)
