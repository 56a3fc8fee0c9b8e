"""Sources: the list and its order, one source, and what is done with it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Role, Tenant
from accounts.tests.factories import make_tenant
from dashboard.tests.factories import pages_of
from reasons import Reason, as_reason
from sources.models import Schedule, Source, SyncStatus
from sources.services.reading import list_sources
from sources.tests.factories import (
    make_chunk,
    make_document,
    make_event,
    make_schedule,
    make_source,
)

LIST = "/dashboard/sources"
HTMX = {"HX-Request": "true"}
NOW = timezone.now()

pytestmark = pytest.mark.django_db


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def at(source: Source, action: str = "") -> str:
    return f"{LIST}/{source.pk}" + (f"/{action}" if action else "")


def names(tenant: Tenant) -> list[str]:
    return [source.name for source in list_sources(tenant)]


def reload(source: Source) -> Source:
    return Source.all_tenants.get(pk=source.pk)


# --- The list -----------------------------------------------------------------------------------


def test_sources_are_listed_in_their_order(pages: Client, tenant: Tenant) -> None:
    for number, name in enumerate(["First", "Second", "Third"]):
        make_source(tenant, name=name, position=number)

    page = text_of(pages.get(LIST))

    assert page.index("First") < page.index("Second") < page.index("Third")


def test_an_empty_list_leads_to_the_first_source(pages: Client, tenant: Tenant) -> None:
    assert 'href="/dashboard/sources/add"' in text_of(pages.get(LIST))
    assert "Only an admin of the workspace can add them." in text_of(
        pages_of(tenant, role=Role.MEMBER).get(LIST)
    )


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"sync_status": "pending"}, ["Not read yet", "Sync it"]),
        ({"sync_status": "synced"}, ["Synced"]),
        ({"sync_status": "syncing"}, ["Queued", "It will be read shortly"]),
        (
            {
                "sync_status": "syncing",
                "sync_worker_id": uuid.uuid4(),
                "sync_progress": {"documents_done": 12, "documents_total": 40},
            },
            ["Syncing", "12 of about 40 documents read.", 'max="40" value="12"'],
        ),
        (
            {
                "sync_status": "syncing",
                "sync_worker_id": uuid.uuid4(),
                "sync_progress": {
                    "documents_done": 0,
                    "documents_total": 1,
                    "passages_done": 300,
                    "passages_total": 900,
                },
            },
            ["300 of 900 passages prepared.", 'max="900" value="300"'],
        ),
        (
            {
                "sync_status": "error",
                "error_code": "FILE_PROCESSING_FAILED",
                "error_message": "This file is empty.",
            },
            ["Failed", "This file is empty.", "Upload a corrected version"],
        ),
        (
            {
                "sync_status": "error",
                "error_code": "ORIGIN_UNAVAILABLE",
                "error_message": "It does not answer.",
                "chunks_count": 3,
            },
            [
                "Failed",
                "It does not answer.",
                "agents keep answering from the last version that was read",
            ],
        ),
        (
            {
                "sync_status": "reauth_required",
                "error_message": "No account is connected.",
                "chunks_count": 3,
            },
            [
                "No access",
                "No account is connected.",
                "agents keep answering from what was already read",
            ],
        ),
    ],
)
def test_each_state_says_its_reason_and_the_next_step(
    pages: Client, tenant: Tenant, over: dict[str, Any], words: list[str]
) -> None:
    make_source(tenant, **over)

    page = text_of(pages.get(LIST))

    assert [word for word in words if word not in page] == []


@pytest.mark.parametrize("at_the_list", [True, False])
def test_a_file_that_was_uploaded_before_says_so(
    pages: Client, tenant: Tenant, at_the_list: bool
) -> None:
    earlier, again = make_source(tenant, name="Fares"), make_source(tenant)
    make_schedule(again)
    for source in (earlier, again):
        make_document(source, content_hash="a" * 64)

    page = text_of(pages.get(LIST if at_the_list else at(again)))

    assert page.count("This is the same file as Fares, which was uploaded before.") == 1


@pytest.mark.parametrize(
    ("age", "frequency", "words"),
    [
        (timedelta(seconds=5), "manual", ["Up to date", "just now"]),
        (timedelta(hours=3, minutes=5), "manual", ["Up to date", "3\xa0hours ago"]),
        (timedelta(hours=3, minutes=5), "1h", ["Due for an update"]),
        (timedelta(days=31), "manual", ["Out of date", "1\xa0month ago"]),
        (None, "manual", ["Never read"]),
    ],
)
def test_freshness_is_told_in_words(
    pages: Client, tenant: Tenant, age: timedelta | None, frequency: str, words: list[str]
) -> None:
    source = make_source(tenant, last_synced_at=timezone.now() - age if age else None)
    if frequency != "manual":
        make_schedule(source, frequency=frequency)

    page = pages.get(LIST).content.decode()

    assert [word for word in words if word not in page] == []


def test_search_finds_by_name_and_takes_the_order_away(pages: Client, tenant: Tenant) -> None:
    make_source(tenant, name="Prices 2027")
    make_source(tenant, name="Opening hours")

    page = text_of(pages.get(LIST, {"q": "PRICES"}))

    assert "Prices 2027" in page
    assert "Opening hours" not in page
    assert "/move" not in page


@pytest.mark.parametrize("query", ["x" * 300, "a\0b", "100%", "' OR 1=1 --"])
def test_any_search_is_answered(pages: Client, tenant: Tenant, query: str) -> None:
    make_source(tenant)

    assert pages.get(LIST, {"q": query, "page": "x", "state": "none"}).status_code == 200


def test_those_that_need_attention_can_be_shown_alone(pages: Client, tenant: Tenant) -> None:
    make_source(tenant, name="Good one")
    make_source(tenant, name="Bad one", sync_status=SyncStatus.ERROR)

    page = text_of(pages.get(LIST, {"state": "failing"}))

    assert "Bad one" in page
    assert "Good one" not in page


def test_a_page_has_fifty_sources(pages: Client, tenant: Tenant) -> None:
    for number in range(51):
        make_source(tenant, name=f"Number {number}.", position=number)

    assert "Number 50." not in text_of(pages.get(LIST))
    assert "Number 50." in text_of(pages.get(LIST, {"page": "2"}))


def test_fifty_sources_cost_as_many_queries_as_one(pages: Client, tenant: Tenant) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            pages.get(LIST)
        return len(queries)

    make_schedule(make_source(tenant))
    pages.get(LIST)  # of a session's first request its visit is noted
    one = count()
    for _ in range(49):
        make_schedule(make_source(tenant))

    assert (count(), one) == (one, one)
    assert one <= 15


def test_stored_text_never_runs(pages: Client, tenant: Tenant) -> None:
    evil = '<script>alert(1)</script>"onload="'
    source = make_source(
        tenant,
        name=evil,
        source_type="web",
        source_url=f"javascript:{evil}",
        sync_status=SyncStatus.ERROR,
        error_message=evil,
    )
    document = make_document(source, title=evil, external_id=f"javascript:{evil}", warnings=[evil])
    document.chunks_count = 1
    document.save()
    make_chunk(document, text=evil, location=evil)
    make_event(source, details={"outcomes": [{"outcome": "failed", "document": evil}]})

    for address in (LIST, at(source), f"{LIST}/states?ids={source.pk}", "/dashboard/"):
        page = pages.get(address).content.decode()
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
        assert '"onload="' not in page


def test_members_read_and_change_nothing(tenant: Tenant) -> None:
    source = make_source(tenant)
    pages = pages_of(tenant, role=Role.MEMBER)

    for address in (LIST, at(source)):
        page = text_of(pages.get(address))
        assert 'method="post" action="/dashboard/sources' not in page
        assert 'href="/dashboard/sources/add"' not in page


# --- Their order --------------------------------------------------------------------------------


@pytest.fixture
def three(tenant: Tenant) -> list[Source]:
    return [make_source(tenant, name=name, position=i) for i, name in enumerate("abc")]


def test_a_source_is_moved_without_script(
    pages: Client, tenant: Tenant, three: list[Source]
) -> None:
    answer = pages.post(at(three[2], "move"), {"step": "up"})

    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{LIST}?page=1#source-{three[2].pk}",
    )
    assert names(tenant) == ["a", "c", "b"]


def test_with_htmx_the_list_says_where_it_is_now(
    pages: Client, tenant: Tenant, three: list[Source]
) -> None:
    answer = pages.post(at(three[2], "move"), {"step": "top"}, headers=HTMX)

    assert answer.status_code == 200
    assert "“c” is now number 1." in text_of(answer)
    assert answer["HX-Push-Url"] == f"{LIST}?page=1"
    assert b"<html" not in answer.content


def test_a_source_is_dropped_beside_another(
    pages: Client, tenant: Tenant, three: list[Source]
) -> None:
    pages.post(at(three[0], "move"), {"beside": str(three[2].pk), "is_after": "on"})

    assert names(tenant) == ["b", "c", "a"]


def test_who_leaves_the_page_by_moving_is_followed(pages: Client, tenant: Tenant) -> None:
    sources = [make_source(tenant, name=str(number), position=number) for number in range(52)]

    answer = pages.post(at(sources[50], "move"), {"step": "up"}, headers=HTMX)

    assert answer["HX-Push-Url"] == f"{LIST}?page=1"


@pytest.mark.parametrize("body", [{}, {"step": "sideways"}, {"beside": "x"}])
def test_a_move_to_nowhere_changes_nothing(
    pages: Client, tenant: Tenant, three: list[Source], body: dict[str, str]
) -> None:
    assert pages.post(at(three[2], "move"), body).status_code == 400
    assert names(tenant) == ["a", "b", "c"]


def test_nothing_is_dropped_beside_another_tenants_source(
    pages: Client, tenant: Tenant, other_tenant: Tenant, three: list[Source]
) -> None:
    theirs = make_source(other_tenant)

    answer = pages.post(at(three[2], "move"), {"beside": str(theirs.pk)})

    assert answer.status_code == 404
    assert names(tenant) == ["a", "b", "c"]


# --- What changes by itself ---------------------------------------------------------------------


def test_a_list_looks_after_what_is_being_read_and_after_nothing_else(
    pages: Client, tenant: Tenant
) -> None:
    make_source(tenant)
    assert '<div id="looking"></div>' in text_of(pages.get(LIST))

    live = make_source(tenant, sync_status=SyncStatus.SYNCING)

    assert f'hx-get="{LIST}/states?list=yes&amp;ids={live.pk}" hx-trigger="every 5s"' in text_of(
        pages.get(LIST)
    )


def test_states_are_those_of_the_tenants_own(
    pages: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    mine, theirs = make_source(tenant, chunks_count=1234), make_source(other_tenant)

    page = text_of(pages.get(f"{LIST}/states?list=yes&ids={mine.pk},{theirs.pk},nonsense"))

    assert f'id="state-{mine.pk}"' in page
    assert "1,234" in page
    assert str(theirs.pk) not in page
    assert "every 5s" not in page


def test_the_page_of_a_source_learns_that_its_sync_has_ended(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, sync_status=SyncStatus.SYNCING)
    first = pages.get(at(source, "live"), headers=HTMX)
    Source.objects.for_tenant(tenant).update(sync_status=SyncStatus.SYNCED)

    last = pages.get(at(source, "live"), headers=HTMX)

    assert ("HX-Trigger" in first, "every 3s" in text_of(first)) == (False, True)
    assert (last["HX-Trigger"], "every 3s" in text_of(last)) == ("settled", False)
    # What surrounds it is then asked for anew, and must not choose from its answers too.
    assert 'settled from:body" hx-select="#contents"' in text_of(pages.get(at(source)))
    assert 'hx-disinherit="hx-select"' in text_of(pages.get(at(source)))


# --- One source ---------------------------------------------------------------------------------


def test_the_page_shows_what_was_left_out_of_the_whole_source(
    pages: Client, tenant: Tenant
) -> None:
    left_out = [Reason("plan_pages_reached", limit=25), Reason("pages_left_out", count=38)]
    source = make_source(tenant, source_type="web", chunks_count=9, warnings=left_out)

    page = text_of(pages.get(at(source)))

    assert "limit of 25 pages per website was reached" in page
    assert "Pages found and not read: 38." in page
    assert "Partly synced" in page


def test_the_page_shows_what_became_of_each_document(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, source_type="web", chunks_count=9)
    make_document(
        source,
        title="Prices",
        external_id="https://acme.example/prices",
        chunks_count=9,
        warnings=["3 of 4 pages had text.", "Scanned pages were left out."],
        coverage={"pages": 4, "pages_with_text": 3, "words": 1200, "words_recognised": 300},
    )
    make_document(source, title="Empty", position=1)
    make_event(
        source,
        details={
            "documents": {"added": 2, "failed": 3},
            "warnings": [as_reason("a.html: HTTP 404.").to_json()],
            "outcomes": [
                {
                    "document": "a.html",
                    "outcome": "failed",
                    "reason": as_reason("HTTP 404.").to_json(),
                },
                {"document": "b.html", "outcome": "added"},
            ],
        },
    )

    page = text_of(pages.get(at(source)))

    assert '<a href="https://acme.example/prices"' in page
    assert "Partly read" in page
    assert "3 of 4 pages had text." in page
    assert "Scanned pages were left out." in page
    assert "4 pages, 3 with text, 1200 words, 300 of them recognised" in page
    assert "Partly synced" in page
    assert "No text found" in page
    assert "a.html" in page
    assert "b.html" not in page
    assert "… and 2 more." in page
    assert "2 new, 3 could not be read. Not all of it could be read." in page


def test_history_is_told_in_words(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant)
    make_event(source, action="source_created")
    make_event(source, action="source_renamed", details={"from": "Old", "to": "New"})
    make_event(
        source, action="sync_failed", details={"message": as_reason("The disk is full.").to_json()}
    )
    make_event(source, action="schedule_stopped", details={"reason": "x"})

    page = text_of(pages.get(at(source)))

    for words in ("Added", "From “Old” to “New”.", "The disk is full.", "Schedule stopped"):
        assert words in page


def test_details_of_another_form_do_no_harm(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant)
    make_event(source, details={"documents": 7, "outcomes": "none"})
    make_event(source, details={"documents": {"added": "x"}, "outcomes": [1, {}]})

    assert pages.get(at(source)).status_code == 200


def test_the_page_shows_the_first_passages(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant)
    make_chunk(
        make_document(source, chunks_count=1), text="We open at nine.", location="paragraph 7"
    )

    page = text_of(pages.get(at(source)))

    assert "We open at nine." in page
    assert "paragraph 7" in page


def test_the_page_costs_few_queries_however_many_documents(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, source_type="web")
    make_schedule(source)
    for number in range(60):
        document = make_document(source, position=number, chunks_count=1)
        make_chunk(document)

    with CaptureQueriesContext(connection) as queries:
        assert pages.get(at(source)).status_code == 200

    assert len(queries) <= 18


def test_renaming(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, name="Old")

    answer = pages.post(at(source, "rename"), {"name": "  New  "})

    assert answer["Location"] == at(source)
    assert reload(source).name == "New"


@pytest.mark.parametrize("name", ["", "   ", "n" * 201, "a\0b"])
def test_a_wrong_name_stands_in_its_field(pages: Client, tenant: Tenant, name: str) -> None:
    source = make_source(tenant, name="Old")

    answer = pages.post(at(source, "rename"), {"name": name})

    assert answer.status_code == 400
    assert 'id="rename_name_error"' in text_of(answer)
    assert f'hx-get="{at(source)}?page=1"' in text_of(answer)
    assert reload(source).name == "Old"


def test_a_sync_begins_once(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant)

    first, second = (pages.post(at(source, "sync")) for _ in range(2))

    assert (first.status_code, second.status_code) == (302, 409)
    assert "already being synced" in text_of(second)
    assert reload(source).sync_status == SyncStatus.SYNCING


def test_a_schedule_is_set_and_taken_back(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, source_type="web")

    pages.post(at(source, "schedule"), {"frequency": "24h"})
    assert 'value="24h" checked' in text_of(pages.get(at(source)))
    pages.post(at(source, "schedule"), {"frequency": "manual"})

    assert 'value="manual" checked' in text_of(pages.get(at(source)))
    assert not Schedule.objects.for_tenant(tenant).get().enabled


def test_what_the_plan_lacks_is_shown_and_refused(db: None) -> None:
    tenant = make_tenant(plan="starter")
    source = make_source(tenant, source_type="web")
    pages = pages_of(tenant)

    page = text_of(pages.get(at(source)))
    answer = pages.post(at(source, "schedule"), {"frequency": "1h"})

    assert 'value="1h" disabled' in page
    assert page.count("Not in your plan") == 2
    assert "Your plan is Starter." in page
    assert answer.status_code == 400
    assert "Your plan does not include this frequency." in text_of(answer)
    assert not Schedule.objects.for_tenant(tenant).exists()


def test_deleting_asks_for_the_name(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, name="Prices")

    wrong = pages.post(at(source, "delete"), {"name": "prices"})
    assert (wrong.status_code, names(tenant)) == (400, ["Prices"])
    assert "That is not the name of the source." in text_of(wrong)
    answer = pages.post(at(source, "delete"), {"name": "Prices"})

    assert answer["Location"] == LIST
    assert names(tenant) == []


def test_the_original_is_downloaded_through_a_link_of_its_own(
    pages: Client, tenant: Tenant
) -> None:
    source = make_source(tenant, original_file="stored")

    answer = pages.get(at(source, "download"))

    assert answer.status_code == 302
    assert "/files/" in answer["Location"]


def test_a_website_has_no_file_to_download(pages: Client, tenant: Tenant) -> None:
    source = make_source(tenant, source_type="web")

    assert pages.get(at(source, "download")).status_code == 404
    assert "/download" not in text_of(pages.get(at(source)))
