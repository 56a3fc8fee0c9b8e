"""Accounts that are connected by signing in: there, back, and until they are disconnected."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from accounts.models import Tenant
from config.tests.parallel import in_parallel
from sources.connections import open_credentials
from sources.connectors.registry import CONNECTORS
from sources.errors import (
    ConnectionNotFound,
    OriginUnavailable,
    OtherAccount,
    ReauthRequired,
    SignInExpired,
    SignInFailed,
    SignInNotSetUp,
)
from sources.models import Connection, ConnectionState, Source, SyncStatus
from sources.oauth.tokens import current_token
from sources.services.connections import begin_sign_in, disconnect, finish_sign_in, list_connections
from sources.tests.providers.authorization import Person
from sources.tests.providers.plain_drive import PROVIDER, PlainDrive, PlainDriveConnector
from sources.tests.providers.server import Reply, json_reply

KIND = "cloud_drive_a"
BEN = Person("2002", "Ben Roy", "ben@company.example")
SESSION = uuid.uuid4()


@pytest.fixture
def drive(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlainDrive]:
    with PlainDrive(settings.BASE_URL) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.GOOGLE_CLIENT = ("a-client", "a-client-secret")
        settings.GOOGLE_SIGN_IN_URL = settings.GOOGLE_TOKEN_URL = server.url
        monkeypatch.setitem(CONNECTORS, KIND, PlainDriveConnector(server.url))
        yield server


def leave(tenant: Tenant, **over: Any) -> dict[str, str]:
    """The query of the address to which the browser is sent."""
    address = begin_sign_in(tenant, KIND, session_id=SESSION, **over)
    return dict(parse_qsl(urlsplit(address).query))


def allow(drive: PlainDrive, asked: dict[str, str]) -> dict[str, str]:
    """What the browser comes back with, when its person pressed "Allow"."""
    return {"state": asked["state"], "code": drive.authorization.make_code(asked)}


def connect(tenant: Tenant, drive: PlainDrive, **over: Any) -> Connection:
    return finish_sign_in(tenant, allow(drive, leave(tenant, **over)), session_id=SESSION)


def end_soon(connection: Connection) -> None:
    connection.expires_at = timezone.now() + timedelta(minutes=1)
    connection.save(update_fields=["expires_at"])


def make_source(connection: Connection, status: SyncStatus = SyncStatus.SYNCED) -> Source:
    sources = Source.objects.for_tenant(connection.tenant)
    return sources.create(
        name="Drive", source_type=KIND, connection=connection, sync_status=status, chunks_count=3
    )


# --- There and back -------------------------------------------------------------------------------


def test_the_browser_is_sent_with_a_challenge_and_an_exact_address(
    tenant: Tenant, drive: PlainDrive
) -> None:
    asked = leave(tenant)
    assert asked["redirect_uri"] == f"{django_settings.BASE_URL}/dashboard/connections/callback"
    assert asked["code_challenge_method"] == "S256"
    assert asked["scope"] == "drive.readonly"
    assert drive.authorization.problem_of(asked) == ""


def test_who_comes_back_has_connected_the_account(tenant: Tenant, drive: PlainDrive) -> None:
    connection = connect(tenant, drive)

    assert (connection.account, connection.account_id) == ("ana@company.example", "1001")
    assert connection.state == ConnectionState.CONNECTED
    assert open_credentials(connection).keys() == {"access_token", "refresh_token"}
    assert PlainDriveConnector(drive.url).whose(connection) == "ana@company.example"


def test_nothing_that_opens_the_account_is_stored_in_plain_text(
    tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    [row] = Connection.objects.for_tenant(tenant).filter(pk=connection.pk).values()
    stored = repr(
        {
            name: bytes(value) if isinstance(value, memoryview) else value
            for name, value in row.items()
        }
    )
    for token in open_credentials(connection).values():
        assert token not in stored


def test_what_comes_back_is_taken_once(tenant: Tenant, drive: PlainDrive) -> None:
    given = allow(drive, leave(tenant))
    finish_sign_in(tenant, given, session_id=SESSION)
    with pytest.raises(SignInExpired):
        finish_sign_in(tenant, given, session_id=SESSION)


def test_what_comes_back_is_its_own_sessions(tenant: Tenant, drive: PlainDrive) -> None:
    given = allow(drive, leave(tenant))
    with pytest.raises(SignInExpired):
        finish_sign_in(tenant, given, session_id=uuid.uuid4())


def test_what_comes_back_is_its_own_workspaces(
    tenant: Tenant, other_tenant: Tenant, drive: PlainDrive
) -> None:
    given = allow(drive, leave(tenant))
    with pytest.raises(SignInExpired):
        finish_sign_in(other_tenant, given, session_id=SESSION)


@pytest.mark.parametrize("state", ["", "x" * 43, "å" * 43, "x" * 10_000])
def test_a_state_of_nobody_is_refused(tenant: Tenant, drive: PlainDrive, state: str) -> None:
    with pytest.raises(SignInExpired):
        finish_sign_in(tenant, {"state": state, "code": "c"}, session_id=SESSION)


@pytest.mark.parametrize(
    "given",
    [
        {"error": "access_denied"},
        {"error": "server_error"},
        {"code": "never given"},
        {"code": "with\nlines"},
        {},
    ],
)
def test_who_comes_back_without_a_right_has_connected_nothing(
    tenant: Tenant, drive: PlainDrive, given: dict[str, str]
) -> None:
    state = leave(tenant)["state"]
    with pytest.raises(SignInFailed):
        finish_sign_in(tenant, {"state": state, **given}, session_id=SESSION)
    assert not list_connections(tenant).exists()


def test_a_code_opens_nothing_without_the_verifier(tenant: Tenant, drive: PlainDrive) -> None:
    """Somebody else's code, put into one's own way back."""
    theirs = allow(drive, leave(tenant))
    mine = leave(tenant)
    given = {"state": mine["state"], "code": theirs["code"]}
    with pytest.raises(SignInFailed):
        finish_sign_in(tenant, given, session_id=SESSION)


def test_half_a_right_is_refused(tenant: Tenant, drive: PlainDrive) -> None:
    asked = leave(tenant)
    given = allow(drive, {**asked, "scope": "profile"})
    with pytest.raises(SignInFailed, match="every box"):
        finish_sign_in(tenant, given, session_id=SESSION)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500),
        Reply(302, headers={"Location": "http://169.254.169.254/"}),
        Reply(200, b"<html>"),
        json_reply([1]),
        json_reply({"access_token": 7}),
        json_reply({"access_token": "line\nbreak"}),
        Reply(200, b'{"x": "' + b"x" * 600_000),
    ],
)
def test_a_token_endpoint_that_answers_nonsense(
    tenant: Tenant, drive: PlainDrive, reply: Reply
) -> None:
    given = allow(drive, leave(tenant))
    drive.fail("POST /token", reply)
    with pytest.raises(SignInFailed):
        finish_sign_in(tenant, given, session_id=SESSION)


def test_without_a_registered_application_nobody_is_sent(
    tenant: Tenant, drive: PlainDrive, settings: Any
) -> None:
    settings.GOOGLE_CLIENT = ("", "")
    with pytest.raises(SignInNotSetUp):
        leave(tenant)


# --- Again ----------------------------------------------------------------------------------------


def test_an_account_that_is_connected_is_connected_anew(tenant: Tenant, drive: PlainDrive) -> None:
    first, second = connect(tenant, drive), connect(tenant, drive)
    assert second.pk == first.pk


def test_another_account_is_refused_unless_asked_for(tenant: Tenant, drive: PlainDrive) -> None:
    connection = connect(tenant, drive)
    drive.authorization.signed_in = BEN

    with pytest.raises(OtherAccount, match="ben@company.example"):
        connect(tenant, drive, connection_id=connection.pk)
    connection.refresh_from_db()
    assert connection.account == "ana@company.example"
    assert [grant.is_revoked for grant in drive.authorization.grants] == [False, True]

    connect(tenant, drive, connection_id=connection.pk, takes_other=True)
    connection.refresh_from_db()
    assert connection.account == "ben@company.example"


def test_sources_that_waited_for_it_go_on(tenant: Tenant, drive: PlainDrive) -> None:
    connection = connect(tenant, drive)
    source = make_source(connection, SyncStatus.REAUTH_REQUIRED)

    connect(tenant, drive, connection_id=connection.pk)

    source.refresh_from_db()
    assert source.sync_status == SyncStatus.SYNCING


def test_another_workspaces_account_is_not_there(
    tenant: Tenant, other_tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    with pytest.raises(ConnectionNotFound):
        leave(other_tenant, connection_id=connection.pk)
    with pytest.raises(ConnectionNotFound):
        disconnect(other_tenant, connection.pk)


# --- Keeping it open ------------------------------------------------------------------------------


def test_a_token_is_renewed_before_it_ends(tenant: Tenant, drive: PlainDrive) -> None:
    connection = connect(tenant, drive)
    before = open_credentials(connection)
    end_soon(connection)

    token = current_token(connection, PROVIDER)

    connection.refresh_from_db()
    after = open_credentials(connection)
    assert token == after["access_token"] != before["access_token"]
    assert after["refresh_token"] == before["refresh_token"]
    assert connection.expires_at
    assert connection.expires_at > timezone.now() + timedelta(minutes=50)


def test_a_token_that_was_ended_early_is_renewed_when_it_is_refused(
    tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    drive.authorization.expire_access()
    assert PlainDriveConnector(drive.url).whose(connection) == "ana@company.example"
    assert len(drive.calls_to("POST /token")) == 2


def test_many_workers_renew_it_once(committed_tenant: Tenant, drive: PlainDrive) -> None:
    """This provider takes a refresh token once, and ends everything when it sees it again."""
    drive.authorization.rotates = True
    connection = connect(committed_tenant, drive)
    end_soon(connection)

    tokens = in_parallel(lambda: current_token(connection, PROVIDER))

    assert len(set(tokens)) == 1
    assert len(drive.calls_to("POST /token")) == 2
    assert not any(grant.is_revoked for grant in drive.authorization.grants)


def test_a_right_that_was_taken_away_asks_for_the_account(
    tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    source = make_source(connection)
    drive.authorization.revoke_all()
    end_soon(connection)

    with pytest.raises(ReauthRequired, match="Connect the account again"):
        current_token(connection, PROVIDER)

    connection.refresh_from_db()
    source.refresh_from_db()
    assert connection.state == ConnectionState.REAUTH_REQUIRED
    assert (source.sync_status, source.chunks_count) == (SyncStatus.REAUTH_REQUIRED, 3)
    assert source.error_message == connection.reason


def test_a_provider_that_is_away_takes_nothing_away(tenant: Tenant, drive: PlainDrive) -> None:
    connection = connect(tenant, drive)
    end_soon(connection)
    with drive.down(), pytest.raises(OriginUnavailable):
        current_token(connection, PROVIDER)
    assert current_token(connection, PROVIDER)


def test_a_server_that_is_refused_is_not_the_accounts_fault(
    tenant: Tenant, drive: PlainDrive, settings: Any
) -> None:
    connection = connect(tenant, drive)
    end_soon(connection)
    settings.GOOGLE_CLIENT = ("a-client", "an-old-secret")
    with pytest.raises(OriginUnavailable, match="operator"):
        current_token(connection, PROVIDER)
    connection.refresh_from_db()
    assert connection.state == ConnectionState.CONNECTED


# --- The end --------------------------------------------------------------------------------------


def test_disconnecting_ends_the_right_there_and_leaves_what_is_indexed(
    tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    source = make_source(connection)

    disconnect(tenant, connection.pk)

    connection.refresh_from_db()
    source.refresh_from_db()
    assert drive.authorization.grants[0].is_revoked
    assert (connection.state, open_credentials(connection)) == (ConnectionState.REVOKED, {})
    assert (source.sync_status, source.chunks_count) == (SyncStatus.REAUTH_REQUIRED, 3)


def test_a_right_that_another_workspace_uses_is_not_taken_back(
    tenant: Tenant, other_tenant: Tenant, drive: PlainDrive
) -> None:
    """At many providers it is one for all of the account's connections."""
    connection, theirs = connect(tenant, drive), connect(other_tenant, drive)
    disconnect(tenant, connection.pk)
    assert not drive.calls_to("POST /revoke")

    disconnect(other_tenant, theirs.pk)
    assert len(drive.calls_to("POST /revoke")) == 1


def test_an_account_that_nothing_is_read_from_is_forgotten(
    tenant: Tenant, drive: PlainDrive
) -> None:
    connection = connect(tenant, drive)
    with drive.down():  # best effort
        disconnect(tenant, connection.pk)
    assert not list_connections(tenant).exists()
