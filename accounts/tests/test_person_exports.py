"""What is held of a person, as an archive for themself: what is in it, and how it is made."""

import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.activity import acting_as, by_person, record
from accounts.errors import ExportNotFound, ExportUnderWay
from accounts.leaving import person_exports
from accounts.leaving.archives import MAX_ATTEMPTS
from accounts.leaving.person_archive import list_parts, write_person_archive
from accounts.leaving.person_exports import make_next_export
from accounts.models import Action, AskedBy, PersonExport, Role, Tenant, User
from accounts.services.invitations import invite_member
from accounts.services.leaving.erasure import begin_erasure
from accounts.services.leaving.person_exports import (
    ask_export,
    list_exports,
    next_export_at,
    open_export,
)
from accounts.services.members import change_role, remove_member
from accounts.tasks import build_person_export, delete_expired, erase_people, tend_exports
from accounts.tests.factories import make_access, make_person_export, make_user
from config.database.acting import as_migrations
from config.errors import TooManyRequests
from config.security.current_client import Client, current_client

pytestmark = pytest.mark.django_db

EVA = "eva@example.org"
AT_HOME = Client("203.0.113.7", "The admin's own browser")


def archive_of(user: User) -> dict[str, list[dict[str, Any]]]:
    with write_person_archive(user) as file, zipfile.ZipFile(file) as archive:
        return {
            name.removesuffix(".jsonl"): [
                json.loads(line) for line in archive.read(name).splitlines()
            ]
            for name in archive.namelist()
        }


@pytest.fixture
def stranger(tenant: Tenant, other_tenant: Tenant) -> User:
    """Somebody whom an admin of another workspace has invited, and removed again."""
    eva = make_user(tenant, email=EVA)
    admin = make_user(other_tenant)
    token = current_client.set(AT_HOME)
    with acting_as(by_person(admin)):
        invite_member(other_tenant, email=EVA, role=Role.MEMBER, inviter=admin)
        remove_member(other_tenant, eva.pk)
    current_client.reset(token)
    return eva


# --- What is in it --------------------------------------------------------------------------------


def test_who_is_named_in_the_log_learns_nothing_of_who_named_them(
    stranger: User, other_tenant: Tenant
) -> None:
    told = archive_of(stranger)

    text = json.dumps(told)
    assert AT_HOME.address not in text
    assert AT_HOME.user_agent not in text
    assert [(row["tenant__slug"], row["action"]) for row in told["activity_about_you"]] == [
        (other_tenant.slug, "member_invited"),
        (other_tenant.slug, "member_removed"),
    ]
    assert told["activity"] == []


def test_what_somebody_did_is_theirs_with_the_address_that_they_did_it_from(
    tenant: Tenant,
) -> None:
    ana = make_user(tenant)
    token = current_client.set(AT_HOME)
    with acting_as(by_person(ana)):
        record(tenant, Action.WORKSPACE_CHANGED)
    current_client.reset(token)

    (own,) = archive_of(ana)["activity"]

    assert (own["action"], own["address"]) == ("workspace_changed", AT_HOME.address)


def test_what_others_did_to_somebody_is_told_without_who_and_where(tenant: Tenant) -> None:
    admin, ana = make_user(tenant), make_user(tenant)
    with acting_as(by_person(admin)):
        change_role(tenant, ana.pk, Role.VIEWER)
    staff = User.objects.create_superuser("staff@example.com")
    LogEntry.objects.create(
        user=staff,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(ana.pk),
        object_repr="somebody",
        action_flag=2,
    )

    told = archive_of(ana)

    assert [set(row) for row in told["activity_about_you"]] == [
        {"tenant__slug", "created_at", "action"}
    ]
    assert [set(row) for row in told["staff_actions"]] == [{"action_time", "action_flag"}]


def test_a_thing_that_is_called_like_a_person_is_not_about_them(
    stranger: User, other_tenant: Tenant
) -> None:
    """Whoever may name a source could else put lines into anybody's archive."""
    before = archive_of(stranger)["activity_about_you"]
    record(other_tenant, Action.WORKSPACE_CHANGED, User(email=EVA), told=EVA)

    assert archive_of(stranger)["activity_about_you"] == before


def test_each_file_of_the_archive_is_read_by_an_index(tenant: Tenant) -> None:
    """However many rows others have."""
    ana = make_user(tenant)
    for number in range(100):  # of nearly empty tables, the planner joins without their indexes
        other = make_user(tenant, email=f"other-{number}@example.com")
        make_access(other.memberships.get())
    with as_migrations(), connection.cursor() as cursor:  # from others it is passed over
        cursor.execute("ANALYZE accounts_membership, accounts_programaccess")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plans = {part.name: part.rows.explain() for part in list_parts(ana)}

    assert len(plans) >= 18
    assert {name: plan for name, plan in plans.items() if "Seq Scan" in plan} == {}
    assert {name: plan for name, plan in plans.items() if "Index Cond" not in plan} == {}


def test_no_statement_of_a_request_looks_for_a_name_in_everybodys_rows(tenant: Tenant) -> None:
    """What is searched by its words is searched by a worker."""
    make_user(tenant)
    ana = make_user(tenant)
    with CaptureQueriesContext(connection) as asked:
        ask_export(ana)
        begin_erasure(ana, AskedBy.THEMSELF)

    assert [query["sql"] for query in asked if "~" in query["sql"]] == []


# --- Its way --------------------------------------------------------------------------------------


def make(user: User) -> PersonExport:
    """Asked for and made."""
    export = ask_export(user)
    assert make_next_export()
    export.refresh_from_db()
    return export


def make_older(user: User, hours: int = 1) -> None:
    """As if that time had passed since."""
    for export in PersonExport.objects.filter(user=user):
        export.created_at -= timedelta(hours=hours)
        export.save(update_fields=["created_at"])


def test_who_asks_gets_an_archive_that_a_worker_makes(tenant: Tenant) -> None:
    ana = make_user(tenant)
    export = ask_export(ana)
    assert export.is_under_way

    assert make_next_export()

    (made,) = list_exports(ana)
    assert (made.state, made.attempts) == ("ready", 1)
    assert made.done_count == made.total_count > 0
    content = open_export(ana, made.pk)
    assert len(content) == made.size_bytes
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert json.loads(archive.read("account.jsonl"))["email"] == ana.email


def test_a_person_gets_one_an_hour(tenant: Tenant) -> None:
    ana, other = make_user(tenant), make_user(tenant)
    assert next_export_at(list_exports(ana)) is None
    first = ask_export(ana)
    with pytest.raises(ExportUnderWay):
        ask_export(ana)
    make_next_export()

    with pytest.raises(TooManyRequests) as refused:
        ask_export(ana)
    ask_export(other)

    assert 3500 < int(refused.value.headers["Retry-After"]) <= 3600
    assert next_export_at(list_exports(ana)) == first.created_at + timedelta(hours=1)
    make_older(ana)
    assert next_export_at(list_exports(ana)) is None
    ask_export(ana)


def test_the_next_takes_the_place_of_the_one_before(tenant: Tenant) -> None:
    ana = make_user(tenant)
    first = make(ana)
    make_older(ana)

    second = make(ana)

    assert [export.pk for export in list_exports(ana)] == [second.pk]
    with pytest.raises(ExportNotFound):
        open_export(ana, first.pk)


def test_another_persons_archive_is_as_if_it_had_never_been(tenant: Tenant) -> None:
    theirs = make(make_user(tenant))

    with pytest.raises(ExportNotFound):
        open_export(make_user(tenant), theirs.pk)


def test_one_is_made_at_a_time_and_the_longest_waiting_first(tenant: Tenant) -> None:
    first, second = ask_export(make_user(tenant)), ask_export(make_user(tenant))
    held = person_exports.claim_next()

    assert held is not None
    assert held.pk == first.pk
    assert not make_next_export()

    person_exports.keep_archive(held, b"PK")
    assert make_next_export()
    second.refresh_from_db()
    assert second.state == "ready"


def test_the_database_keeps_two_from_being_made_at_once(tenant: Tenant) -> None:
    ask_export(make_user(tenant))
    ask_export(make_user(tenant))

    with pytest.raises(IntegrityError), transaction.atomic():
        PersonExport.objects.update(state="working")


def test_one_whose_worker_was_killed_is_made_again_before_all_others(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*args: Any, **options: Any) -> None:
        raise SystemExit

    ana = make_user(tenant)
    lost = ask_export(ana)
    with monkeypatch.context() as killed:
        killed.setattr(person_exports, "write_person_archive", die)
        with pytest.raises(SystemExit):
            make_next_export()
    ask_export(make_user(tenant))
    assert not make_next_export()  # its lease has not ended: nobody is let past it

    PersonExport.objects.filter(pk=lost.pk).update(lease_until=timezone.now())
    assert make_next_export()

    lost.refresh_from_db()
    assert (lost.state, lost.attempts) == ("ready", 2)


def test_what_kills_its_workers_is_given_up_and_can_be_asked_for_again(tenant: Tenant) -> None:
    ana = make_user(tenant)
    export = ask_export(ana)
    PersonExport.objects.filter(pk=export.pk).update(attempts=MAX_ATTEMPTS)

    make_next_export()

    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "gave_up")
    ask_export(ana)


def test_what_does_not_fit_is_said(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person_exports, "ARCHIVE_MAX_BYTES", 10)

    export = make(make_user(tenant))

    assert (export.state, export.reason) == ("failed", "too_large")


def test_a_worker_that_lost_its_lease_keeps_nothing(tenant: Tenant) -> None:
    export = ask_export(make_user(tenant))
    held = person_exports.claim_next()
    assert held is not None
    PersonExport.objects.filter(pk=export.pk).update(worker_id=None)

    person_exports.keep_archive(held, b"PK")

    export.refresh_from_db()
    assert (export.state, bytes(export.archive)) == ("working", b"")


def test_beat_hands_out_what_was_lost_and_each_task_hands_on(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("accounts.tasks.enqueue", lambda task, **how: told.append(task.name))
    ask_export(make_user(tenant))
    tend_exports()
    assert told == ["accounts.tasks.build_person_export"]

    build_person_export()  # makes it, and asks for the next
    build_person_export()  # finds none

    assert len(told) == 2


def test_what_is_over_goes(tenant: Tenant) -> None:
    ana = make_user(tenant)
    export = make_person_export(ana, expires_at=timezone.now())

    with pytest.raises(ExportNotFound):
        open_export(ana, export.pk)
    delete_expired()

    assert list_exports(ana) == []


def test_it_goes_with_the_account(tenant: Tenant) -> None:
    make_user(tenant)
    ana = make_user(tenant)
    make(ana)

    begin_erasure(ana, AskedBy.THEMSELF)
    erase_people()

    assert not PersonExport.objects.exists()
