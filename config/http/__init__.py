"""The one hardened HTTP client: every outgoing request that a tenant can steer goes through it."""

from config.http.addresses import URL_MAX_CHARS, check_public_url, parse_fetchable
from config.http.client import PRODUCT, FetchedPage, HttpClient, fetch
from config.http.errors import (
    AddressRefused,
    FetchError,
    TimedOut,
    TooLarge,
    TooManyRedirects,
    Unreachable,
    UnreadableAnswer,
)

__all__ = [
    "PRODUCT",
    "URL_MAX_CHARS",
    "AddressRefused",
    "FetchError",
    "FetchedPage",
    "HttpClient",
    "TimedOut",
    "TooLarge",
    "TooManyRedirects",
    "Unreachable",
    "UnreadableAnswer",
    "check_public_url",
    "fetch",
    "parse_fetchable",
]
