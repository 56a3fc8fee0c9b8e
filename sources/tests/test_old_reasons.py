"""Rows from before reasons were values get reasons, and go back to texts."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from accounts.models import Tenant
from reasons import Reason
from sources.models import SyncEvent
from sources.tests.factories import make_source

migration = import_module("sources.migrations.0006_old_reasons")
pytestmark = pytest.mark.django_db

DETAILS = {
    "provider": "web",
    "message": "It was away.",
    "cut": "Time was up.",
    "warnings": ["a.pdf: Page 3 was lost.", "b.pdf: It is empty."],
    "outcomes": [
        {"document": "a.pdf", "outcome": "added", "reason": "Page 3 was lost."},
        {"document": "c.pdf", "outcome": "added", "reason": ""},
    ],
}


class Editor:
    connection = connection


def text(words: str) -> dict[str, Any]:
    return Reason("text", text=words).to_json()


def test_texts_become_reasons_and_go_back(tenant: Tenant) -> None:
    failures = {"d.pdf": {"reason": "It is locked.", "title": "D", "etag": "1"}}
    source = make_source(tenant, error=None, error_message="It was away.", known_failures=failures)
    event = SyncEvent.objects.for_tenant(tenant).create(
        source=source, action=SyncEvent.Action.SYNC_FAILED, details=DETAILS
    )

    for _ in range(2):  # an interrupted migration is run again
        migration.make_reasons(apps, Editor)

    source.refresh_from_db()
    event.refresh_from_db()
    assert source.error == Reason("text", text="It was away.")
    assert source.known_failures["d.pdf"]["reason"] == text("It is locked.")
    assert event.details == {
        "provider": "web",
        "message": text("It was away."),
        "cut": text("Time was up."),
        "warnings": [text("a.pdf: Page 3 was lost."), text("b.pdf: It is empty.")],
        "outcomes": [
            {"document": "a.pdf", "outcome": "added", "reason": text("Page 3 was lost.")},
            {"document": "c.pdf", "outcome": "added", "reason": ""},
        ],
    }

    migration.make_texts(apps, Editor)

    source.refresh_from_db()
    event.refresh_from_db()
    assert source.known_failures == failures
    assert event.details == DETAILS


def test_the_rows_are_changed_in_batches(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.database.old_reasons.BATCH_ROWS", 2)
    sources = [make_source(tenant, error=None, error_message=f"Failure {n}.") for n in range(5)]

    migration.make_reasons(apps, Editor)

    for number, source in enumerate(sources):
        source.refresh_from_db()
        assert source.error == Reason("text", text=f"Failure {number}.")
