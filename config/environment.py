"""Typed reading of environment variables.

Every reader fails at start with the variable's name and what it accepts; none shows a value,
because a value may be a secret.
"""

import os
import secrets
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()

SECRET_MIN_CHARS = 50  # Django's own generator makes 50
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
    """One of `choices`. Raises ImproperlyConfigured otherwise."""
    value = read_str(name, default)
    if value not in choices:
        raise ImproperlyConfigured(
            f"The environment variable {name} must be one of: {', '.join(choices)}."
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


def split_url(name: str, value: str) -> SplitResult:
    """Raises ImproperlyConfigured where Python would show a part of the value: of a password."""
    try:
        parts = urlsplit(value)
        _ = parts.port  # a number? Read only now, and what is no number may be half a password
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
        return read_or_create_secret_file(file_in_development)
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


def read_or_create_secret_file(path: Path) -> str:
    """The secret kept in `path` (mode 0600), made at first use. Safe when several processes start
    at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            # Unlike a rename, a link never replaces the file of a process that was faster
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()
