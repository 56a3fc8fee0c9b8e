"""Who writes somebody's address wherever they may write keeps no erasure of that person open."""

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model
from django.db.models.signals import pre_delete
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.activity import acting_as, by_person, record
from accounts.leaving.receipts import PeopleAreLeft, describe_receipt, subject_of, take_receipt
from accounts.models import (
    Action,
    ActivityEntry,
    AskedBy,
    ErasureReceipt,
    OneTimeCode,
    OutgoingMail,
    Program,
    Purpose,
    Role,
    Session,
    Tenant,
    User,
)
from accounts.services.leaving.erasure import begin_erasure
from accounts.services.mails import queue_mail
from accounts.tasks import erase_people
from accounts.tests.factories import PASSWORD, make_user, sign_staff_in
from config.tests.parallel import in_parallel

ANA = "ana@acme.es"
PSEUDONYM = f"erased-{subject_of(ANA)}"
BACK = "https://program.example/back"


@pytest.fixture
def ana(tenant: Tenant) -> User:
    make_user(tenant)  # another admin, who stays
    return make_user(tenant, email=ANA, role=Role.MEMBER)


@pytest.fixture
def stranger(other_tenant: Tenant) -> User:
    return make_user(other_tenant, email="eve@umbrella.example")


def erase(user: User) -> ErasureReceipt:
    receipt = begin_erasure(user, AskedBy.THEMSELF)
    erase_people()
    receipt.refresh_from_db()
    return receipt


# --- Words of strangers ---------------------------------------------------------------------------


def test_what_a_program_calls_itself_keeps_no_receipt_open(api: APIClient, ana: User) -> None:
    said = {"redirect_uris": [f"{BACK}?{ANA}"], "client_name": ANA}
    assert api.post("/oauth/register", said, "json").status_code == 201

    receipt = erase(ana)

    assert receipt.finished_at is not None
    assert receipt.said_by_others == {
        "accounts.Program.name": 1,
        "accounts.Program.redirect_uris": 1,
    }
    assert describe_receipt(receipt)["said_by_others"] == receipt.said_by_others
    assert Program.objects.get().name == ANA  # it is not ours to change


def test_what_a_browser_calls_itself_keeps_no_receipt_open(
    api: APIClient, ana: User, stranger: User
) -> None:
    for password in ("wrong", PASSWORD):
        body = {"email": stranger.email, "password": password}
        api.post("/auth/login", body, "json", headers={"User-Agent": f"{ANA}/1.0"})

    receipt = erase(ana)

    assert receipt.finished_at is not None
    assert receipt.said_by_others == {
        "accounts.ActivityEntry.user_agent": 1,
        "accounts.Session.user_agent": 1,
    }
    assert Session.all_tenants.get().user_agent == f"{ANA}/1.0"


def test_what_the_person_said_of_themself_is_theirs(api: APIClient, ana: User) -> None:
    body = {"email": ANA, "password": PASSWORD}
    api.post("/auth/login", body, "json", headers={"User-Agent": f"{ANA}/1.0"})

    receipt = erase(ana)

    assert receipt.finished_at is not None
    assert receipt.said_by_others == {}
    entries = ActivityEntry.all_tenants.filter(person_id=ana.pk)
    assert set(entries.values_list("actor", "user_agent")) == {(PSEUDONYM, "")}


def test_who_goes_on_writing_meanwhile_keeps_no_receipt_open(
    ana: User, stranger: User, other_tenant: Tenant
) -> None:
    """Between cleaning and search, as whoever writes all the time does sooner or later."""

    def write(instance: User, **_: Any) -> None:
        with acting_as(by_person(stranger)):
            record(other_tenant, Action.WORKSPACE_RENAMED, told=ANA)
        now = timezone.now()
        times = {"created_at": now, "expires_at": now}
        OneTimeCode.objects.create(email=ANA, purpose=Purpose.RESET, tries_left=5, **times)

    with before_deleting(ana, write):
        receipt = erase(ana)

    assert receipt.finished_at is not None


@contextmanager
def before_deleting(user: User, call: Any) -> Iterator[None]:
    """`call` in the middle of the transaction that closes their receipt."""

    def called(instance: Model, **options: Any) -> None:
        if instance.pk == user.pk:
            call(instance=instance, **options)

    pre_delete.connect(called, sender=User)
    try:
        yield
    finally:
        pre_delete.disconnect(called, sender=User)


# --- However it is written ------------------------------------------------------------------------


def test_a_mail_to_their_address_in_capitals_goes_too(ana: User, other_tenant: Tenant) -> None:
    context = {"tenant_name": "Umbrella"}
    queue_mail(other_tenant, recipient="Ana@Acme.es", template="password_changed", context=context)

    assert erase(ana).said_by_others == {}

    assert not OutgoingMail.all_tenants.exists()


@pytest.mark.parametrize("before", ["\n", "\t", "\u0001", "\\\n", '"'])
def test_what_stands_before_their_name_does_not_hide_it(
    ana: User, tenant: Tenant, before: str
) -> None:
    """JSON writes a new line as two characters, of which the second is a letter."""
    record(tenant, Action.WORKSPACE_RENAMED, told=f"Hello{before}{ANA}")

    assert erase(ana).finished_at is not None

    entry = ActivityEntry.objects.for_tenant(tenant).get(action=Action.WORKSPACE_RENAMED)
    assert entry.details == {"told": f"Hello{before}{PSEUDONYM}"}


def test_a_backslash_before_a_longer_name_hides_nothing(ana: User, tenant: Tenant) -> None:
    record(tenant, Action.WORKSPACE_RENAMED, told=rf"C:\n{ANA}")

    assert erase(ana).finished_at is not None

    entry = ActivityEntry.objects.for_tenant(tenant).get(action=Action.WORKSPACE_RENAMED)
    assert entry.details == {"told": rf"C:\n{ANA}"}  # of nana@acme.es


# --- One after another ----------------------------------------------------------------------------


def fail(instance: User, **_: Any) -> None:
    raise OSError(f"no room for {instance.email}")


def test_an_error_at_one_person_stops_no_other_and_is_told(
    ana: User, tenant: Tenant, caplog: pytest.LogCaptureFixture
) -> None:
    others = [make_user(tenant, email=f"{name}@acme.es") for name in ("bea", "eva")]
    for user in (others[0], ana, others[1]):
        begin_erasure(user, AskedBy.THEMSELF)

    with before_deleting(ana, fail), pytest.raises(PeopleAreLeft, match="1 of 3"):
        erase_people()

    left = ErasureReceipt.objects.get(finished_at=None)
    assert left.person_id == ana.pk
    assert left.last_error == "OSError"
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert left.subject in caplog.text
    assert ANA not in caplog.text  # an error may hold whatever it failed at

    erase_people()
    left.refresh_from_db()
    assert (left.finished_at is not None, left.last_error) == (True, "")


def test_who_is_erased_by_one_worker_is_left_alone_by_others(ana: User) -> None:
    receipt = begin_erasure(ana, AskedBy.THEMSELF)
    assert take_receipt(ErasureReceipt.objects.get(pk=receipt.pk))

    erase_people()
    receipt.refresh_from_db()
    assert receipt.finished_at is None

    ended = timezone.now() - timedelta(seconds=1)
    ErasureReceipt.objects.filter(pk=receipt.pk).update(lease_until=ended)  # its worker died
    erase_people()
    receipt.refresh_from_db()
    assert receipt.finished_at is not None
    assert (receipt.worker_id, receipt.lease_until) == (None, None)


def test_of_many_workers_one_takes_a_receipt(committed_tenant: Tenant) -> None:
    make_user(committed_tenant)
    leaving = make_user(committed_tenant, email=f"{uuid.uuid4().hex}@example.com")
    receipt = begin_erasure(leaving, AskedBy.THEMSELF)

    taken = in_parallel(lambda: take_receipt(ErasureReceipt.objects.get(pk=receipt.pk)))

    assert sum(taken) == 1


# --- The back office ------------------------------------------------------------------------------


def test_staff_sees_first_what_is_open_and_why(ana: User, tenant: Tenant, client: Client) -> None:
    sign_staff_in(client, User.objects.create_superuser("root@example.com", PASSWORD))
    finished = erase(make_user(tenant))
    assert "still open" not in client.get("/admin/").content.decode()
    receipt = begin_erasure(ana, AskedBy.THEMSELF)
    with before_deleting(ana, fail), pytest.raises(PeopleAreLeft):
        erase_people()

    page = client.get("/admin/accounts/erasurereceipt/").content.decode()
    assert page.index(receipt.subject) < page.index(finished.subject)
    assert "OSError" in page
    assert "still open" not in client.get("/admin/").content.decode()  # an hour is nothing

    begun = timezone.now() - timedelta(hours=3)
    late = ErasureReceipt.objects.create(kind="person", subject="late", begun_at=begun)
    assert "1 erasure is still open" in client.get("/admin/").content.decode()
    assert late.finished_at is None
