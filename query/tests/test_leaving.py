"""Taking everything along, and leaving nothing behind: of one workspace, and of no other."""

import io
import json
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.leaving.exporting import make_export
from accounts.leaving.receipts import open_receipt
from accounts.models import (
    ActivityEntry,
    AskedBy,
    ErasureKind,
    Membership,
    Role,
    Tenant,
    WorkspaceExport,
)
from accounts.models.tenants import DELETION_WAIT
from accounts.services.leaving.deletion import ask_deletion
from accounts.services.leaving.exports import open_export
from accounts.tests.factories import PASSWORD
from config.export import list_exported
from config.tests.isolation.world import Side, World, make_world, row_ids, tenant_models
from query.conversations import erasure
from query.conversations.erasure import list_unfinished
from query.conversations.leaving import delete_due_workspaces
from sources.errors import StorageUnavailable
from sources.originals.files import delete_originals
from sources.tests.conftest import files_below, stored_files  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored_files")]


@pytest.fixture
def world() -> World:
    return make_world()


def export(side: Side) -> zipfile.ZipFile:
    """The archive of the export that `side` has asked for."""
    row = WorkspaceExport.objects.for_tenant(side.tenant).get()
    make_export(side.tenant, row.pk)
    with open_export(side.tenant, row.pk) as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def content_of(archive: zipfile.ZipFile) -> dict[str, str]:
    return {name: archive.read(name).decode(errors="replace") for name in archive.namelist()}


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def ask(side: Side) -> None:
    admin = Membership.objects.for_tenant(side.tenant).filter(role=Role.ADMIN).first()
    assert admin is not None
    ask_deletion(
        side.tenant,
        slug=side.tenant.slug,
        by=admin,
        password=PASSWORD,
        address="203.0.113.9",
    )


# --- The archive ----------------------------------------------------------------------------------


def test_the_archive_holds_everything_that_is_declared(world: World) -> None:
    content = content_of(export(world.ours))

    files = {f"{rule.name}.jsonl" for _, rule in list_exported()}
    originals = {name for name in content if name.startswith("originals/")}
    assert content.keys() == files | originals | {"workspace.json"}
    assert len(originals) == 1
    assert [line["question"] for line in lines(content["messages.jsonl"])] == [
        "When does acme open?"
    ]
    assert [line["name"] for line in lines(content["leads.jsonl"])] == ["acme customer"]
    assert {line["user__email"] for line in lines(content["members.jsonl"])} >= {
        "admin@acme.example",
        "member@acme.example",
    }
    assert lines(content["company.jsonl"])[0]["legal_name"] == "acme, S.L."
    assert lines(content["activity.jsonl"])[0]["actor"] == "ana@acme.example"
    assert {line["channel_type"] for line in lines(content["channels.jsonl"])} == {
        "web",
        "messenger_a",
        "messenger_b",
    }


def test_the_archive_counts_what_is_in_it(world: World) -> None:
    archive = content_of(export(world.ours))

    row = WorkspaceExport.objects.for_tenant(world.ours.tenant).get()
    rows = sum(len(lines(text)) for name, text in archive.items() if name.endswith(".jsonl"))
    sources = len(lines(archive["sources.jsonl"]))
    assert (row.done_count, row.total_count) == (rows + sources, rows + sources)


def test_nothing_of_another_tenant_is_in_the_archive(world: World) -> None:
    everything = "".join(content_of(export(world.ours)).values())

    assert [found for found in row_ids(world.theirs.tenant) if found in everything] == []
    assert str(world.theirs.tenant.pk) not in everything
    assert "umbrella" not in everything
    assert "acme" in everything  # the canary: this search finds what is there


# --- The end --------------------------------------------------------------------------------------


def test_whoever_has_waited_is_gone_and_the_others_are_not(
    world: World,
    stored_files: Path,  # noqa: F811 - the fixture
) -> None:
    export(world.ours)
    ask(world.ours)
    theirs, rows = files_of(stored_files, world.theirs.tenant), row_ids(world.theirs.tenant)

    assert delete_due_workspaces(timezone.now() + DELETION_WAIT) == 1

    gone, kept = world.ours.tenant, world.theirs.tenant
    for model in tenant_models():
        assert not model.all_tenants.filter(tenant_id=gone.pk).exists(), model.__name__
    assert row_ids(kept) == rows
    assert not Tenant.objects.filter(pk=gone.pk).exists()
    assert files_of(stored_files, gone) == []
    assert files_of(stored_files, kept) == theirs


def test_nobody_goes_before_their_time(world: World) -> None:
    ask(world.ours)

    assert delete_due_workspaces(timezone.now()) == 0
    assert Tenant.objects.filter(slug="acme").exists()


@pytest.mark.parametrize("error", [StorageUnavailable, ZeroDivisionError])
def test_what_stops_one_is_gone_on_with_the_next_time_and_stops_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    ask(world.ours)
    ask(world.theirs)
    erase = delete_originals

    def refuse_ours(tenant: Tenant) -> int:
        if tenant.slug == "acme":
            raise error
        return erase(tenant)

    steps = tuple(
        erasure.Step(step.name, refuse_ours if step.erase is erase else step.erase)
        for step in erasure.STEPS
    )
    due = timezone.now() + DELETION_WAIT
    with monkeypatch.context() as broken:
        broken.setattr(erasure, "STEPS", steps)
        assert delete_due_workspaces(due) == 1
    assert list(Tenant.objects.values_list("slug", flat=True)) == ["acme"]
    assert ActivityEntry.objects.for_tenant(world.ours.tenant).exists()

    assert delete_due_workspaces(timezone.now()) == 1
    assert not Tenant.objects.exists()


def test_of_several_that_are_gone_one_that_cannot_be_finished_stops_no_other(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed behind their last row: only receipts are left of them."""
    gone = [uuid.uuid4() for _ in range(3)]
    for tenant_id in gone:
        open_receipt(
            ErasureKind.TENANT, str(tenant_id), asked_by=AskedBy.ADMIN, workspace_id=tenant_id
        )
    erase = delete_originals

    def refuse_second(tenant: Tenant) -> int:
        if tenant.pk == gone[1]:
            raise StorageUnavailable
        return erase(tenant)

    monkeypatch.setattr(erasure, "delete_originals", refuse_second)
    delete_due_workspaces(timezone.now())

    assert [receipt.workspace_id for receipt in list_unfinished()] == [gone[1]]


def files_of(folder: Path, tenant: Tenant) -> list[str]:
    return [name for name in files_below(folder) if name.startswith(str(tenant.pk))]
