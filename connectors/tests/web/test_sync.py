"""A website through the whole sync: what is stored of it, and what a second sync changes."""

from collections.abc import Iterator

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from config.tests.web_server import Site, serve_site
from connectors.tests.web.sites import html, make_web_source
from connectors.web import visits
from sources.models import Chunk, Document, Source, SyncEvent
from sources.services.reading import list_read_in_part
from sources.syncing import runs, sync

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(visits, "pause", lambda seconds: None)
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        site.page("/", html("start", title="Start", links=["/a", "/b"]), ETag='"1"')
        site.page("/a", html("apples", title="A"), Last_Modified="Sat, 21 Nov 2026 06:00:00 GMT")
        site.page("/b", html("bananas", title="B"))
        yield site


@pytest.fixture
def source(tenant: Tenant, site: Site) -> Source:
    return sync_now(make_web_source(tenant, site.url))


def sync_now(source: Source) -> Source:
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    sync.sync_source(source.tenant, source.pk, run_id=run_id)
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def last_counts(source: Source) -> dict[str, int]:
    events = SyncEvent.objects.for_tenant(source.tenant).filter(source=source)
    counts: dict[str, int] = events.order_by("-created_at")[0].details["documents"]
    return counts


def test_every_page_is_a_document_and_every_chunk_names_its_address(source: Source, site: Site):
    documents = Document.objects.for_tenant(source.tenant).order_by("position")
    assert list(documents.values_list("title", "external_id", "etag", "last_modified")) == [
        ("Start", f"{site.url}/", '"1"', ""),
        ("A", f"{site.url}/a", "", "Sat, 21 Nov 2026 06:00:00 GMT"),
        ("B", f"{site.url}/b", "", ""),
    ]
    chunks = Chunk.objects.for_tenant(source.tenant).select_related("document")
    assert [chunk.location == chunk.document.external_id for chunk in chunks] == [True] * 3
    assert (source.sync_status, source.chunks_count) == ("synced", 3)
    assert last_counts(source)["added"] == 3


def test_a_second_sync_changes_only_what_has_changed(source: Source, site: Site):
    site.page("/a", html("apricots", title="A"))
    site.page("/b", status=404)
    source = sync_now(source)
    assert last_counts(source) == {
        "added": 0,
        "updated": 1,
        "removed": 1,
        "unchanged": 1,
        "failed": 0,
    }
    texts = Chunk.objects.for_tenant(source.tenant).values_list("text", flat=True)
    assert ["apricots" in text for text in texts].count(True) == 1
    assert not any("apples" in text or "bananas" in text for text in texts)


def test_a_website_that_is_down_leaves_what_is_indexed(source: Source, site: Site):
    site.page("/", status=404)
    source = sync_now(source)
    assert (source.sync_status, source.chunks_count) == ("error", 3)
    assert source.error_message.startswith("There is no page at this address (HTTP 404)")
    assert Chunk.objects.for_tenant(source.tenant).count() == 3


def test_what_the_plan_leaves_out_stands_in_the_status(
    admin_api: APIClient, source: Source, site: Site
):
    def details() -> dict[str, list[str]]:
        told: dict[str, list[str]] = admin_api.get(f"/ingest/sources/{source.pk}/status").json()[
            "details"
        ]
        return told

    assert details() == {"warnings": [], "warning_codes": []}
    plan = source.tenant.plan
    plan.max_pages_per_crawl = 2
    plan.save()
    source = sync_now(source)
    assert details() == {
        "warnings": [
            "Your plan's limit of 2 pages per website was reached. The rest was left out."
            " Pages found and not read: 1."
        ],
        "warning_codes": ["plan_pages_reached"],
    }
    assert list_read_in_part(source.tenant, [source.pk]) == {source.pk}
    plan.max_pages_per_crawl = 25
    plan.save()
    source = sync_now(source)
    assert details()["warnings"] == []
    assert list_read_in_part(source.tenant, [source.pk]) == set()


# --- One bad answer -------------------------------------------------------------------------------

PATHS = tuple("abcdef")
MAINTENANCE = html("our short break", title="Back soon")


@pytest.fixture
def large(tenant: Tenant, site: Site) -> Source:
    """Seven pages."""
    site.page("/", html("start", title="Start", links=[f"/{path}" for path in PATHS]))
    for path in PATHS:
        site.page(f"/{path}", html(f"the page {path}", title=path.upper()))
    return sync_now(make_web_source(tenant, site.url))


def titles(source: Source) -> list[str]:
    """What answers now."""
    rows = Document.objects.for_tenant(source.tenant).live().filter(source=source)
    return list(rows.order_by("position").values_list("title", flat=True))


def maintain(site: Site) -> None:
    for path in ("", *PATHS):
        site.page(f"/{path}", MAINTENANCE)


def send_to_sign_in(site: Site) -> None:
    site.page("/login", html("your name and password", title="Log in"))
    for path in PATHS[:3]:
        site.page(f"/{path}", status=302, Location="/login")


def forget_links(site: Site) -> None:
    site.page("/", html("start again", title="Start"))
    for path in PATHS:
        site.page(f"/{path}", status=302, Location="https://elsewhere.example/")


ONE_BAD_ANSWER = {
    "the same text at every address": (maintain, "loss_unconfirmed", {"Back soon"}),
    "pages that lead to the sign-in page": (
        send_to_sign_in,
        "replaced_by_one",
        {"Start", "D", "E", "F", "Log in"},
    ),
    "pages that lead elsewhere": (forget_links, "loss_unconfirmed", {"Start"}),
}


@pytest.mark.parametrize("answer", ONE_BAD_ANSWER)
def test_what_would_lose_most_pages_changes_nothing_until_a_second_sync_agrees(
    large: Source, site: Site, answer: str
):
    change, code, left = ONE_BAD_ANSWER[answer]
    before = titles(large)
    change(site)

    first = sync_now(large)
    assert (first.sync_status, first.error.code) == ("error", code)
    assert titles(first) == before

    second = sync_now(first)
    assert second.sync_status == "synced"
    assert set(titles(second)) == left


def test_a_website_that_is_back_answers_as_before(large: Source, site: Site):
    before = titles(large)
    maintain(site)
    sync_now(large)
    site.page("/", html("start", title="Start", links=[f"/{path}" for path in PATHS]))
    for path in PATHS:
        site.page(f"/{path}", html(f"the page {path}", title=path.upper()))

    source = sync_now(large)

    assert (source.sync_status, source.error_message) == ("synced", "")
    assert titles(source) == before
    maintain(site)  # the agreement of the bad sync is used up
    assert sync_now(source).sync_status == "error"


@pytest.mark.parametrize("status", [404, 410])
def test_pages_that_are_gone_by_their_own_word_are_removed_at_once(
    large: Source, site: Site, status: int
):
    site.page("/", html("start", title="Start"))
    for path in PATHS[:5]:
        site.page(f"/{path}", status=status)

    source = sync_now(large)

    assert source.sync_status == "synced"
    assert titles(source) == ["Start", "F"]


def test_two_of_three_pages_may_go(source: Source, site: Site):
    site.page("/", html("start", title="Start"))
    for path in ("/a", "/b"):
        site.page(path, status=302, Location="/")

    assert sync_now(source).sync_status == "synced"
    assert titles(source) == ["Start"]
