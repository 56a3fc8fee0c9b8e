"""Guessing of passwords and codes is slowed down, per account and per address. And so are mails
that their readers have not asked for.

Only failures count. When Redis does not answer nobody can guess, nor log in: docs/decisions/0009.
Wrong codes of a second factor are counted in PostgreSQL, account by account (`wrong_codes.py`), and
what is guessed over all accounts raises an alarm: docs/decisions/0037.
Attempts that run at the same moment are all answered, so a limit may be passed by as many as the
web server has threads; but of a second factor, whose row callers lock.
"""

import ipaddress
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from accounts.errors import WrongGuess
from accounts.models import CodeAlarm, Tenant
from config.errors import TooManyRequests
from config.security.encryption import keyed_hash
from config.security.rate_limits import Limit, forget, take, wait_seconds

logger = logging.getLogger(__name__)

QUARTER_OF_AN_HOUR = 15 * 60
HOUR = 3600
DAY = 24 * HOUR


class Secret(StrEnum):
    """The kind of secret that is guessed. Each is counted by itself: guessing passwords does not
    stop somebody from resetting theirs by code."""

    PASSWORD = "password"  # noqa: S105 - a kind
    CODE = "code"
    SECOND_FACTOR = "second_factor"


# From one client's address. First: a stranger who guesses locks out themselves.
PER_ACCOUNT_AND_ADDRESS = {
    Secret.PASSWORD: Limit("account_address_password", 10, QUARTER_OF_AN_HOUR),
    Secret.CODE: Limit("account_address_code", 60, QUARTER_OF_AN_HOUR),
    Secret.SECOND_FACTOR: Limit("account_address_second_factor", 10, QUARTER_OF_AN_HOUR),
}
# From wherever.
PER_ACCOUNT = {
    Secret.PASSWORD: Limit("account_password", 50, QUARTER_OF_AN_HOUR),
    # What is guessed at is bounded by each code's own tries: this only slows down.
    Secret.CODE: Limit("account_code", 300, QUARTER_OF_AN_HOUR),
}
# On all accounts. A whole office may share an address.
PER_ADDRESS = {
    Secret.PASSWORD: Limit("address_password", 60, QUARTER_OF_AN_HOUR),
    Secret.CODE: Limit("address_code", 300, QUARTER_OF_AN_HOUR),
    Secret.SECOND_FACTOR: Limit("address_second_factor", 60, QUARTER_OF_AN_HOUR),
}
# Wrong codes of one network, while the alarm is on.
PER_NETWORK = Limit("network_code", 10, QUARTER_OF_AN_HOUR)
TEN_MINUTES = 600
ALL = "all"
SPRAYED_PHRASE = "one-time codes are being sprayed"  # operators' alarms look for it
# The row must not grow with the attack: the first networks are enough to look for it in the logs.
NETWORKS_TOLD = 20
# Each mails somebody who may not have asked; and each is good for five tries.
CODES_SENT = [Limit("codes_sent", 5, QUARTER_OF_AN_HOUR), Limit("codes_sent_a_day", 20, DAY)]
# Whatever they are for.
CODES_TO_ONE = Limit("codes_to_one", 30, DAY)
# Higher: a company's own server may sign its customers up.
CODES_SENT_PER_ADDRESS = [Limit("codes_sent_to_address", 120, QUARTER_OF_AN_HOUR)]
# Their reader has not asked for them, and the workspace's name in them is its admins' own text.
INVITATIONS_TO_ONE = Limit("invitations_to_one", 5, HOUR)
# From all workspaces: anybody can make another one.
INVITATIONS_FROM_ALL = Limit("invitations_from_all", 10, DAY)
# A company may invite everybody on one day; each invitation is a mail that nobody asked for.
INVITATIONS_OF_TENANT = Limit("invitations", 200, DAY)


@contextmanager
def guarded(kind: Secret, *, account: str, address: str) -> Iterator[None]:
    """Counts a WrongGuess of its body; a body that ends well clears the account's count.

    Args:
        account: the e-mail address as given, whether it has an account or not.
        address: config.security.client_address.
    Raises TooManyRequests before the body runs, LimitsUnavailable.
    """
    counters = counters_of(kind, account, address)
    refuse_for(max(wait_seconds(limit, key) for limit, key in counters))
    if kind == Secret.CODE:
        refuse_sprayer(address)
    try:
        yield
    except WrongGuess:
        for limit, key in counters:
            take(limit, key)
        if kind == Secret.CODE:
            watch_codes(address)
        raise
    forget_failures(kind, account=account, address=address)


def counters_of(kind: Secret, account: str, address: str) -> list[tuple[Limit, str]]:
    of_account = account_key(account)
    counters = [(PER_ACCOUNT_AND_ADDRESS[kind], f"{of_account}:{address}")]
    if kind in PER_ACCOUNT:
        counters.append((PER_ACCOUNT[kind], of_account))
    return [*counters, (PER_ADDRESS[kind], address)]


def forget_failures(kind: Secret, *, account: str, address: str) -> None:
    """Clears the account's failures after somebody proved who they are. Keeps those of the address:
    otherwise one could guess at other accounts with a sign-in to one's own in between. Raises
    LimitsUnavailable."""
    for limit, key in counters_of(kind, account, address)[:-1]:
        forget(limit, key)


# --- Codes of many accounts -----------------------------------------------------------------------


def watch_codes(address: str) -> None:
    """Counts a wrong code over all accounts, to notice somebody who tries a few at each."""
    network = wide_network_of(address)
    take(PER_NETWORK, network)
    if take(usual_wrong_codes(), ALL):
        raise_alarm(network)


def refuse_sprayer(address: str) -> None:
    """Limits the codes that are checked for a network while the alarm is on. Raises
    TooManyRequests."""
    if wait_seconds(usual_wrong_codes(), ALL):
        refuse_for(wait_seconds(PER_NETWORK, wide_network_of(address)))


def usual_wrong_codes() -> Limit:
    return Limit("wrong_codes", settings.CODE_ALARM, TEN_MINUTES)


def raise_alarm(network: str) -> None:
    """Logs the alarm once an hour and shows it to our staff at /admin/. Kept in PostgreSQL, so that
    emptying Redis does not take it back."""
    now = timezone.now()
    hour = now.replace(minute=0, second=0, microsecond=0)
    alarm, is_new = CodeAlarm.objects.get_or_create(hour=hour, defaults={"last_at": now})
    if is_new:
        logger.error(
            "%s: more than %d wrong ones in ten minutes", SPRAYED_PHRASE, settings.CODE_ALARM
        )
    changes: dict[str, Any] = {"last_at": now, "wrong_codes": F("wrong_codes") + 1}
    if network not in alarm.networks and len(alarm.networks) < NETWORKS_TOLD:
        changes["networks"] = [*alarm.networks, network]
    CodeAlarm.objects.filter(pk=alarm.pk).update(**changes)


def wide_network_of(address: str) -> str:
    """The /24, or the IPv6 /48, which one customer of a provider may have."""
    try:
        network = ipaddress.ip_network(address, strict=False)
    except ValueError:  # "unknown"
        return address
    return str(network.supernet(new_prefix=24 if network.version == 4 else 48))


# --- Mails that are asked for ---------------------------------------------------------------------


def count_sent_code(email: str, purpose: str, *, address: str) -> None:
    """Counts a code for its sender and its reader. Raises TooManyRequests when too many were asked
    for, LimitsUnavailable."""
    count_asking(address)
    count_sending(email, purpose)


def count_asking(address: str) -> None:
    """Counts a mail that this client asks for. Raises as count_sent_code."""
    for limit in CODES_SENT_PER_ADDRESS:
        refuse_for(take(limit, address))


def count_sending(email: str, purpose: str) -> None:
    """Counts a code that goes to this reader. Raises as count_sent_code."""
    key = account_key(f"{purpose}:{email}")
    for limit in CODES_SENT:
        refuse_for(take(limit, key))
    refuse_for(take(CODES_TO_ONE, account_key(email)))


def count_invitation(tenant: Tenant, email: str) -> None:
    """Counts an invitation. Raises TooManyRequests, LimitsUnavailable."""
    refuse_for(take(INVITATIONS_TO_ONE, f"{tenant.pk}:{account_key(email)}"))
    refuse_for(take(INVITATIONS_OF_TENANT, str(tenant.pk)))
    refuse_for(take(INVITATIONS_FROM_ALL, account_key(email)))


def refuse_for(seconds: int) -> None:
    if seconds:
        raise TooManyRequests(
            "Too many attempts. Wait, then try again.", retry_after_seconds=seconds
        )


def account_key(account: str) -> str:
    """The key of an account, hashed so that Redis sees no e-mail address."""
    return keyed_hash(account.strip().lower(), purpose="guessing")
