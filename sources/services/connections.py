"""A tenant's accounts at other services: connecting, looking around in, and disconnecting them."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.database.pool import release_connection
from config.errors import Conflict, TooManyRequests
from config.http import TooLarge
from config.jobs.places import Places, take_place
from config.security.encryption import CannotDecrypt
from config.serving.waiting import Kind
from reasons import Reason
from sources.connections import (
    forget_unused,
    is_held_elsewhere,
    keep_credentials,
    open_credentials,
    revoke,
)
from sources.connectors.calling import Api, CallRefused, FixedHeaders, waited_for
from sources.connectors.interface import Account, Checked, Choice, Connector, Extent
from sources.connectors.registry import CONNECTORS
from sources.errors import (
    ConnectionNotFound,
    InvalidSourceType,
    OriginUnavailable,
    OtherAccount,
    SignInFailed,
    SourceLimitReached,
    SyncFailed,
)
from sources.models import Connection, Lane, Source, SyncStatus
from sources.oauth.exchange import GrantRefused, revoke_token
from sources.oauth.providers import OAuthProvider
from sources.oauth.signing_in import Intent, begin, come_back, fetch_tokens
from sources.oauth.tokens import bearer, credentials_of, expiry_of
from sources.syncing.runs import begin_run, refuse_run
from sources.tasks import tell_lane

logger = logging.getLogger(__name__)

# A person waits on the page, and a thread of the web server with them.
LOOK_MAX_SECONDS = 30
LOOKING = Places(
    Kind.SERVERS, "looking", settings.CHECKS_WAITED_FOR, lease_seconds=LOOK_MAX_SECONDS + 5
)
RETRY_AFTER_SECONDS = 10
TOO_MANY = Reason("too_many_accounts_checked")
DISCONNECTED = Reason("account_disconnected_here")
# Of scopes that providers grant without naming them in their answer.
SILENT_SCOPES = frozenset({"offline_access", "openid", "email", "profile"})


def list_connections(tenant: Tenant) -> TenantQuerySet[Connection]:
    """The connections that sources can be read from, including a channel's if sources have its kind
    too."""
    kinds = [kind for kind, connector in CONNECTORS.items() if connector.reads_account]
    return Connection.objects.for_tenant(tenant).filter(provider__in=kinds)


def get_connection(tenant: Tenant, connection_id: uuid.UUID | None) -> Connection:
    """Raises ConnectionNotFound."""
    found = list_connections(tenant).filter(pk=connection_id).first() if connection_id else None
    if found is None:
        raise ConnectionNotFound
    return found


def list_sources_of(connection: Connection) -> TenantQuerySet[Source]:
    """The sources that are read from the account."""
    return Source.objects.for_tenant(connection.tenant).filter(connection=connection)


# --- Signing in -----------------------------------------------------------------------------------


def begin_sign_in(
    tenant: Tenant,
    kind: str,
    *,
    session_id: uuid.UUID,
    connection_id: uuid.UUID | None = None,
    takes_other: bool = False,
) -> str:
    """The address to which the browser of this session is to be sent.

    Args:
        connection_id: of an account that is to be connected again.
        takes_other: True if they may then sign in to a different account.

    Raises InvalidSourceType, ConnectionNotFound, SignInNotSetUp, LimitsUnavailable.
    """
    provider = provider_of(kind)
    if connection_id is not None and get_connection(tenant, connection_id).provider != kind:
        raise ConnectionNotFound
    intent = Intent(tenant.pk, kind, connection_id, takes_other)
    return begin(provider, intent, session_id=session_id)


def provider_of(kind: str) -> OAuthProvider:
    """Raises InvalidSourceType for a kind that nobody signs in to."""
    connector = CONNECTORS.get(kind)
    if connector is None or connector.provider is None:
        raise InvalidSourceType
    return connector.provider


def finish_sign_in(
    tenant: Tenant, given: Mapping[str, str], *, session_id: uuid.UUID
) -> Connection:
    """Keeps what the provider sent somebody back with, and lets the sources that waited for it go
    on. An account that is connected already gets new credentials. Seconds: it asks the provider.

    Args:
        given: the query of the callback's address.

    Raises:
        SignInExpired, SignInFailed.
        OtherAccount: they signed in to another account than the one to be connected again.
        ConnectionNotFound: that one is gone.
    """
    came = come_back(given, tenant_id=tenant.pk, session_id=session_id)
    intent, connector = came.intent, CONNECTORS[came.intent.kind]
    provider = provider_of(intent.kind)
    release_connection()
    tokens = fetch_tokens(provider, came)
    check_scopes(provider, tokens)
    account = find_account(connector, tokens)
    try:
        with transaction.atomic():
            row = row_to_keep(tenant, intent, account)
            keep_account(row, account, credentials_of(tokens), expires_at=expiry_of(tokens))
    except OtherAccount:
        give_back(intent.kind, account.id, credentials_of(tokens))
        raise
    return row


def check_scopes(provider: OAuthProvider, tokens: Mapping[str, Any]) -> None:
    """Raises SignInFailed if a right is missing: somebody may have unticked one."""
    told = tokens.get("scope")
    if not isinstance(told, str) or not told:
        return  # all that was asked for (RFC 6749, 5.1)
    granted = {name.rsplit("/", 1)[-1].lower() for name in told.split()}
    wanted = {name.rsplit("/", 1)[-1].lower() for name in provider.scopes} - SILENT_SCOPES
    if not wanted <= granted:
        raise SignInFailed(Reason("sign_in_rights_missing", label=provider.label))


def find_account(connector: Connector, tokens: Mapping[str, Any]) -> Account:
    """Asks whose account this is. Raises SignInFailed."""
    headers = FixedHeaders(bearer(str(tokens["access_token"])))
    try:
        with Api(connector.label, headers) as api:
            return connector.account_of(api, tokens)
    except (SyncFailed, CallRefused, TooLarge) as error:
        raise SignInFailed(Reason("sign_in_without_owner", label=connector.label)) from error


def row_to_keep(tenant: Tenant, intent: Intent, account: Account) -> Connection:
    """The row to keep the account in: one that is there, locked, or a new one. Raises OtherAccount,
    ConnectionNotFound."""
    rows = Connection.objects.for_tenant(tenant).select_for_update(no_key=True)
    rows = rows.filter(provider=intent.kind)
    if intent.connection_id is None:
        same = rows.filter(account_id=account.id).exclude(account_id="").first()
        return same or Connection(tenant=tenant, provider=intent.kind)
    row = rows.filter(pk=intent.connection_id).first()
    if row is None:
        raise ConnectionNotFound
    if row.account_id != account.id and not intent.takes_other:
        raise OtherAccount(
            Reason("other_account", other=account.label, account=row.account),
            connection_id=row.pk,
        )
    return row


def keep_account(
    row: Connection, account: Account, credentials: Mapping[str, Any], *, expires_at: Any = None
) -> None:
    """Stores the account in the caller's transaction and syncs the sources that waited for it, from
    the beginning if it is a different account than before."""
    is_new, was = row._state.adding, row.account_id
    row.account_id, row.account = account.id[:200], account.label[:200]
    row.expires_at = expires_at
    keep_credentials(row, credentials)
    record(row.tenant, Action.ACCOUNT_CONNECTED if is_new else Action.ACCOUNT_RECONNECTED, row)
    sources = list_sources_of(row)
    if not is_new and was != account.id:
        sources.update(sync_cursor={}, known_failures={})
    sync_again(row.tenant, sources.filter(sync_status=SyncStatus.REAUTH_REQUIRED))


def sync_again(tenant: Tenant, sources: Iterable[Source]) -> None:
    """Begins a run of each source. A source for which the plan has no place says so, instead of
    waiting for an account that is back."""
    for source in sources:
        try:
            begin_run(tenant, source.pk)
        except SourceLimitReached as error:
            refuse_run(source, error)
        else:
            transaction.on_commit(partial(tell_lane, Lane.BACKGROUND))


# --- Accounts that are opened by what somebody types ----------------------------------------------


def connect_account(
    tenant: Tenant,
    kind: str,
    fields: Mapping[str, str],
    checked: Checked,
    *,
    connection_id: uuid.UUID | None = None,
) -> Connection:
    """Keeps what opens an account, after it was checked (check_account_fields).

    Raises ConnectionNotFound, and OtherAccount when it opens another one than before.
    """
    intent = Intent(tenant.pk, kind, connection_id)
    secrets = {
        field.name: fields.get(field.name, "")
        for field in CONNECTORS[kind].connection_fields
        if not field.is_selection
    }
    with transaction.atomic():
        row = row_to_keep(tenant, intent, checked.account)
        keep_account(row, checked.account, secrets)
    return row


# --- Looking around -------------------------------------------------------------------------------


def browse(tenant: Tenant, connection_id: uuid.UUID, *, inside: str = "") -> Sequence[Choice]:
    """Lists what can be chosen in the account. Seconds. Raises ConnectionNotFound, TooManyRequests,
    and SyncFailed with the reason when the account cannot be looked at."""
    connection = get_connection(tenant, connection_id)
    with looking(tenant):
        return CONNECTORS[connection.provider].browse(connection, inside=inside)


def measure(
    tenant: Tenant, connection_id: uuid.UUID, selection: Mapping[str, Any]
) -> Extent | None:
    """How much a sync of this selection would read. Raises as `browse`, and InvalidValue."""
    connection = get_connection(tenant, connection_id)
    connector = CONNECTORS[connection.provider]
    selection = connector.clean_selection(selection)
    with looking(tenant):
        return connector.measure(connection, selection)


@contextmanager
def looking(tenant: Tenant) -> Iterator[None]:
    """Lets a tenant look around in a few accounts at a time, and not for long: meanwhile a request
    waits.

    Raises TooManyRequests, and what a connector raises as an error that people may see.
    """
    release_connection()
    place = take_place(LOOKING, tenant.pk)
    if place is None:
        raise TooManyRequests(TOO_MANY, retry_after_seconds=RETRY_AFTER_SECONDS)
    with place, waited_for(LOOK_MAX_SECONDS):
        try:
            yield
        except CallRefused as error:
            raise SyncFailed(Reason("account_may_not", reason=error.reason)) from error
        except TooLarge as error:
            raise SyncFailed(error.reason) from error


# --- Disconnecting --------------------------------------------------------------------------------


def disconnect(tenant: Tenant, connection_id: uuid.UUID) -> None:
    """Forgets what opens the account, and tells the provider so if it can be told. Sources that are
    read from it stay, and answer as they are. Seconds.

    Raises ConnectionNotFound, and Conflict for the account of a channel.
    """
    connection = get_connection(tenant, connection_id)
    if CONNECTORS[connection.provider].uses_channel:
        raise Conflict("This account belongs to a channel: disconnect it at its agent.")
    try:
        credentials = open_credentials(connection)
    except CannotDecrypt:
        credentials = {}
    with transaction.atomic():
        record(tenant, Action.ACCOUNT_DISCONNECTED, connection)
        revoke(connection, DISCONNECTED)
        forget_unused(connection)
    give_back(connection.provider, connection.account_id, credentials)


def give_back(kind: str, account_id: str, credentials: Mapping[str, Any]) -> None:
    """Has the provider revoke the token, unless somebody else's connection would end with it. We
    forget it here whatever the provider answers. One query, over all tenants."""
    provider = CONNECTORS[kind].provider
    if provider is None or is_held_elsewhere(kind, account_id):
        return
    names = ("access_token",) if provider.revokes_access else ("refresh_token", "access_token")
    token = next(filter(None, map(credentials.get, names)), None)
    if not token:
        return
    release_connection()
    try:
        revoke_token(provider, str(token))
    except (GrantRefused, OriginUnavailable) as error:
        logger.warning("%s did not take a token back: %s", provider.label, error)
