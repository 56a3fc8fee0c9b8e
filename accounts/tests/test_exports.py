"""The archive of a workspace: what is in it, what is never in it, and what a kill leaves."""

import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.utils import timezone
from pytest_django import Settings

from accounts.activity import Actor, acting_as
from accounts.errors import ExportNotFound, ExportUnderWay, IncorrectPassword, NoPasswordSet
from accounts.leaving import exporting
from accounts.leaving.archives import KEPT, MAX_ATTEMPTS
from accounts.leaving.exporting import clean_filename, make_export
from accounts.mail.deliveries import read_context
from accounts.models import ExportState, OutgoingMail, Role, Tenant, WorkspaceExport
from accounts.models.tenancy import TenantModel
from accounts.services.activity import list_activity
from accounts.services.leaving.exports import (
    ask_export,
    begin_export,
    fetch_export,
    list_exports,
    open_export,
)
from accounts.tasks import delete_expired, tend_exports
from accounts.tests.factories import PASSWORD, make_user
from config.errors import ServiceUnavailable, TooManyRequests
from config.export import list_exported
from config.security.sealing import SealedField

ADDRESS = "203.0.113.9"


@pytest.fixture(autouse=True)
def stored_files(tmp_path: Path, settings: Settings) -> Path:
    """A file storage of the test's own."""
    media = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": media}
    return tmp_path


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def make(tenant: Tenant) -> WorkspaceExport:
    """Asked for and made."""
    export = begin_export(tenant)
    make_export(tenant, export.pk)
    export.refresh_from_db()
    return export


def lines(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(f"{name}.jsonl").decode().splitlines()]


# --- Its way --------------------------------------------------------------------------------------


def test_who_asks_gets_an_archive_for_seven_days(tenant: Tenant, stored_files: Path) -> None:
    with acting_as(Actor("ana@acme.es")):
        export = make(tenant)

    assert (export.state, export.asked_by, export.attempts) == ("ready", "ana@acme.es", 1)
    assert export.expires_at is not None
    assert export.finished_at is not None
    assert abs(export.expires_at - export.finished_at - KEPT) < timedelta(seconds=5)
    assert export.archive.startswith(f"{tenant.pk}/exports/")
    assert files_below(stored_files) == [export.archive]
    with open_export(tenant, export.pk) as file, zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        workspace = json.loads(archive.read("workspace.json"))
    assert (workspace["slug"], workspace["plan"]) == ("acme", "enterprise")
    assert [entry.action for entry in list_activity(tenant)] == [
        "export_downloaded",
        "export_asked",
    ]


def test_all_admins_are_told_of_it(tenant: Tenant, other_tenant: Tenant) -> None:
    make_user(tenant, email="ana@acme.es")
    make_user(tenant, email="bea@acme.es")
    make_user(tenant, role=Role.MEMBER)
    make_user(other_tenant)

    with acting_as(Actor("bea@acme.es")):
        begin_export(tenant)

    mails = OutgoingMail.all_tenants.order_by("recipient")
    assert [(mail.recipient, mail.template) for mail in mails] == [
        ("ana@acme.es", "workspace_export"),
        ("bea@acme.es", "workspace_export"),
    ]
    told = read_context(mails[0])
    assert (told["asked_by"], told["days"]) == ("bea@acme.es", "7")
    assert told["link"].endswith("/dashboard/workspace/leaving")


def test_nothing_is_taken_along_without_the_password(tenant: Tenant) -> None:
    ana = make_user(tenant, email="ana@acme.es")

    for wrong in ("", "wrong"):
        with pytest.raises(IncorrectPassword):
            ask_export(tenant, by=ana, password=wrong, address=ADDRESS)
    assert not list_exports(tenant).exists()

    export = ask_export(tenant, by=ana, password=PASSWORD, address=ADDRESS)
    make_export(tenant, export.pk)
    with pytest.raises(IncorrectPassword):
        fetch_export(tenant, export.pk, by=ana, password="wrong", address=ADDRESS)

    assert [entry.action for entry in list_activity(tenant)] == ["export_asked"]
    fetch_export(tenant, export.pk, by=ana, password=PASSWORD, address=ADDRESS).close()


def test_guessing_at_it_is_slowed_down_as_a_login(tenant: Tenant) -> None:
    ana = make_user(tenant, email="ana@acme.es")
    for _ in range(10):
        with pytest.raises(IncorrectPassword):
            ask_export(tenant, by=ana, password="wrong", address=ADDRESS)

    with pytest.raises(TooManyRequests):
        ask_export(tenant, by=ana, password=PASSWORD, address=ADDRESS)


def test_whoever_has_no_password_sets_one_first(tenant: Tenant) -> None:
    ana = make_user(tenant, email="ana@acme.es")
    ana.set_unusable_password()
    ana.save()

    with pytest.raises(NoPasswordSet):
        ask_export(tenant, by=ana, password=PASSWORD, address=ADDRESS)


def test_one_is_made_at_a_time(tenant: Tenant, other_tenant: Tenant) -> None:
    begin_export(tenant)
    begin_export(other_tenant)

    with pytest.raises(ExportUnderWay):
        begin_export(tenant)


def test_the_next_takes_the_place_of_the_one_before(tenant: Tenant, stored_files: Path) -> None:
    first, second = make(tenant), make(tenant)

    assert list(list_exports(tenant)) == [second]
    assert files_below(stored_files) == [second.archive]
    with pytest.raises(ExportNotFound):
        open_export(tenant, first.pk)


def test_another_tenants_export_is_as_if_it_had_never_been(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    theirs = make(other_tenant)

    with pytest.raises(ExportNotFound):
        open_export(tenant, theirs.pk)


def test_where_no_files_are_stored_there_is_no_export(tenant: Tenant, settings: Settings) -> None:
    settings.STORAGE_URL = "none"

    with pytest.raises(ServiceUnavailable):
        begin_export(tenant)


def test_what_is_over_goes_with_its_file(tenant: Tenant, stored_files: Path) -> None:
    export = make(tenant)
    WorkspaceExport.objects.for_tenant(tenant).update(expires_at=timezone.now())

    with pytest.raises(ExportNotFound):
        open_export(tenant, export.pk)
    delete_expired()

    assert files_below(stored_files) == []
    assert not list_exports(tenant).exists()


def test_an_export_whose_worker_was_killed_is_made_by_another(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*args: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as killed:
        killed.setattr(exporting, "write_archive", die)
        export = begin_export(tenant)
        with pytest.raises(SystemExit):
            make_export(tenant, export.pk)
    make_export(tenant, export.pk)  # its lease has not ended: nobody takes it
    export.refresh_from_db()
    assert (export.state, export.attempts) == ("working", 1)

    WorkspaceExport.objects.for_tenant(tenant).update(lease_until=timezone.now())
    make_export(tenant, export.pk)

    export.refresh_from_db()
    assert (export.state, export.attempts) == ("ready", 2)


def test_beat_hands_out_what_was_lost_and_nothing_else(
    tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, ...]] = []
    monkeypatch.setattr("accounts.tasks.enqueue", lambda task, *ids, **how: told.append(ids))
    lost = begin_export(tenant)
    make(other_tenant)

    tend_exports()

    assert told == [(str(lost.pk), str(tenant.pk))]


def test_what_kills_its_workers_is_given_up(tenant: Tenant) -> None:
    export = begin_export(tenant)
    WorkspaceExport.objects.for_tenant(tenant).update(attempts=MAX_ATTEMPTS)

    make_export(tenant, export.pk)

    export.refresh_from_db()
    assert (export.state, export.reason) == ("failed", "gave_up")
    begin_export(tenant)  # and can be asked for again


def test_what_a_killed_worker_stored_goes_with_the_next(tenant: Tenant, stored_files: Path) -> None:
    default_storage.save(f"{tenant.pk}/exports/lost.zip", ContentFile(b"PK"))

    export = make(tenant)

    assert files_below(stored_files) == [export.archive]


def test_what_takes_more_than_an_hour_is_given_up_at_once(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dawdle(*args: Any) -> None:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(exporting, "write_archive", dawdle)
    export = make(tenant)

    assert (export.state, export.reason) == ("failed", "too_large")


def test_a_storage_that_is_away_is_said(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> str:
        raise OSError("disk full")

    monkeypatch.setattr(FileSystemStorage, "save", refuse)
    export = make(tenant)

    assert (export.state, export.reason) == ("failed", "no_storage")


def test_a_worker_that_lost_its_lease_stores_nothing(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, stored_files: Path
) -> None:
    before = exporting.write_archive

    def write(*args: Any) -> None:
        before(*args)
        WorkspaceExport.objects.for_tenant(tenant).update(worker_id=None)

    monkeypatch.setattr(exporting, "write_archive", write)
    export = begin_export(tenant)
    make_export(tenant, export.pk)

    export.refresh_from_db()
    assert export.state == ExportState.WORKING
    assert files_below(stored_files) == []


# --- What is declared -----------------------------------------------------------------------------

# Rows of a tenant that are in no archive, and why.
NOT_EXPORTED = {
    "accounts.IdempotentRequest": "what a program was told of what is in the archive",
    "accounts.OutgoingMail": "on their way; erased when they are sent",
    "accounts.ProgramCode": "good for a minute",
    "accounts.Session": "ends with the workspace",
    "accounts.StaffAccess": "stands in the activity",
    "accounts.WorkspaceExport": "the archives themselves",
    "query.Notification": "says that there is a lead",
    "query.NotificationRead": "who has seen that",
    "query.NotificationSetting": "how somebody is told",
    "query.QuestionGroup": "holds no words: its messages do",
    "sources.Chunk": "made of the originals",
    "sources.ChunkEmbedding": "likewise",
    "sources.ChunkReading": "likewise",
    "sources.ChunkTerms": "likewise",
    "sources.SourceTerm": "likewise",
    "sources.TermPostings": "likewise",
    "sources.VectorSigns": "likewise",
    "sources.Connection": "credentials; the account is named at the channel",
    "sources.LaneTurn": "whose turn it is",
    "sources.SyncEvent": "how syncs went",
    "webhooks.Chat": "on the way; what was said is in the conversation",
    "webhooks.InboundMessage": "likewise",
    "webhooks.Reply": "likewise",
}


def test_every_row_of_a_tenant_is_exported_or_has_its_reason() -> None:
    declared = {model._meta.label for model, _ in list_exported()}
    tenants = {m._meta.label for m in apps.get_models() if issubclass(m, TenantModel)}

    assert tenants - declared == set(NOT_EXPORTED)


def test_names_of_files_are_their_own() -> None:
    names = [rule.name for _, rule in list_exported()]

    assert len(names) == len(set(names))


def test_no_secret_is_exported() -> None:
    for model, rule in list_exported():
        sealed = {f.name for f in model._meta.local_fields if isinstance(f, SealedField)}
        assert sealed.isdisjoint(rule.columns)
        for column in rule.columns:
            assert not any(word in column for word in ("hash", "password", "encrypted", "secret"))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Price list.pdf", "Price_list.pdf"),
        ("../../etc/passwd", "etcpasswd"),
        ("a\\..\\b.txt", "a..b.txt"),
        ("..", "file"),
        ("", "file"),
        ("x" * 300 + ".pdf", "x" * 116 + ".pdf"),
    ],
)
def test_a_clients_name_leads_out_of_no_folder(name: str, kept: str) -> None:
    assert clean_filename(name) == kept
