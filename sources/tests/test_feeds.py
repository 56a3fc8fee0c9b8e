"""What a sync keeps for the next one: where a feed stood, what failed, and what only moved."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ScheduleFrequency, Tenant
from config.http import FetchedPage, TooLarge
from reading.passages import ChunkLevel, Coverage, Description, Passage, ReadDocument
from reasons import Reason, as_reason
from sources.api.serializers import with_codes
from sources.connections import keep_credentials
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Failed, Item, SyncContext, Unchanged
from sources.errors import AskedToWait, OriginUnavailable, SyncFailed
from sources.models import Connection, Document, Source, SyncEvent
from sources.syncing import runs, sync
from sources.tests.factories import make_schedule, make_source

pytestmark = pytest.mark.django_db


class FeedConnector:
    """Reads what a test says, and keeps what it was told of the sync before."""

    def __init__(self, *script: Item | Exception, cursor: dict[str, Any] | None = None) -> None:
        self.script = script
        self.cursor = cursor

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        self.told = dict(context.cursor)
        self.failures = dict(context.known_failures)
        if self.cursor is not None:
            context.keep_cursor(self.cursor)
        for step in self.script:
            if isinstance(step, Exception):
                raise step
            yield step


@pytest.fixture
def source(tenant: Tenant) -> Source:
    return make_source(tenant, source_type="cloud_drive_a", sync_status="pending")


@pytest.fixture
def run(source: Source, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One sync with this connector, from its beginning to its end."""

    def work(connector: FeedConnector) -> Source:
        monkeypatch.setattr(sync, "get_connector", lambda source: connector)
        run_id = runs.begin_run(source.tenant, source.pk)
        assert run_id
        sync.sync_source(source.tenant, source.pk, run_id=run_id)
        return Source.objects.for_tenant(source.tenant).get(pk=source.pk)

    return work


def document(name: str, text: str = "A text.", place: str = "") -> ReadDocument:
    passage = Passage(text, location="page 1", section_title="", level=ChunkLevel.PARAGRAPH)
    return ReadDocument(
        *(name, name, "text/plain", text, (passage,)),
        etag="1",
        place=place or f"Shelf / {name}",
        link=f"https://drive/{name}",
    )


def stored(source: Source) -> Document:
    return Document.objects.for_tenant(source.tenant).get(source=source)


def last_event(source: Source) -> dict[str, Any]:
    event = SyncEvent.objects.for_tenant(source.tenant).filter(source=source)
    return with_codes(event.order_by("-created_at")[0].details)


def test_the_next_sync_goes_on_where_the_feed_stood(run: Any) -> None:
    first = FeedConnector(document("a"), cursor={"token": "7"})
    second = FeedConnector(Unchanged("a"), cursor={"token": "9"})

    run(first)
    after = run(second)

    assert (first.told, second.told) == ({}, {"token": "7"})
    assert after.sync_cursor == {"token": "9"}


def test_a_sync_that_fails_leaves_the_feed_where_it_was(run: Any) -> None:
    run(FeedConnector(document("a"), cursor={"token": "7"}))
    after = run(FeedConnector(Unchanged("a"), SyncFailed("No."), cursor={"token": "9"}))
    assert (after.sync_status, after.sync_cursor) == ("error", {"token": "7"})


def test_a_choice_that_changed_meanwhile_begins_anew(run: Any, source: Source) -> None:
    class Chosen(FeedConnector):
        def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
            yield from super().read(source, context)
            Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(
                selection={"chosen": []}, sync_cursor={}
            )

    after = run(Chosen(document("a"), cursor={"token": "7"}))
    assert (after.sync_status, after.sync_cursor) == ("synced", {})


def test_another_account_that_was_connected_meanwhile_begins_anew(run: Any, source: Source) -> None:
    """Else the feed of one account would be asked for what is gone from the other."""
    account = Connection(tenant=source.tenant, provider="cloud_drive_a", account_id="ana")
    keep_credentials(account, {})
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(connection=account)

    class Replaced(FeedConnector):
        def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
            assert source.connection
            assert source.connection.account_id == "ana"
            yield from super().read(source, context)
            Connection.objects.for_tenant(source.tenant).update(account_id="ben")

    after = run(Replaced(document("a"), cursor={"token": "7"}))
    assert (after.sync_status, after.sync_cursor) == ("synced", {})


def test_what_moved_is_told_anew_and_not_embedded_again(run: Any, source: Source) -> None:
    run(FeedConnector(document("a")))
    before = stored(source)
    moved = Description("b", etag="2", place="Attic / b", link="https://drive/b")

    after = run(FeedConnector(Unchanged("a", moved)))

    document_now = stored(source)
    assert document_now.pk == before.pk
    assert (document_now.title, document_now.place, document_now.link, document_now.etag) == (
        "b",
        "Attic / b",
        "https://drive/b",
        "2",
    )
    assert after.generation == 1
    assert last_event(source)["chunks_embedded"] == 0


def test_a_title_that_is_too_long_is_no_news(run: Any, source: Source) -> None:
    told = Description("x" * 600, etag="1")
    run(FeedConnector(document("a")))
    run(FeedConnector(Unchanged("a", told)))
    assert stored(source).title == "x" * 500


def test_what_failed_is_known_to_the_next_sync(run: Any, source: Source) -> None:
    failed = Failed("b", as_reason("It is protected."), title="Shelf / b", etag="1")
    run(FeedConnector(document("a"), failed))
    second = FeedConnector(Unchanged("a"))
    run(second)

    assert second.failures == {"b": failed}


def test_what_was_not_read_is_told_until_it_is(run: Any, source: Source) -> None:
    lossy = replace(
        document("a"),
        warnings=(as_reason("Page 2 was not read: it is damaged."),),
        coverage=Coverage(pages=3, pages_with_text=2, words=70),
    )
    run(FeedConnector(lossy, Failed("b", as_reason("It is protected."), title="Shelf / b")))
    first = last_event(source)
    run(FeedConnector(Unchanged("a")))
    second = last_event(source)

    assert first["warnings"] == [
        "Shelf / a: Page 2 was not read: it is damaged.",
        "Shelf / b: It is protected.",
    ]
    assert first["outcomes"][0] == {
        "document": "Shelf / a",
        "outcome": "added",
        "reason": "Page 2 was not read: it is damaged.",
        "reason_code": "text",
        "coverage": {
            "pages": 3,
            "pages_with_text": 2,
            "pages_recognised": 0,
            "words": 70,
            "words_recognised": 0,
        },
    }
    assert second["warnings"] == ["Shelf / a: Page 2 was not read: it is damaged."]
    run(FeedConnector(replace(document("a", "Whole."), etag="2")))
    assert last_event(source)["warnings"] == []


def test_a_history_stays_small_whatever_is_told_of_a_document(run: Any, source: Source) -> None:
    run(FeedConnector(replace(document("a"), warnings=(as_reason("Lost. " * 80),) * 50)))

    told = last_event(source)

    assert len(told["outcomes"][0]["reason"]) < 1000
    assert len(told["warnings"]) == 50


def test_outcomes_are_told_by_the_names_that_people_know(run: Any, source: Source) -> None:
    run(
        FeedConnector(
            document("a"), Failed("7f3", as_reason("It is protected."), title="Shelf / b")
        )
    )
    assert [(told["document"], told["outcome"]) for told in last_event(source)["outcomes"]] == [
        ("Shelf / a", "added"),
        ("Shelf / b", "failed"),
    ]


def test_a_provider_that_is_busy_is_asked_again_when_it_said(run: Any, source: Source) -> None:
    with pytest.raises(sync.RetryLater) as later:
        run(FeedConnector(AskedToWait(as_reason("It is busy."), wait_seconds=120)))
    assert later.value.seconds == 120


def test_a_provider_that_stays_away_is_tried_again_by_the_schedule(
    run: Any, source: Source
) -> None:
    due = timezone.now() + timedelta(minutes=40)
    make_schedule(source, frequency=ScheduleFrequency.HOURLY, enabled=True, next_sync_at=due)
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id
    runs.fail_run(source.tenant, source.pk, run_id=run_id, error=OriginUnavailable("It is away."))

    source.refresh_from_db()
    assert source.sync_status == "error"
    assert source.error_message == f"It is away. Next automatic try: {due:%Y-%m-%d %H:%M} UTC."


# --- What origins say -----------------------------------------------------------------------------

HOSTILE = "a\0b\ud800c"


def test_what_the_database_cannot_keep_ends_no_sync(run: Any, source: Source) -> None:
    read = replace(
        document("a"),
        title=HOSTILE,
        place=f"Shelf / {HOSTILE}",
        link="https://drive/\0",
        etag=HOSTILE,
        last_modified=HOSTILE,
        warnings=(as_reason(HOSTILE),),
    )
    failed = Failed("b", as_reason(HOSTILE), title=HOSTILE, etag=HOSTILE)

    after = run(FeedConnector(read, failed, cursor={"token": HOSTILE}))

    row = stored(source)
    assert (row.title, row.place) == ("a\ufffdb\ufffdc", "Shelf / a\ufffdb\ufffdc")
    assert (row.link, row.etag, row.last_modified) == ("https://drive/\ufffd", "", "")
    assert (after.sync_status, after.sync_cursor) == ("synced", {})
    assert after.known_failures == {
        "b": {
            "reason": as_reason("a\ufffdb\ufffdc").to_json(),
            "title": "a\ufffdb\ufffdc",
            "etag": "",
        }
    }


def test_what_is_told_anew_is_kept_as_the_database_can(run: Any, source: Source) -> None:
    run(FeedConnector(document("a")))
    told = Description(HOSTILE, etag="2", place="x" * 100_000, link="javascript:alert(1)")

    assert run(FeedConnector(Unchanged("a", told))).sync_status == "synced"

    row = stored(source)
    assert (row.title, len(row.place), row.link) == ("a\ufffdb\ufffdc", 2000, "")


@pytest.mark.parametrize("name", [HOSTILE, "", "é" * 1251, "".join(map(chr, range(50, 3050)))])
def test_a_document_whose_name_cannot_be_kept_fails_alone(
    run: Any, source: Source, name: str
) -> None:
    nameless = replace(document("a"), external_id=name)

    after = run(
        FeedConnector(nameless, document("b"), Unchanged(name), Failed(name, as_reason("No.")))
    )

    assert (after.sync_status, stored(source).external_id) == ("synced", "b")
    assert last_event(source)["documents"]["failed"] == 1


def test_the_longest_name_is_kept(run: Any, source: Source) -> None:
    name = "".join(secrets.choice(string.ascii_letters) for _ in range(2500))
    assert run(FeedConnector(document(name))).sync_status == "synced"
    assert stored(source).external_id == name


def test_a_failure_is_told_whatever_the_origin_says(run: Any, source: Source) -> None:
    after = run(FeedConnector(SyncFailed(f"It answers {HOSTILE}.")))
    assert (after.sync_status, after.error_message) == ("error", "It answers a\ufffdb\ufffdc.")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TooLarge(Reason("answer_too_large", size="10")), Reason("answer_too_large", size="10")),
        (
            CallRefused("The shelf", FetchedPage("https://shelf/", 418, {}, b"")),
            Reason(
                "listing_refused",
                reason=Reason("origin_refused_request", label="The shelf", status="418"),
            ),
        ),
    ],
)
def test_what_no_connector_foresaw_of_a_call_is_explained(
    run: Any, error: Exception, reason: Reason
) -> None:
    after = run(FeedConnector(error))
    assert (after.sync_status, after.error) == ("error", reason)
