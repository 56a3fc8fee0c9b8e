"""What is told about a website before there is a source of it."""

from collections.abc import Iterator

import pytest

from config.tests.web_server import Handler, Site, serve_site
from connectors.tests.web.sites import WORDS, html
from connectors.tests.web.test_crawl import robots, sitemap
from connectors.web import preflight, visits
from connectors.web.preflight import check_site
from sources.connectors.interface import Preflight


@pytest.fixture
def site(settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(visits, "pause", lambda seconds: None)
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


def long_page(**over) -> str:
    return html(". ".join([WORDS] * 3), **over)


def test_an_indexable_site_tells_its_pages_and_a_title(site: Site):
    robots(site, "User-agent: *", "Disallow: /private")
    links = ["/a", "/a#b", "/private/c", "/d.pdf", "https://other.example/"]
    site.page("/", long_page(title="Velomar tours", links=links))
    site.page("/sitemap.xml", sitemap(f"{site.url}/a", f"{site.url}/s"), content_type="text/xml")
    assert check_site(f"{site.url}/", max_pages=25) == Preflight(
        is_indexable=True, pages_found=3, max_pages=25, sample_title="Velomar tours"
    )
    assert site.paths == ["/robots.txt", "/", "/sitemap.xml"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"body": html("short")[:300]}, "too little text"),
        ({"body": long_page(head='<meta name="robots" content="noindex">')}, "noindex"),
        ({"body": '<div id="app"></div><script src="/a.js"></script>'}, "single-page app"),
        (
            {
                "body": "<title>Just a moment...</title><script src="
                '"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>'
            },
            "bot protection",
        ),
        ({"status": 403, "Server": "cloudflare"}, "bot protection"),
        ({"status": 403, "Server": "AkamaiGHost"}, "bot protection"),
        ({"status": 503, "body": '<div class="g-recaptcha">'}, "bot protection"),
        ({"status": 403, "Server": "nginx"}, "HTTP 403"),
        ({"status": 404}, "HTTP 404"),
        ({"status": 500}, "HTTP 500"),
        ({"body": "{}", "content_type": "application/json"}, "not a web page but application/json"),
        ({"status": 301, "Location": "https://other.example/"}, "https://other.example/"),
        ({"body": "text", "Content_Encoding": "br"}, "encoding"),
    ],
)
def test_a_site_that_cannot_be_indexed_says_why(site: Site, answer, reason: str):
    site.page("/", **answer)
    result = check_site(f"{site.url}/", max_pages=25)
    assert (result.is_indexable, result.pages_found, result.sample_title) == (False, 0, "")
    assert str(reason) in str(result.error)


def test_robots_txt_that_forbids_the_page_is_a_reason(site: Site):
    robots(site, "User-agent: *", "Disallow: /")
    assert "robots.txt does not allow" in str(check_site(f"{site.url}/", max_pages=25).error)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://nowhere.invalid/", "nowhere.invalid was not found"),
        ("http://127.0.0.1:8009/", "not on the public internet"),
        ("no address", "not the address of a website"),
    ],
)
def test_an_address_that_leads_nowhere_is_a_reason(site: Site, url: str, reason: str):
    assert str(reason) in str(check_site(url, max_pages=25).error)


def test_a_site_that_asks_to_come_back_later_is_not_waited_for(site: Site):
    site.page("/", status=503, Retry_After="20")
    assert "HTTP 503" in str(check_site(f"{site.url}/", max_pages=25).error)
    assert site.paths == ["/robots.txt", "/"]


def wait_for_the_end(handler: Handler) -> None:
    handler.server.stopping.wait(30)


def test_a_site_that_does_not_answer_is_not_waited_for(site: Site, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(preflight, "PREFLIGHT_SECONDS", 0.3)
    site.pages["*"] = wait_for_the_end
    assert "in time" in str(check_site(f"{site.url}/", max_pages=25).error)
