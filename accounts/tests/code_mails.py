"""What the tests of one-time codes share: reading them, mail servers that fail, many at once."""

import re
import socket
from collections.abc import Callable
from typing import Any

from django.core import mail

from config.tests.parallel import in_parallel


def mailed_code(index: int = -1) -> str:
    """The only six digits of a mail."""
    [code] = re.findall(r"\b\d{6}\b", str(mail.outbox[index].body))
    return str(code)


def wrong_code(*right: str) -> str:
    """None of those that were mailed."""
    return next(code for code in ("000000", "000001", "000002") if code not in right)


def stop_mail_server(settings: Any) -> None:
    """Mails go to a port where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.EMAIL_PORT = unused.getsockname()[1]
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"


def at_once(request: Callable[[int], Any], times: int) -> list[int]:
    """The sorted statuses of `request(0)`, `request(1)`… at the same time, on committed rows."""
    numbers = iter(range(times))
    return sorted(in_parallel(lambda: int(request(next(numbers)).status_code), times))
