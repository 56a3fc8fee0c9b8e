"""The demands of production on its settings: all faults at once, a line each, before anything
starts.

`python -m config.production` prints them and ends with 1; bin/up asks it first. The settings ask
too, for whatever is started by hand.
"""

import ipaddress
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    WELL_KNOWN_SECRETS,
    read_email_url,
    read_encryption_keys,
    read_http_url,
    read_int,
    read_list,
    read_origin,
    read_secret,
    read_secrets,
    split_url,
)

IN_DEVELOPMENT = "To try the service without it, set ENVIRONMENT=development."
# As servers come with them, and as examples have them.
WELL_KNOWN_PASSWORDS = WELL_KNOWN_SECRETS | {
    "123456", "admin", "default", "example", "guest", "minio", "minio123", "minioadmin",
    "postgres", "postgresql", "redis", "root", "user",
}  # fmt: skip
PASSWORD_URLS = ("DATABASE_URL", "REDIS_URL", "EMAIL_URL", "STORAGE_URL")
PASSWORDS = ("AWS_SECRET_ACCESS_KEY", "LLM_API_KEY")
# What is told to these servers are customers' documents, questions and messages.
SERVICE_ADDRESSES = (
    "LLM_BASE_URL", "MESSENGER_A_API_URL", "MESSENGER_B_API_URL", "GOOGLE_SIGN_IN_URL",
    "GOOGLE_TOKEN_URL", "GOOGLE_API_URL", "MICROSOFT_SIGN_IN_URL", "MICROSOFT_API_URL",
    "NOTION_API_URL",
)  # fmt: skip
LOCAL_SUFFIXES = (".internal", ".local", ".lan", ".localhost", ".home.arpa")


def find_faults() -> list[str]:
    """The faults in the environment of this process. Services that bin/up sets itself are checked
    when they are set."""
    return list(dict.fromkeys(fault for rule in RULES for fault in faults_of(rule)))


def faults_of(rule: Callable[[], Iterable[str]]) -> Iterable[str]:
    try:
        yield from rule()
    except ImproperlyConfigured as error:
        yield str(error)


def secret_key_is_made() -> Iterable[str]:
    read_secret("SECRET_KEY", file_in_development=None)
    return ()


def keys_before_it_were_made() -> Iterable[str]:
    read_secrets("SECRET_KEY_FALLBACKS")
    return ()


def encryption_keys_are_made() -> Iterable[str]:
    read_encryption_keys("CHANNEL_ENCRYPTION_KEYS", file_in_development=None)
    return ()


def address_is_https() -> Iterable[str]:
    if not read_origin("BASE_URL", "http://unset").startswith("https://"):
        yield (
            "The environment variable BASE_URL must be https:// and the host by which people reach"
            f" the service: in production a proxy in front ends TLS. {IN_DEVELOPMENT}"
        )


def proxies_are_counted() -> Iterable[str]:
    read_int("TRUSTED_PROXIES", 0, minimum=0, maximum=10)
    if not os.environ.get("TRUSTED_PROXIES", "").strip():
        yield (
            "The environment variable TRUSTED_PROXIES must be set in production: how many proxies"
            " of yours stand before the service, 1 where one ends TLS; 0 says that there is none."
        )


def mail_is_sent() -> Iterable[str]:
    read_email_url("EMAIL_URL")
    if not os.environ.get("EMAIL_URL", "").strip():
        yield (
            "The environment variable EMAIL_URL must be set in production, to your mail server"
            " (smtp+tls://user:password@host): codes and invitations come by mail."
            f" {IN_DEVELOPMENT}"
        )


def hosts_are_named() -> Iterable[str]:
    if any(host == "*" or host.startswith(".") for host in read_list("ALLOWED_HOSTS", [])):
        yield (
            "The environment variable ALLOWED_HOSTS must name its hosts in production: no * and no"
            " leading dot. Unset, it is the host of BASE_URL and this machine."
        )


def passwords_are_own() -> Iterable[str]:
    for name in PASSWORD_URLS:
        parts = split_url(name, os.environ.get(name, "").strip())
        password = unquote(parts.password or "").lower()
        if password and (
            password in WELL_KNOWN_PASSWORDS or password == unquote(parts.username or "").lower()
        ):
            yield f"The environment variable {name} holds a well-known password: choose another."
    for name in PASSWORDS:
        if os.environ.get(name, "").strip().lower() in WELL_KNOWN_PASSWORDS:
            yield f"The environment variable {name} holds a well-known value: make another one."


def services_are_https() -> Iterable[str]:
    """Yields a fault for each service that is reached over http outside one's own network."""
    for name in SERVICE_ADDRESSES:
        address = os.environ.get(name, "").strip()
        if address and is_in_clear(read_http_url(name, "")):
            yield in_clear(name)
    storage = split_url("STORAGE_URL", os.environ.get("STORAGE_URL", "").strip())
    if any(is_in_clear(endpoint) for endpoint in parse_qs(storage.query).get("endpoint", [])):
        yield in_clear("STORAGE_URL")


def in_clear(name: str) -> str:
    return (
        f"The environment variable {name} must lead to an https:// address in production: http://"
        " is for a server in your own network."
    )


def is_in_clear(address: str) -> bool:
    """True for http to a host that its name or number does not show to be near."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    try:
        is_near = ipaddress.ip_address(host).is_private
    except ValueError:
        is_near = "." not in host or host.endswith(LOCAL_SUFFIXES)
    return parts.scheme == "http" and not is_near


def nothing_private_is_fetched() -> Iterable[str]:
    if read_list("FETCH_ALLOWED_HOSTS", []):
        yield "The environment variable FETCH_ALLOWED_HOSTS must be empty in production."


RULES: tuple[Callable[[], Iterable[str]], ...] = (
    secret_key_is_made,
    keys_before_it_were_made,
    encryption_keys_are_made,
    address_is_https,
    proxies_are_counted,
    mail_is_sent,
    hosts_are_named,
    passwords_are_own,
    services_are_https,
    nothing_private_is_fetched,
)


def require_production_settings() -> None:
    """Raises ImproperlyConfigured with all that is wrong."""
    if faults := find_faults():
        raise ImproperlyConfigured("\n".join(faults))


def main(environ: Mapping[str, str]) -> int:
    if environ.get("ENVIRONMENT", "").strip() == "development":
        return 0
    faults = find_faults()
    sys.stderr.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
