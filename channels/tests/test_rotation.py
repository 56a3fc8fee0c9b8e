"""`bin/manage rotate_keys`: everything encrypted, under the first key."""

import json
import threading
from contextvars import copy_context
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection as database
from django.db import transaction

from accounts.mail.deliveries import read_context, write_mail
from accounts.models import OutgoingMail, Tenant, TwoFactor, User
from accounts.signing_in.second_factor import open_secret, seal_secret
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from channels.connections import open_config
from channels.tests.factories import make_config, make_connection
from config.security import rotation
from config.security.encryption import CannotDecrypt, current_key_id
from config.security.rotation import rotate
from config.tests.parallel import wait_until_somebody_waits_for_us
from sources.connections import keep_credentials
from sources.models import Connection

OLD, NEW = b"\1" * 32, b"\2" * 32


@pytest.fixture(autouse=True)
def old_key(settings: Any) -> None:
    settings.CHANNEL_ENCRYPTION_KEYS = [OLD]


def run(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    call_command("rotate_keys")
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


def make_two_factor(tenant: Tenant, secret: str) -> TwoFactor:
    user: User = make_user(tenant)
    return TwoFactor.objects.create(user=user, encrypted_secret=seal_secret(user, secret))


def make_mail(tenant: Tenant) -> OutgoingMail:
    context = {"code": "123456", "minutes": "10"}
    return write_mail(tenant, recipient="ana@example.com", template="login_code", context=context)


def test_what_an_old_key_encrypted_opens_without_it(
    tenant: Tenant, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    config = make_config("messenger_b")
    channel = make_connection(make_agent(tenant), "messenger_b", config=config)
    two_factor, mail = make_two_factor(tenant, "JBSWY3DPEHPK3PXP"), make_mail(tenant)
    content = read_context(mail)
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]

    said = run(capsys)

    renewed = {"renewed": 1, "current": 0, "unreadable": 0}
    assert said["key_id"] == current_key_id()
    for name in ("sources.Connection", "accounts.TwoFactor", "accounts.OutgoingMail"):
        assert said["rows"][name] == renewed
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW]
    for row in (channel, two_factor, mail):
        row.refresh_from_db()
    assert channel.connection is not None
    assert (open_config(channel), channel.connection.key_id) == (config, current_key_id())
    assert open_secret(two_factor) == "JBSWY3DPEHPK3PXP"
    assert read_context(mail) == content


def test_running_it_again_changes_nothing(
    tenant: Tenant, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    make_connection(make_agent(tenant))
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]
    run(capsys)
    before = Connection.objects.for_tenant(tenant).values().get()

    said = run(capsys)

    assert said["rows"]["sources.Connection"] == {
        "renewed": 0,
        "current": 1,
        "unreadable": 0,
    }
    assert Connection.objects.for_tenant(tenant).values().get() == before


def test_erased_contents_are_left_out(tenant: Tenant, capsys: pytest.CaptureFixture[str]) -> None:
    mail = make_mail(tenant)
    OutgoingMail.objects.for_tenant(tenant).filter(pk=mail.pk).update(encrypted_context=b"")

    nothing = {"renewed": 0, "current": 0, "unreadable": 0}
    assert run(capsys)["rows"]["accounts.OutgoingMail"] == nothing


def test_rows_that_no_key_opens_are_counted_named_and_fail_the_command(
    tenant: Tenant,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    lost = make_connection(make_agent(tenant))
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW]
    kept = make_connection(make_agent(tenant))

    with pytest.raises(CommandError, match=r"^No key opens 1 rows;"):
        call_command("rotate_keys")

    said = json.loads(capsys.readouterr().out)
    assert said["rows"]["sources.Connection"] == {
        "renewed": 0,
        "current": 1,
        "unreadable": 1,
    }
    assert f"no key opens sources.Connection {lost.connection_id}" in caplog.text
    assert str(kept.connection_id) not in caplog.text


def test_a_run_that_dies_keeps_what_it_has_done(
    tenant: Tenant,
    settings: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for _ in range(5):
        make_connection(make_agent(tenant))
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]
    monkeypatch.setattr(rotation, "BATCH_ROWS", 2)
    rotate_row, calls = rotation.rotate_row, []

    def die_at_the_fourth(*args: Any) -> None:
        calls.append(args)
        if len(calls) == 4:
            raise KeyboardInterrupt
        rotate_row(*args)

    monkeypatch.setattr(rotation, "rotate_row", die_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        call_command("rotate_keys")
    monkeypatch.setattr(rotation, "rotate_row", rotate_row)

    said = run(capsys)

    assert said["rows"]["sources.Connection"] == {
        "renewed": 3,
        "current": 2,
        "unreadable": 0,
    }


def test_what_is_connected_meanwhile_is_not_undone(committed_tenant: Tenant, settings: Any) -> None:
    """A PUT holds the row while the command comes to it."""
    connection = make_connection(make_agent(committed_tenant))
    account = connection.connection
    assert account is not None
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW, OLD]
    newer = make_config()

    def rotate_it() -> None:
        try:
            rotate()
        finally:
            database.close()

    other = threading.Thread(target=copy_context().run, args=[rotate_it])
    with transaction.atomic():
        keep_credentials(account, newer)
        other.start()
        wait_until_somebody_waits_for_us()
    other.join()

    connection.refresh_from_db()
    assert open_config(connection) == newer


def test_without_the_key_it_stays_closed(tenant: Tenant, settings: Any) -> None:
    connection = make_connection(make_agent(tenant))
    settings.CHANNEL_ENCRYPTION_KEYS = [NEW]

    with pytest.raises(CannotDecrypt):
        open_config(connection)
