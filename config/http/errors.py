"""Why a fetch failed. The reasons are fit for customers: they name the website's fault or ours, and
nothing of our network.

    FetchError
    ├── AddressRefused      not an address that we fetch: form, scheme, port, or not public
    ├── TooLarge            more bytes than the caller wants
    ├── TooManyRedirects
    ├── UnreadableAnswer    not HTTP as we understand it
    └── Unreachable         may work later: name, connection, TLS
        └── TimedOut
"""

from typing import ClassVar

from reasons import ReasonedError


class FetchError(ReasonedError):
    """`retryable`: the same fetch may succeed later."""

    retryable: ClassVar[bool] = False


class AddressRefused(FetchError):
    pass


class TooLarge(FetchError):
    pass


class TooManyRedirects(FetchError):
    pass


class UnreadableAnswer(FetchError):
    pass


class Unreachable(FetchError):
    retryable = True


class TimedOut(Unreachable):
    pass
