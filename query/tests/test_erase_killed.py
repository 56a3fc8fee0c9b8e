"""The command erase in a process of its own, as operators run it: also killed, again and again."""

import itertools
import json
import time
from pathlib import Path
from typing import Protocol

import pytest
from django.core.files.base import ContentFile
from pytest_django import Settings

from accounts.models import ErasureReceipt, Tenant, User
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from config.tests.isolation.world import tenant_models
from query.models import Conversation
from query.tests.factories import make_conversation, make_message
from query.tests.forked import Command
from sources.services.uploads import ingest_file
from sources.tests.conftest import files_below, stored_files

__all__ = ["stored_files"]  # a fixture
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CONVERSATIONS = 60
KILLS = 4
WAIT_SECONDS = 60.0


class Erase(Protocol):
    def __call__(self, *options: str) -> Command:
        """Begins to erase."""


@pytest.fixture
def erase(tmp_path: Path, stored_files: Path, settings: Settings) -> Erase:
    numbers = itertools.count()

    def begin(*options: str) -> Command:
        output = tmp_path / f"erase-{next(numbers)}"
        return Command(output, "erase", *options, STORAGES=settings.STORAGES)

    return begin


def count_rows(tenant: Tenant) -> int:
    return sum(model.all_tenants.filter(tenant=tenant).count() for model in tenant_models())


def kill_when_something_is_gone(erasing: Command, tenant: Tenant) -> None:
    """In the middle, wherever that is: what it did in its transaction is done or it is not."""
    before, give_up_at = count_rows(tenant), time.monotonic() + WAIT_SECONDS
    while not erasing.has_ended and time.monotonic() < give_up_at:
        if count_rows(tenant) != before:
            break
    erasing.kill()


def test_an_erasure_that_is_killed_goes_on_and_closes_its_receipt(
    committed_tenant: Tenant, stored_files: Path, erase: Erase
) -> None:
    slug, agent = committed_tenant.slug, make_agent(committed_tenant)
    for number in range(CONVERSATIONS):
        make_message(make_conversation(agent, session_id=f"visitor {number}"))
    ingest_file(committed_tenant, file=ContentFile(b"We open at nine."), filename="a.txt")

    whole = ("--tenant", slug, "--everything", "--yes")
    for _ in range(KILLS):
        kill_when_something_is_gone(erase(*whole), committed_tenant)
    code, _, errors = erase(*whole).wait(WAIT_SECONDS)

    receipts = ErasureReceipt.objects.filter(workspace_id=committed_tenant.pk)
    assert [receipt.finished_at is not None for receipt in receipts] == [True]
    assert code == 0 or "There is no tenant" in errors
    assert count_rows(committed_tenant) == 0
    assert not Tenant.objects.filter(slug=slug).exists()
    assert files_below(stored_files) == []


@pytest.mark.parametrize("what", ["session", "person", "account"])
def test_each_kind_ends_with_a_receipt(committed_tenant: Tenant, erase: Erase, what: str) -> None:
    person = make_user(committed_tenant)
    make_user(committed_tenant)  # another admin, who stays
    agent = make_agent(committed_tenant)
    make_message(make_conversation(agent, session_id="visitor"), question="I am eva@example.org")
    options = {
        "session": ("--tenant", committed_tenant.slug, "--session", "visitor"),
        "person": ("--tenant", committed_tenant.slug, "--person", "eva@example.org", "--yes"),
        "account": ("--account", person.email, "--yes"),
    }

    code, printed, errors = erase(*options[what]).wait(WAIT_SECONDS)

    assert code == 0, errors
    receipt = json.loads(printed)["receipt"]
    assert ErasureReceipt.objects.get(pk=receipt["receipt"]).finished_at
    assert User.objects.filter(pk=person.pk).exists() is (what != "account")
    conversations = Conversation.objects.for_tenant(committed_tenant)
    assert conversations.exists() is (what == "account")
