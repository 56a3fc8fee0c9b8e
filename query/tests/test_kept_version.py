"""A website in maintenance, and workers that are killed while they read it: its last version
answers until a whole second sync has found the same, however many die in between.

Real processes, a real `kill -9` at a page that is held back, the real model.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from uuid import UUID

import pytest

from accounts.models import Tenant
from config.tests.web_server import Handler, Site, serve_site
from query.pipeline import find_for_text
from query.tests.test_zero_gap import SyncProcess, let_lease_end
from sources.models import Document, Source, SyncStatus
from sources.syncing import runs

PATHS = ("/", "/fares", "/islands", "/groups", "/bicycles")
QUESTION = "What does the ferry to the islands cost?"
WAIT_SECONDS = 60

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class Website:
    """A website whose pages can be held back: `asked` tells that a worker waits for one."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.host, self.url = site.host, f"{site.url}/"
        self.asked, self.released = threading.Event(), threading.Event()

    def show(self, texts: dict[str, str]) -> None:
        for path, text in texts.items():
            self._site.page(path, text)

    def hold(self, path: str) -> None:
        self.asked, self.released = threading.Event(), threading.Event()
        asked, released, respond = self.asked, self.released, self._site.pages[path]

        def wait(handler: Handler) -> None:
            asked.set()
            released.wait(WAIT_SECONDS)
            respond(handler)

        self._site.pages[path] = wait


def page(title: str, text: str) -> str:
    links = "".join(f'<a href="{path}">{path}</a>' for path in PATHS)
    body = f"<main><h1>{title}</h1><p>{text} {title} is told on this page alone.</p></main>"
    return f"<!doctype html><title>{title}</title>{body}<nav>{links}</nav>"


OPEN = {
    path: page(f"Ferry {path}", f"The ferry to the islands costs {number} euros {path}.")
    for number, path in enumerate(PATHS, 20)
}
CLOSED = dict.fromkeys(PATHS, page("Back soon", "We are repairing our website for a short while."))


@pytest.fixture
def website() -> Iterator[Website]:
    with serve_site() as site:
        website = Website(site)
        website.show(OPEN)
        yield website
        website.released.set()


@pytest.fixture
def source(committed_tenant: Tenant, website: Website) -> Source:
    return Source.objects.for_tenant(committed_tenant).create(
        name="Ferry", source_type="web", source_url=website.url
    )


class Workers:
    """Processes that read the website: one works, and the next one takes over when it is killed."""

    def __init__(self, source: Source, host: str) -> None:
        self._source, self._host = source, host
        self._all = [self._start()]
        self._all[0].wait_for("ready")

    def _start(self) -> SyncProcess:
        return SyncProcess(FETCH_ALLOWED_HOSTS=[self._host])

    def sync(self) -> Source:
        self._begin()
        return self._finish()

    def sync_and_die(self, website: Website, *, at: str) -> Source:
        """The worker is killed while it waits for the page `at`, and another one has its run."""
        before = titles(self._source)
        website.hold(at)
        run_id = self._begin()
        assert website.asked.wait(WAIT_SECONDS)
        self._all.append(self._start())
        self._all[-2].kill()
        assert titles(self._source) == before
        let_lease_end(self._source)
        website.released.set()
        self._all[-1].wait_for("ready")
        self._all[-1].begin(self._source, run_id)
        return self._finish()

    def _begin(self) -> UUID:
        run_id = runs.begin_run(self._source.tenant, self._source.pk)
        assert run_id is not None
        self._all[-1].begin(self._source, run_id)
        return run_id

    def _finish(self) -> Source:
        self._all[-1].wait_for("done")
        return Source.objects.for_tenant(self._source.tenant).get(pk=self._source.pk)

    def end(self) -> None:
        for process in self._all:
            process.kill()


@pytest.fixture
def workers(source: Source, website: Website) -> Iterator[Workers]:
    workers = Workers(source, website.host)
    yield workers
    workers.end()


def titles(source: Source) -> set[str]:
    rows = Document.objects.for_tenant(source.tenant).live().filter(source=source)
    return set(rows.values_list("title", flat=True))


def answers(source: Source) -> bool:
    """True if readers find what the website says when it is open."""
    found = find_for_text(source.tenant, QUESTION).chunks
    return any("euros" in chunk.text for chunk in found)


def test_a_website_in_maintenance_is_believed_when_a_whole_second_sync_agrees(
    source: Source, website: Website, workers: Workers
) -> None:
    assert workers.sync().sync_status == SyncStatus.SYNCED
    before = titles(source)
    assert (len(before), answers(source)) == (len(PATHS), True)
    website.show(CLOSED)

    first = workers.sync_and_die(website, at="/groups")
    assert first.error is not None
    assert (first.sync_status, first.error.code) == (SyncStatus.ERROR, "loss_unconfirmed")
    assert (titles(source), answers(source)) == (before, True)

    second = workers.sync_and_die(website, at="/islands")
    assert (second.sync_status, second.may_lose) == (SyncStatus.SYNCED, False)
    assert (titles(source), answers(source)) == ({"Back soon"}, False)


def test_a_website_that_is_back_before_the_second_sync_has_lost_nothing(
    source: Source, website: Website, workers: Workers
) -> None:
    workers.sync()
    before = titles(source)
    website.show(CLOSED)
    assert workers.sync_and_die(website, at="/fares").sync_status == SyncStatus.ERROR
    website.show(OPEN)

    second = workers.sync_and_die(website, at="/bicycles")

    assert (second.sync_status, second.may_lose) == (SyncStatus.SYNCED, False)
    assert (titles(source), answers(source)) == (before, True)
