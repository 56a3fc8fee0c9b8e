"""A website through the whole sync: what is stored of it, and what a second sync changes."""

from collections.abc import Iterator

import pytest

from accounts.models import Tenant
from config.tests.web_server import Site, serve_site
from connectors.tests.web.sites import html, make_web_source
from connectors.web import visits
from sources.models import Chunk, Document, Source, SyncEvent
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
