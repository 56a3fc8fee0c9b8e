"""What is told about a website before there is a source of it."""

from collections.abc import Iterator

import pytest

from accounts.models import Tenant
from config.tests.web_server import Handler, Site, serve_site
from connectors.tests.web.sites import WORDS, crawl, html, make_web_source, told
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


def bare(body: str, *, head: str = "", title: str = "Velomar") -> str:
    """A page with hardly any text."""
    return f"<!doctype html><html><head><title>{title}</title>{head}</head>{body}</html>"


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


# --- Start pages that only lead to others ---------------------------------------------------------

THIN_STARTS = {
    "a choice of languages": bare('<body><a href="/es/">Español</a> <a href="/en/">English</a>'),
    "a logo that is a link": bare('<body><a href="home.html"><img src="/logo.png"></a>'),
    "an image map": bare(
        '<body><img src="/m.png" usemap="#m"><map name="m"><area href="/en/"></map>'
    ),
    "frames": bare('<frameset cols="20%,*"><frame src="menu.html"><frame src="/en/"></frameset>'),
    "a frame in the page": bare('<body><h1>Velomar</h1><iframe src="/en/"></iframe>'),
    "a button with a script": bare(
        """<body><img src="/x.png"><button onclick="window.location.href='/en/'">Enter</button>"""
    ),
    "a script that goes on": bare('<body><script>location.replace("/en/");</script>'),
    "a page for scripts, beside a sitemap": bare(
        '<body><div id="root"></div><script src="/app.js"></script>'
    ),
    "a start page that asks not to be indexed": bare(
        '<body><a href="/en/">English</a>', head='<meta name="robots" content="noindex">'
    ),
}


@pytest.mark.parametrize("start", THIN_STARTS.values(), ids=THIN_STARTS.keys())
def test_a_thin_start_page_is_judged_by_the_pages_that_it_leads_to(
    site: Site, tenant: Tenant, start: str
):
    site.page("/", start)
    for path in ("/es/", "/en/", "/home.html"):
        site.page(path, long_page(title="Tours"))
    site.page("/menu.html", bare('<body><a href="/en/" target="main">Tours</a>'))
    if "root" in start:
        site.page("/sitemap.xml", sitemap(f"{site.url}/en/"), content_type="text/xml")

    found = check_site(f"{site.url}/", max_pages=25)

    assert (found.is_indexable, found.error, found.sample_title) == (True, None, "Tours")
    read = told(crawl(make_web_source(tenant, f"{site.url}/")), site)
    assert {"/es/", "/en/", "/home.html"} & set(read)


@pytest.mark.parametrize(
    ("start", "reason"),
    [
        (bare('<body><a href="/a">A</a> <a href="/b">B</a>'), "page_too_short"),
        (bare('<body><div id="root"></div><script src="/app.js"></script>'), "single_page_app"),
        (bare("<body><p>Hi", head='<meta name="robots" content="noindex">'), "page_noindex"),
    ],
)
def test_a_thin_start_page_that_leads_to_no_text_is_refused(site: Site, start: str, reason: str):
    site.page("/", start)
    site.page("/a", bare("<body><p>Soon."))
    assert code_of(check_site(f"{site.url}/", max_pages=25)) == reason


@pytest.mark.parametrize("name", ["menu.pdf", "files/prices.xlsx", "timetable.csv"])
def test_a_thin_start_page_that_links_to_documents_can_be_indexed(site: Site, name: str):
    site.page("/", bare(f'<body><h1>Velomar</h1><a href="{name}">Read it</a>'))
    found = check_site(f"{site.url}/", max_pages=25)
    assert (found.is_indexable, found.sample_title) == (True, "Velomar")


def test_only_some_pages_behind_a_thin_start_page_are_looked_at(site: Site):
    paths = [f"/{number}" for number in range(40)]
    site.page("/", bare("<body>" + "".join(f'<a href="{path}">x</a>' for path in paths)))
    for path in paths:
        site.page(path, bare("<body><p>Soon."))
    assert not check_site(f"{site.url}/", max_pages=25).is_indexable
    assert site.paths == ["/robots.txt", "/", "/sitemap.xml", *paths[:5]]


def test_pages_that_robots_txt_forbids_are_not_looked_at(site: Site):
    robots(site, "User-agent: *", "Disallow: /en/")
    site.page("/", bare('<body><a href="/en/">English</a>'))
    site.page("/en/", long_page())
    assert code_of(check_site(f"{site.url}/", max_pages=25)) == "page_too_short"
    assert "/en/" not in site.paths


# --- A page that sends on by itself ---------------------------------------------------------------


def refreshing(target: str, *, seconds: str = "0", text: str = "") -> str:
    head = f'<meta http-equiv="Refresh" content="{seconds}; URL={target}">'
    return bare(f"<body><p>{text}", head=head)


def code_of(found: Preflight) -> str:
    assert found.error is not None
    return found.error.code


@pytest.mark.parametrize(
    ("start", "header"),
    [
        (refreshing("/es/inicio.html"), {}),
        (refreshing("'es/inicio.html'", seconds="3", text="You will be taken to our website."), {}),
        (bare("<body>"), {"Refresh": "1;url=/es/inicio.html"}),
    ],
)
def test_a_refresh_is_followed_as_a_redirect(site: Site, tenant: Tenant, start: str, header):
    site.page("/", start, **header)
    site.page("/es/inicio.html", long_page(title="Inicio", links=["/es/precios"]))
    site.page("/es/precios", html("precios"))

    found = check_site(f"{site.url}/", max_pages=25)

    assert (found.is_indexable, found.sample_title, found.pages_found) == (True, "Inicio", 2)
    assert site.paths.count("/robots.txt") == 1
    read = told(crawl(make_web_source(tenant, f"{site.url}/")), site)
    assert read == ["/es/inicio.html", "/es/precios"]


def test_a_refresh_to_itself_or_after_a_while_leads_nowhere(site: Site, tenant: Tenant):
    head = '<meta http-equiv="refresh" content="0; url=/?utm_source=self">'
    site.page("/", long_page(title="News", head=head, links=["/later"]))
    late = '<meta http-equiv="refresh" content="300; url=/other">'
    site.page("/later", long_page(title="Later", head=late).replace("Later", "Later still"))
    site.page("/other", html("other"))
    assert check_site(f"{site.url}/", max_pages=25).sample_title == "News"
    read = told(crawl(make_web_source(tenant, f"{site.url}/")), site)
    assert read == ["/", "/later", "/other"]


def test_a_refresh_for_browsers_without_scripts_takes_no_page_away(site: Site, tenant: Tenant):
    head = '<noscript><meta http-equiv="refresh" content="0; url=/no-script"></noscript>'
    site.page("/", long_page(title="Tours", head=head))
    site.page("/no-script", html("please use another browser"))
    assert check_site(f"{site.url}/", max_pages=25).sample_title == "Tours"
    read = told(crawl(make_web_source(tenant, f"{site.url}/")), site)
    assert read == ["/", "/no-script"]


def test_a_refresh_is_judged_as_a_redirect_is(site: Site):
    def code(target: str) -> str:
        site.page("/", refreshing(target))
        return code_of(check_site(f"{site.url}/", max_pages=25))

    site.page("/b", refreshing("/c"))
    site.page("/c", refreshing("/b"))
    for number in range(10):
        site.page(f"/on/{number}", refreshing(f"/on/{number + 1}"))
    robots(site, "User-agent: *", "Disallow: /private")
    assert code("https://elsewhere.example/") == "leads_to_other_website"
    assert code("/b") == "website_redirects_in_circle"
    assert code("/on/0") == "website_redirects_in_circle"
    assert "/on/5" not in site.paths
    assert code("/private/x") == "robots_txt_forbids"
    assert code("/gone") == "page_not_found"


def test_a_refresh_to_an_internal_address_is_not_followed(site: Site):
    with serve_site() as inner:
        inner.page("/", long_page(title="secret"))
        site.page("/", refreshing(f"{inner.url}/"))
        assert not check_site(f"{site.url}/", max_pages=25).is_indexable
        assert inner.requests == []


def test_a_server_that_says_not_modified_unasked_is_refused(site: Site):
    site.page("/", status=304)
    assert code_of(check_site(f"{site.url}/", max_pages=25)) == "website_refuses"
