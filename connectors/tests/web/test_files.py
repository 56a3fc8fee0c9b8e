"""The files that pages link to: which are read, what a later sync asks for, and what is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from accounts.models import Tenant
from config.tests.web_server import Handler, Site, serve_site
from connectors.tests.web.sites import html, make_web_source, missing, told
from connectors.web import connector as connector_module
from connectors.web import visits
from connectors.web.connector import WebConnector
from connectors.web.files import place_file
from connectors.web.site import Site as Place
from reading.passages import ReadDocument
from reading.tests.sample_files import (
    SPANISH,
    make_csv,
    make_docx,
    make_pdf,
    make_pptx,
    make_xlsx,
)
from sources.connectors.interface import Failed, Item, LeftOut
from sources.models import Source
from sources.tests.connectors.context import FakeRun

PDF = "application/pdf"
PRICES = b"Tour;Price\nLighthouse;40 euros\nCoves;55 euros\n"


@pytest.fixture
def site(settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(visits, "pause", lambda seconds: None)
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


class Syncs:
    """The syncs of a website, one after the other: each knows what the one before has read."""

    def __init__(self, tenant: Tenant, site: Site) -> None:
        self.source: Source = make_web_source(tenant, site.url)
        self.source.tenant.plan.max_pages_per_crawl = 100
        self._site, self._run = site, FakeRun()
        self.items: Sequence[Item] = ()

    def read(self) -> list[str]:
        self._site.requests.clear()
        self.items = list(WebConnector().read(self.source, self._run))
        self._run = self._run.next(self.items)
        return told(self.items, self._site)

    def document(self, name: str) -> ReadDocument:
        found = [each for each in self.items if isinstance(each, ReadDocument)]
        return next(each for each in found if each.external_id.endswith(name))

    def failures(self) -> dict[str, str]:
        return {each.title: each.reason.code for each in self.items if isinstance(each, Failed)}


@pytest.fixture
def syncs(tenant: Tenant, site: Site) -> Syncs:
    return Syncs(tenant, site)


def text_of(document: ReadDocument) -> str:
    return "\n".join(passage.text for passage in document.passages)


# --- What is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "make", "says"),
    [
        ("Tarifas%202027.pdf", lambda: make_pdf(SPANISH), SPANISH.sections[0][1][:30]),
        ("precios.csv", lambda: make_csv(SPANISH), SPANISH.rows[1][0]),
        ("precios.XLSX", lambda: make_xlsx(SPANISH), SPANISH.rows[1][0]),
        ("folleto.docx", lambda: make_docx(SPANISH), SPANISH.sections[0][1][:30]),
        ("charla.pptx", lambda: make_pptx(SPANISH), SPANISH.sections[0][1][:30]),
    ],
)
def test_a_linked_document_is_read_as_an_upload_is(
    site: Site, syncs: Syncs, name: str, make: Callable[[], bytes], says: str
):
    site.page("/", html("start", links=["/about", f"/files/{name}?v=3"]))
    site.page("/about", html("about", links=[f"{site.url}/files/{name}?v=3#page=2"]))
    site.page(f"/files/{name}?v=3", make(), ETag='"1"')

    assert syncs.read() == ["/", "/about", f"/files/{name}?v=3"]

    document = syncs.document("v=3")
    assert document.title == name.replace("%20", " ")
    assert document.link == f"{site.url}/files/{name}?v=3"
    assert document.etag == '"1"'
    assert says in text_of(document)


def test_a_document_at_an_address_without_its_name_is_read(site: Site, syncs: Syncs):
    site.page("/", html("start", links=["/download?id=7"]))
    site.page("/download?id=7", PRICES, content_type="text/csv", ETag='"1"')
    assert syncs.read() == ["/", "/download?id=7"]
    assert "40 euros" in text_of(syncs.document("id=7"))


def test_a_start_page_below_a_path_takes_files_from_anywhere_on_the_host(
    site: Site, tenant: Tenant
):
    site.page("/docs/", html("docs", links=["/media/prices.csv"]))
    site.page("/media/prices.csv", PRICES)
    source = make_web_source(tenant, f"{site.url}/docs/")
    assert told(list(WebConnector().read(source, FakeRun())), site) == [
        "/docs/",
        "/media/prices.csv",
    ]


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("/a.pdf", "https://www.ferry.example/a.pdf"),
        ("http://ferry.example/a.pdf", "https://www.ferry.example/a.pdf"),
        ("https://cdn.ferry.example/a.PDF", "https://cdn.ferry.example/a.PDF"),
        ("https://a.b.ferry.example/a.csv?x=1", "https://a.b.ferry.example/a.csv?x=1"),
        ("https://otherferry.example/a.pdf", None),
        ("https://ferry.example.evil.example/a.pdf", None),
        ("https://cdn.ferry.example:8443/a.pdf", None),
        ("https://example/a.pdf", None),
        ("/photo.jpg", None),
        ("/archive.zip", None),
        ("/page?file=a.pdf", None),
        ("mailto:a@ferry.example/a.pdf", None),
    ],
)
def test_files_are_taken_from_the_host_and_its_subdomains(link: str, place: str | None):
    assert place_file(Place("https://www.ferry.example", "/docs/"), link) == place


# --- The next sync --------------------------------------------------------------------------------


def test_a_file_that_has_not_changed_is_not_sent_again(site: Site, syncs: Syncs):
    def respond(handler: Handler) -> None:
        is_known = handler.headers.get("If-None-Match") == '"1"'
        handler.answer(b"" if is_known else PRICES, 304 if is_known else 200, ETag='"1"')

    site.page("/", html("start", links=["/a.csv", "/b.csv"]), ETag='"s"')
    site.pages["/a.csv"] = respond
    site.page("/b.csv", PRICES + b"Bay;60 euros\n")
    assert syncs.read() == ["/", "/a.csv", "/b.csv"]
    site.page("/", status=304)  # and shows no links
    assert syncs.read() == ["= /", "= /a.csv", "= /b.csv"]

    site.page("/a.csv", PRICES + b"Islands;70 euros\n")
    assert syncs.read() == ["= /", "/a.csv", "= /b.csv"]
    assert "70 euros" in text_of(syncs.document("a.csv"))


def test_a_file_that_is_gone_goes(site: Site, syncs: Syncs):
    site.page("/", html("start", links=["/a.csv", "/never.csv"]))
    site.page("/a.csv", PRICES)
    assert syncs.read() == ["/", "/a.csv"]
    site.page("/a.csv", status=410)
    assert syncs.read() == ["= /"]
    assert missing(syncs.items, site) == ["/a.csv"]


# --- What is told ---------------------------------------------------------------------------------


def test_what_cannot_be_read_is_told_and_not_fetched_again_in_vain(site: Site, syncs: Syncs):
    links = ["/broken.pdf", "/login.pdf", "/away.pdf", "/forbidden.pdf", "/huge.pdf"]
    site.page("/", html("start", links=links))
    site.page("/broken.pdf", b"%PDF-1.7 and nothing else", ETag='"1"')
    site.page("/login.pdf", html("your name and password"))
    site.page("/away.pdf", status=302, Location="https://files.elsewhere.example/a.pdf")
    site.page("/forbidden.pdf", status=403)
    site.pages["/huge.pdf"] = send_huge

    assert syncs.read() == ["/", *(f"! {link}" for link in links)]
    before = syncs.failures()
    assert before == {
        "broken.pdf": "file_damaged",
        "login.pdf": "file_ending_contradicts",
        "away.pdf": "leads_to_other_website",
        "forbidden.pdf": "page_forbidden",
        "huge.pdf": "too_large_by_size",
    }

    site.page("/broken.pdf", status=304)
    syncs.read()
    assert syncs.failures() == before


def send_huge(handler: Handler) -> None:
    """Says how large it is, and sends nothing of it."""
    handler.send_response_only(200)
    handler.send_header("Content-Type", PDF)
    handler.send_header("Content-Length", str(10**11))
    handler.end_headers()
    handler.close_connection = True


def test_more_files_than_are_read_are_counted_and_named(
    site: Site, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connector_module, "FILES_MAX", 2)
    names = [f"{number}.csv" for number in range(7)]
    site.page("/", html("start", links=[f"/{name}" for name in names]), ETag='"1"')
    for number, name in enumerate(names):
        site.page(f"/{name}", PRICES + f"Tour {number};{number} euros".encode())

    assert syncs.read() == ["/", "/0.csv", "/1.csv", "left out: 5"]
    last = syncs.items[-1]
    assert isinstance(last, LeftOut)
    assert str(last.reason) == (
        "Files that the pages link to, found and not read: 5 (2.csv, 3.csv, 4.csv, …)."
        " Upload those that matter."
    )
    # Its page is asked for as a whole again: else nobody would know of the others.
    syncs.read()
    assert site.requests[1].headers.get("If-None-Match") is None


def test_files_count_as_pages_of_the_plan_and_come_last(site: Site, syncs: Syncs):
    syncs.source.tenant.plan.max_pages_per_crawl = 3
    site.page("/", html("start", links=["/a.csv", "/b.csv", "/a"]))
    site.page("/a", html("a"))
    for path in ("/a.csv", "/b.csv"):
        site.page(path, PRICES + path.encode())
    assert syncs.read() == ["/", "/a", "/a.csv", "left out: 1"]

    syncs.source.tenant.plan.max_pages_per_crawl = 1
    assert syncs.read() == ["= /", "left out: 2", "cut"]


def test_a_file_with_more_passages_than_the_plan_has_left_costs_no_page(site: Site, syncs: Syncs):
    plan = syncs.source.tenant.plan
    plan.blocks_overage, plan.max_passages = True, 5
    site.page("/", html("start", links=["/large.csv", "/small.csv"]))
    site.page("/large.csv", b"Tour;Price\n" + b"".join(b"%d;%d\n" % (n, n) for n in range(200)))
    site.page("/small.csv", b"Tour;Price\nLighthouse;40 euros\n")
    assert syncs.read() == ["/", "! /large.csv", "/small.csv"]
    assert syncs.failures() == {"large.csv": "linked_file_over_plan"}


def test_files_for_which_there_is_no_time_are_read_the_next_time(
    site: Site, syncs: Syncs, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(connector_module, "FILES_SECONDS", -1.0)
    site.page("/", html("start", links=["/a.csv"]), ETag='"1"')
    site.page("/a.csv", PRICES)
    assert syncs.read() == ["/", "! /a.csv"]
    monkeypatch.setattr(connector_module, "FILES_SECONDS", 60.0)
    site.page("/", status=304)
    assert syncs.read() == ["= /", "/a.csv"]
    monkeypatch.setattr(connector_module, "FILES_SECONDS", -1.0)
    assert syncs.read() == ["= /", "= /a.csv"]


# --- What is left alone ---------------------------------------------------------------------------


def test_robots_txt_and_internal_addresses_hold_for_files_too(site: Site, syncs: Syncs):
    with serve_site() as inner:
        inner.page("/secret.csv", PRICES)
        site.page("/robots.txt", "User-agent: *\nDisallow: /private", content_type="text/plain")
        links = ["/private/a.csv", "/to-private.csv", "/to-inner.csv", f"{inner.url}/secret.csv"]
        site.page("/", html("start", links=links))
        site.page("/private/a.csv", PRICES)
        site.page("/to-private.csv", status=302, Location="/private/a.csv")
        site.page("/to-inner.csv", status=302, Location=f"{inner.url}/secret.csv")
        assert syncs.read() == ["/", "! /to-private.csv", "! /to-inner.csv"]
        assert "/private/a.csv" not in site.paths
        assert inner.requests == []
