"""Typed reading of environment variables.

Every reader fails at start with the variable's name and what it accepts; none shows a value,
because a value may be a secret.
"""

import base64
import binascii
import os
import re
import secrets
import zoneinfo
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.message import sanitize_address

env = environ.Env()

SECRET_MIN_CHARS = 50  # Django's own generator makes 50
ENCRYPTION_KEY_BYTES = 32  # AES-256
# Keys of tutorials and templates, and what marks a key as not meant to be used.
WELL_KNOWN_SECRETS = frozenset(
    {"secret", "changeme", "change-me", "password", "insecure", "development", "test"}
)
WELL_KNOWN_PREFIXES = ("django-insecure",)


def read_str(name: str, default: str | None = None) -> str:
    """The variable's text without surrounding white space.

    Raises ImproperlyConfigured when it is unset without a default.
    """
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"The environment variable {name} must be set.")
    return default


def read_int(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """A whole number in [minimum, maximum]. Raises ImproperlyConfigured otherwise."""
    text = read_str(name, str(default))
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be a whole number."
        ) from None
    if not minimum <= value <= maximum:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be between {minimum} and {maximum}."
        )
    return value


def read_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    """The variable's value, one of `choices`. Raises ImproperlyConfigured otherwise."""
    value = read_str(name, default)
    if value not in choices:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be one of: {', '.join(choices)}."
        )
    return value


def read_yes(name: str) -> bool:
    """True if the variable is "yes"; unset, it is "no". Raises ImproperlyConfigured otherwise."""
    return read_choice(name, "no", ("yes", "no")) == "yes"


def read_time_zone(name: str, default: str) -> str:
    """A name of the IANA's list ("Europe/Madrid"). Raises ImproperlyConfigured otherwise."""
    value = read_str(name, default)
    if value not in zoneinfo.available_timezones():
        raise ImproperlyConfigured(
            f"The environment variable {name} must be a time zone such as Europe/Madrid."
        )
    return value


def read_list(name: str, default: list[str]) -> list[str]:
    """Comma-separated texts."""
    value: list[str] = env.list(name, default=default)
    return [item.strip() for item in value if item.strip()]


def read_http_url(name: str, default: str) -> str:
    """An http(s) URL without a trailing slash. Raises ImproperlyConfigured otherwise."""
    value = read_str(name, default).rstrip("/")
    parts = split_url(name, value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be an http:// or https:// URL."
        )
    return value


def read_optional_url(name: str) -> str:
    """An http(s) URL as `read_http_url` returns it; empty when unset."""
    return read_http_url(name, "https://unset") if os.environ.get(name, "").strip() else ""


def read_origin(name: str, default: str) -> str:
    """Scheme, host and port of an http(s) URL that has nothing else. Raises ImproperlyConfigured
    otherwise."""
    parts = urlsplit(read_http_url(name, default))
    if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be https://host or http://host, with a port at"
            " most: no path."
        )
    return f"{parts.scheme}://{parts.netloc}"


def split_url(name: str, value: str) -> SplitResult:
    """Raises ImproperlyConfigured where Python would show a part of the value: of a password."""
    try:
        parts = urlsplit(value)
        _ = parts.port  # read only now; a port that is not a number may be half a password
    except ValueError:
        raise ImproperlyConfigured(
            f"The environment variable {name} is not a URL."
            " Write special characters of a password as %XX."
        ) from None
    return parts


def read_service_url(name: str, schemes: tuple[str, ...]) -> str:
    """The URL of a database or broker; unset, it tells that bin/manage would have set it."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be set."
            " bin/up and bin/manage set it to the embedded server."
        )
    if split_url(name, value).scheme not in schemes:
        raise ImproperlyConfigured(
            f"The environment variable {name} must start with one of: {', '.join(schemes)}."
        )
    return value


def read_secret(name: str, *, file_in_development: Path | None) -> str:
    """A secret of at least SECRET_MIN_CHARS characters that is not a well-known one.

    Args:
        file_in_development: where to keep a random one when the variable is unset; None outside
            development, where an unset variable raises ImproperlyConfigured.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        if file_in_development is None:
            raise ImproperlyConfigured(
                f"The environment variable {name} must be set outside development."
            )
        return read_or_create_secret_file(file_in_development, secrets.token_urlsafe(64))
    return require_strong(name, value)


def read_secrets(name: str) -> list[str]:
    """Comma-separated, each as read_secret takes it; none when unset."""
    return [require_strong(name, value) for value in read_list(name, [])]


def require_strong(name: str, value: str) -> str:
    """`value`. Raises ImproperlyConfigured for a short or well-known one."""
    lowered = value.lower()
    if len(value) < SECRET_MIN_CHARS or len(set(value)) < 10:
        raise ImproperlyConfigured(
            f"The environment variable {name} is too weak:"
            f" at least {SECRET_MIN_CHARS} random characters."
        )
    if lowered.startswith(WELL_KNOWN_PREFIXES) or any(
        lowered.startswith(known) for known in WELL_KNOWN_SECRETS
    ):
        raise ImproperlyConfigured(
            f"The environment variable {name} holds a well-known value: make a random one."
        )
    return value


def read_encryption_keys(name: str, *, file_in_development: Path | None) -> list[bytes]:
    """Comma-separated base64 keys of 32 random bytes, at least one.

    Args:
        file_in_development: as in read_secret.
    """
    texts = read_list(name, [])
    if not texts:
        if file_in_development is None:
            raise ImproperlyConfigured(
                f"The environment variable {name} must be set outside development:"
                " base64 of 32 random bytes, as `openssl rand -base64 32` makes them."
            )
        made = base64.b64encode(secrets.token_bytes(ENCRYPTION_KEY_BYTES)).decode()
        texts = [read_or_create_secret_file(file_in_development, made)]
    return [read_encryption_key(name, text) for text in texts]


def read_encryption_key(name: str, text: str) -> bytes:
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    # Of 32 random bytes, fewer than 16 different ones do not come by chance; nor do 32 that are all
    # ASCII, as those of a text or of a tutorial's 00 01 02.
    if len(key) != ENCRYPTION_KEY_BYTES or len(set(key)) < 16 or key.isascii():
        raise ImproperlyConfigured(
            f"The environment variable {name} must hold base64 of 32 random bytes each,"
            " as `openssl rand -base64 32` makes them, separated by commas."
        ) from None
    return key


def read_or_create_secret_file(path: Path, new_secret: str) -> str:
    """The secret kept in `path` (mode 0600), `new_secret` at first use. Safe when several processes
    start at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(new_secret)
        try:
            # Unlike a rename, a link never replaces the file of a process that was faster
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


# How each scheme of EMAIL_URL is spoken, and its usual port (RFC 5321, 6409, 8314).
EMAIL_SCHEMES: dict[str, dict[str, Any]] = {
    "smtp": {"EMAIL_PORT": 25},
    "smtp+tls": {"EMAIL_PORT": 587, "EMAIL_USE_TLS": True},
    "smtp+ssl": {"EMAIL_PORT": 465, "EMAIL_USE_SSL": True},
}


def read_email_url(name: str) -> dict[str, Any]:
    """Django's EMAIL_… settings out of `smtp://`, `smtp+tls://` (STARTTLS) or `smtp+ssl://`, each
    with `user:password@host:port`; unset: files in EMAIL_OUTBOX. Raises ImproperlyConfigured.

    Not django-environ's reader: it takes a + in a password for a space, and knows no usual ports.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        return {"EMAIL_BACKEND": "config.mail.files.EmailBackend"}
    parts = split_url(name, value)
    if parts.scheme not in EMAIL_SCHEMES or not parts.hostname:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be smtp://, smtp+tls:// or smtp+ssl://"
            " and name a host."
        )
    check_email_login(name, parts)
    read = {
        "EMAIL_BACKEND": "config.mail.server.EmailBackend",
        "EMAIL_HOST": parts.hostname,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
    } | EMAIL_SCHEMES[parts.scheme]
    return read | ({"EMAIL_PORT": parts.port} if parts.port else {})


def check_email_login(name: str, parts: SplitResult) -> None:
    """Raises ImproperlyConfigured where a login would be left out without a word."""
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"The environment variable {name} must end with the host, or its port."
            " Write special characters of a password as %XX."
        )
    if bool(parts.username) != bool(parts.password):
        raise ImproperlyConfigured(
            f"The environment variable {name} must have a user and a password, or neither."
        )
    if not unquote((parts.username or "") + (parts.password or "")).isascii():
        raise ImproperlyConfigured(  # smtplib cannot send them
            f"The user and password of the environment variable {name} must be plain ASCII."
        )


def read_contact(name: str) -> str:
    """The contact as a URI: `mailto:` of an e-mail address, or an https URL; empty when unset.
    Raises ImproperlyConfigured otherwise."""
    value = os.environ.get(name, "").strip()
    if not value or value.startswith("https://"):
        return read_optional_url(name)
    mailbox = read_mailbox(name, "")
    if not re.fullmatch(r"[^\s<>@,]+@[^\s<>@,]+", mailbox):
        raise ImproperlyConfigured(
            f"The environment variable {name} must be one e-mail address, or an https:// URL."
        )
    return f"mailto:{mailbox}"


def read_mailbox(name: str, default: str) -> str:
    """`Name <user@host>` or `user@host`. Raises ImproperlyConfigured otherwise."""
    value = read_str(name, default)
    try:
        address = sanitize_address(value, "utf-8")  # as Django does when it sends
    except ValueError:
        address = ""
    if "@" not in address or not value.isprintable():
        raise ImproperlyConfigured(
            f"The environment variable {name} must be one e-mail address, or Name <address>."
        )
    return value
