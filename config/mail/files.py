"""The mail backend of a copy without a mail server: one .eml file per mail in EMAIL_OUTBOX."""

import os
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class EmailBackend(BaseEmailBackend):
    def open(self) -> None:
        """Raises OSError when no file could be written to the folder."""
        settings.EMAIL_OUTBOX.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(settings.EMAIL_OUTBOX, os.W_OK | os.X_OK):
            raise PermissionError(f"{settings.EMAIL_OUTBOX} cannot be written")

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Writes files that sort by time. Raises OSError when one cannot be written."""
        self.open()
        for message in email_messages:
            write_file(settings.EMAIL_OUTBOX, message.message().as_bytes())
        return len(email_messages)


def write_file(folder: Path, content: bytes) -> None:
    name = f"{time.time_ns()}-{uuid.uuid4().hex[:8]}"
    draft = folder / f".{name}"
    try:
        draft.touch(mode=0o600)  # it may hold a code
        draft.write_bytes(content)
        draft.rename(folder / f"{name}.eml")  # whole, or not there
    finally:
        draft.unlink(missing_ok=True)
