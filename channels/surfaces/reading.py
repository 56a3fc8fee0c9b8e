"""Safe reading of messengers' JSON: whatever it contains, nothing is raised."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from django.utils import timezone

ID_MAX_CHARS = 200
TEXT_MAX_CHARS = 10_000  # kept of a message; messengers take 4,096
NUMBER_MAX = 2**63 - 1  # that the database holds
# How long messengers deliver again what nobody took: messenger_b for 7 days, messenger_a for one.
REDELIVERED_FOR = timedelta(days=8)
LINE_BREAK = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
# Control characters, NUL among them, but line breaks.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_text(value: object) -> str:
    """Returns the clean text; "" when there is none."""
    return clean(value)[:TEXT_MAX_CHARS].strip() if isinstance(value, str) else ""


def clean(text: str) -> str:
    """Removes characters that a database cannot hold or a messenger cannot show."""
    text = LINE_BREAK.sub("\n", text).replace("\t", " ")
    return LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", CONTROL.sub("", text))


def read_id(value: object) -> str:
    """Returns the id; "" for a value that cannot be one."""
    number = read_number(value) if isinstance(value, int) else None
    written = str(number) if number is not None else value
    if not isinstance(written, str) or len(written) > ID_MAX_CHARS:
        return ""
    return written if written.isprintable() and not written.isspace() else ""


def read_number(value: object) -> int | None:
    """Reads a number, or its digits in a string; None for any other value, and for one that is too
    large."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,19}", value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= NUMBER_MAX:
        return value
    return None


def read_time(value: object) -> datetime:
    """Reads seconds since 1970. Returns the present time if there are none or they cannot be right:
    a message older than REDELIVERED_FOR was dated by a wrong clock."""
    now = timezone.now()
    seconds = read_number(value)
    if seconds is None or not (now - REDELIVERED_FOR).timestamp() < seconds < now.timestamp():
        return now
    return datetime.fromtimestamp(seconds, UTC)


def read_language(value: object) -> str:
    """Returns "es" or "en" for a tag like "es-MX" (BCP 47), else ""."""
    language = re.split("[-_]", value, maxsplit=1)[0].lower() if isinstance(value, str) else ""
    return language if language in {"es", "en"} else ""
