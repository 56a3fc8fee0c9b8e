"""Mails that must arrive: in the transaction that they tell of, then by one worker, for a day."""

import base64
import json
import socket
import time
import uuid
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.core import mail as django_mail
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from accounts.mail import deliveries
from accounts.mail.deliveries import (
    ATTEMPTS_MAX,
    BACK_OFF,
    LEASE,
    claim_mail,
    send_due,
    try_to_send,
)
from accounts.mail.sending import MailServerDown
from accounts.models import OutgoingMail, Tenant
from accounts.services.mails import queue_mail
from accounts.tasks import SENDING_MAX_SECONDS, deliver_mail, send_due_mails
from accounts.tests.factories import make_tenant
from accounts.tests.smtp_server import mail_server, use
from config.security.encryption import CannotDecrypt, decrypt
from config.tests.parallel import in_parallel

LINK = "https://kb.example/activate#token=mF9-x_2"
CONTEXT = {
    "tenant_name": "Acme",
    "inviter_email": "ana@acme.es",
    "role": "member",
    "link": LINK,
    "days": "7",
}
CLOSED_PORT = 1


def queue(tenant: Tenant, recipient: str = "leo@example.com") -> OutgoingMail:
    return queue_mail(tenant, recipient=recipient, template="invitation", context=CONTEXT)


def stored(mail: OutgoingMail) -> OutgoingMail:
    return OutgoingMail.all_tenants.select_related("tenant").get(pk=mail.pk)


def make_due(mail: OutgoingMail, **over: Any) -> None:
    fields = {"next_attempt_at": timezone.now() - timedelta(seconds=1)} | over
    OutgoingMail.all_tenants.filter(pk=mail.pk).update(**fields)


def waits_seconds(mail: OutgoingMail) -> float:
    due = stored(mail).next_attempt_at
    assert due is not None
    return (due - timezone.now()).total_seconds()


def state(mail: OutgoingMail) -> str:
    row = stored(mail)
    if row.next_attempt_at is not None:
        assert (row.sent_at, row.failed_at) == (None, None)
        assert bytes(row.encrypted_context)
        return "waiting"
    assert (row.sent_at is None) != (row.failed_at is None)
    assert bytes(row.encrypted_context) == b""
    return "sent" if row.sent_at else "failed"


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.jobs.back_off.JITTER", 0.0)


# --- Queued ---------------------------------------------------------------------------------------


def test_a_mail_is_a_row_in_the_language_of_its_tenant(tenant: Tenant):
    tenant.language = "en"
    mail = stored(queue(tenant))

    assert (mail.recipient, mail.template, mail.language) == ("leo@example.com", "invitation", "en")
    assert (mail.attempts, state(mail)) == (0, "waiting")


def test_its_content_is_encrypted_for_this_row_alone(tenant: Tenant):
    mail, other = stored(queue(tenant)), stored(queue(tenant))

    assert LINK.encode() not in bytes(mail.encrypted_context)
    context = f"accounts.OutgoingMail:{mail.pk}"
    assert json.loads(decrypt(bytes(mail.encrypted_context), context=context)) == CONTEXT
    with pytest.raises(CannotDecrypt):
        decrypt(bytes(other.encrypted_context), context=context)


def test_a_missing_value_is_an_error_before_anything_is_written(tenant: Tenant):
    with pytest.raises(KeyError, match="invitation needs link"):
        queue_mail(
            tenant,
            recipient="leo@example.com",
            template="invitation",
            context={name: value for name, value in CONTEXT.items() if name != "link"},
        )

    assert not OutgoingMail.objects.for_tenant(tenant).exists()


def queued_for(mail: OutgoingMail) -> list[str]:
    """Names of the tasks in the broker that are about it. Takes them out."""
    with current_app.connection_for_read() as broker:
        redis: Any = broker.default_channel.client  # type: ignore[attr-defined]  # Redis's
        names = []
        for message in redis.lrange("default", 0, -1):
            content = json.loads(message)
            if str(mail.pk).encode() in base64.b64decode(content["body"]):
                redis.lrem("default", 1, message)
                names.append(content["headers"]["task"])
    return names


def test_a_worker_hears_of_it_after_the_commit(
    tenant: Tenant, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        mail = queue(tenant)
        assert queued_for(mail) == []

    assert queued_for(mail) == ["accounts.tasks.deliver_mail"]


def test_what_is_rolled_back_is_not_sent(
    tenant: Tenant, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
):
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        try:
            with transaction.atomic():
                queue(tenant)
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass

    assert callbacks == []
    assert not OutgoingMail.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize("broker", ["stopped", "hanging"])
def test_without_a_broker_nothing_fails_and_beat_sends_it(
    tenant: Tenant,
    broker: str,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1] if broker == "hanging" else CLOSED_PORT
        monkeypatch.setenv("CELERY_BROKER_WRITE_URL", f"redis://127.0.0.1:{port}/0")
        began = time.monotonic()
        with django_capture_on_commit_callbacks(execute=True):
            mail = queue(tenant)

    assert time.monotonic() - began < 30  # Celery itself would wait for two minutes
    send_due_mails()
    assert state(mail) == "sent"


# --- Sent -----------------------------------------------------------------------------------------


def test_a_sent_mail_keeps_no_content(tenant: Tenant):
    mail = queue(tenant)
    deliver_mail(str(mail.pk), str(tenant.pk))

    (sent,) = django_mail.outbox
    assert sent.to == ["leo@example.com"]
    assert LINK in sent.body.splitlines()
    assert (state(mail), stored(mail).attempts, stored(mail).error_message) == ("sent", 1, "")


def test_a_task_that_comes_twice_sends_once(tenant: Tenant):
    mail = queue(tenant)
    deliver_mail(str(mail.pk), str(tenant.pk))
    deliver_mail(str(mail.pk), str(tenant.pk))
    send_due_mails()

    assert len(django_mail.outbox) == 1


def test_only_what_is_due_is_sent(tenant: Tenant):
    mail = queue(tenant)
    make_due(mail, next_attempt_at=timezone.now() + timedelta(minutes=1))
    deliver_mail(str(mail.pk), str(tenant.pk))
    send_due_mails()

    assert (state(mail), django_mail.outbox) == ("waiting", [])


def test_a_mail_of_another_tenant_is_none(tenant: Tenant, other_tenant: Tenant):
    mail = queue(tenant)
    deliver_mail(str(mail.pk), str(other_tenant.pk))
    deliver_mail(str(mail.pk), str(uuid.uuid4()))
    deliver_mail(str(uuid.uuid4()), str(tenant.pk))

    assert django_mail.outbox == []


def test_beat_sends_what_is_due_in_every_tenant_the_longest_due_first(tenant: Tenant):
    first, second = queue(make_tenant(), "1@example.com"), queue(tenant, "2@example.com")
    make_due(first, next_attempt_at=timezone.now() - timedelta(hours=1))
    send_due_mails()

    assert [mail.to for mail in django_mail.outbox] == [["1@example.com"], ["2@example.com"]]
    assert (state(first), state(second)) == ("sent", "sent")


def test_a_round_ends_in_time_for_the_next(tenant: Tenant, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(deliveries, "SENDING_SECONDS", 0)
    mail = queue(tenant)
    send_due_mails()

    assert state(mail) == "waiting"


# --- Failing --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("steady")
def test_a_mail_server_that_is_away_delays_it(tenant: Tenant, settings: Settings):
    mail = queue(tenant)
    use(settings, CLOSED_PORT)
    deliver_mail(str(mail.pk), str(tenant.pk))

    assert (state(mail), stored(mail).attempts) == ("waiting", 1)
    assert stored(mail).error_message == "ConnectionRefusedError: Connection refused"
    assert waits_seconds(mail) == pytest.approx(30, abs=5)

    with mail_server() as server:
        use(settings, server)
        make_due(mail)
        send_due_mails()

    assert (state(mail), stored(mail).attempts, stored(mail).error_message) == ("sent", 2, "")
    assert server.recipients == ["leo@example.com"]


@pytest.mark.usefixtures("steady")
def test_the_waits_double_up_to_an_hour_and_last_a_day():
    waits = [BACK_OFF.wait_after(attempts).total_seconds() for attempts in range(1, ATTEMPTS_MAX)]

    assert waits[:9] == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert sum(waits) == 83_010


def test_what_failed_together_does_not_come_again_together():
    waits = {BACK_OFF.wait_after(4).total_seconds() for _ in range(50)}

    assert len(waits) == 50
    assert 192 <= min(waits) < max(waits) <= 288


def test_while_the_server_is_away_one_mail_a_round_tries(tenant: Tenant, settings: Settings):
    """The others keep their attempts for when it is back."""
    mails = [queue(tenant) for _ in range(3)]
    with mail_server(greeting="421 busy") as server:
        use(settings, server)
        send_due_mails()

    assert server.connections == 1
    assert sorted(stored(mail).attempts for mail in mails) == [0, 0, 1]


def test_a_refused_mail_holds_no_other_up(tenant: Tenant, settings: Settings):
    mails = [queue(tenant) for _ in range(3)]
    with mail_server(at_rcpt="451 4.7.1 greylisted") as server:
        use(settings, server)
        send_due_mails()

    assert [(state(mail), stored(mail).attempts) for mail in mails] == [("waiting", 1)] * 3
    assert stored(mails[0]).error_message == "SMTPRecipientsRefused: 451 4.7.1"


def test_a_mailbox_that_does_not_exist_is_tried_once(tenant: Tenant, settings: Settings):
    mail = queue(tenant)
    with mail_server(at_rcpt="550 5.1.1 unknown") as server:
        use(settings, server)
        send_due_mails()

    assert (state(mail), stored(mail).attempts) == ("failed", 1)
    assert stored(mail).error_message == "SMTPRecipientsRefused: 550 5.1.1"


def test_after_the_last_attempt_it_is_given_up(tenant: Tenant, settings: Settings):
    mail = queue(tenant)
    make_due(mail, attempts=ATTEMPTS_MAX - 1)
    use(settings, CLOSED_PORT)
    send_due_mails()

    assert (state(mail), stored(mail).attempts) == ("failed", ATTEMPTS_MAX)
    assert stored(mail).error_message == "ConnectionRefusedError: Connection refused"


def test_content_that_no_key_opens_is_given_up(tenant: Tenant):
    mail, other = queue(tenant), stored(queue(tenant))
    make_due(mail, encrypted_context=other.encrypted_context)
    deliver_mail(str(mail.pk), str(tenant.pk))

    assert (state(mail), stored(mail).error_message) == ("failed", "CannotDecrypt")


def test_nothing_of_the_content_is_logged_or_kept(
    tenant: Tenant, settings: Settings, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG")
    mail = queue(tenant)
    with mail_server(at_data=f"554 blocked address {LINK}") as server:
        use(settings, server)
        send_due_mails()

    assert stored(mail).error_message == "SMTPDataError: 554"
    assert f"mail {mail.pk} not sent, attempt 1: SMTPDataError: 554" in caplog.text
    assert LINK not in caplog.text
    assert "leo@example.com" not in caplog.text


# --- A worker dies --------------------------------------------------------------------------------


def test_a_killed_workers_mail_is_sent_after_its_lease(tenant: Tenant):
    mail = queue(tenant)
    claimed = claim_mail(OutgoingMail.objects.for_tenant(tenant).all())
    assert claimed is not None  # and nothing more is heard of that worker
    send_due_mails()

    assert django_mail.outbox == []
    assert waits_seconds(mail) == pytest.approx(LEASE.total_seconds(), abs=5)

    make_due(mail)
    send_due_mails()
    assert len(django_mail.outbox) == 1
    assert (state(mail), stored(mail).attempts) == ("sent", 2)


def test_no_worker_outlives_its_lease():
    for task in (deliver_mail, send_due_mails):
        assert task.soft_time_limit == SENDING_MAX_SECONDS
        assert task.time_limit is not None
        assert task.time_limit < LEASE.total_seconds()


def test_a_worker_that_died_in_the_last_attempt_leaves_it_given_up(tenant: Tenant):
    mail = queue(tenant)
    make_due(mail, attempts=ATTEMPTS_MAX)
    send_due_mails()

    assert (state(mail), django_mail.outbox) == ("failed", [])
    assert stored(mail).error_message == (
        "Every attempt failed; the last worker died, or was killed."
    )


def test_a_worker_that_comes_back_late_changes_nothing(tenant: Tenant, settings: Settings):
    mail = queue(tenant)
    late = claim_mail(OutgoingMail.objects.for_tenant(tenant).all())
    assert late is not None
    make_due(mail)
    send_due_mails()
    use(settings, CLOSED_PORT)
    with pytest.raises(MailServerDown):
        try_to_send(late)

    assert (state(mail), stored(mail).error_message) == ("sent", "")


# --- Many at once ---------------------------------------------------------------------------------


def test_many_workers_at_once_send_each_mail_once(committed_tenant: Tenant, settings: Settings):
    addresses = [f"{number}@example.com" for number in range(30)]
    for address in addresses:
        queue(committed_tenant, address)
    with mail_server() as server:
        use(settings, server)
        counts = in_parallel(
            lambda: send_due(OutgoingMail.objects.for_tenant(committed_tenant).all()), times=25
        )

    assert sum(counts) == 30
    assert sorted(server.recipients) == sorted(addresses)


def test_many_workers_with_the_same_mail_send_it_once(committed_tenant: Tenant, settings: Settings):
    mail = queue(committed_tenant)
    with mail_server() as server:
        use(settings, server)
        in_parallel(lambda: deliver_mail(str(mail.pk), str(committed_tenant.pk)))

    assert server.recipients == ["leo@example.com"]
    assert state(mail) == "sent"


def test_the_mail_server_is_not_waited_for_in_a_transaction(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    seen = []
    monkeypatch.setattr(deliveries, "send_mail", lambda *_: seen.append(connection.in_atomic_block))
    mail = queue(committed_tenant)
    deliver_mail(str(mail.pk), str(committed_tenant.pk))

    assert seen == [False]


# --- Beat -----------------------------------------------------------------------------------------


def test_beat_starts_tasks_that_exist():
    current_app.loader.import_default_modules()  # as a worker does: of all apps
    named = {entry["task"] for entry in django_settings.CELERY_BEAT_SCHEDULE.values()}

    assert {"accounts.tasks.send_due_mails", "accounts.tasks.delete_expired"} <= named
    assert named <= set(current_app.tasks)
