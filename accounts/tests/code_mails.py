"""What the tests of one-time codes share: reading them, mail servers that fail, many at once."""

import re
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.core import mail
from django.db import connection

THREADS = 25  # PostgreSQL has 100 connections for all tests that run now


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
    """The sorted statuses of `request(0)`, `request(1)`…, by THREADS threads that begin together.

    For tests of committed rows.
    """
    start = Barrier(min(times, THREADS))

    def run(number: int) -> int:
        if number < start.parties:
            start.wait(timeout=30)
        try:
            return int(request(number).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(start.parties) as pool:
        return sorted(pool.map(run, range(times)))
