"""What a crawl reads of a website, and what it leaves alone."""

import gzip
import re
from collections.abc import Callable, Iterator

import pytest

from accounts.models import Tenant
from config.tests.web_server import Handler, Site, serve_site
from connectors.tests.web.sites import (
    crawl,
    html,
    known_after,
    make_web_source,
    missing,
    told,
)
from connectors.web import connector as connector_module
from connectors.web import crawl as crawl_module
from connectors.web import visits
from connectors.web.connector import WebConnector
from reading.passages import ChunkLevel, ReadDocument
from reasons import Reason, join_reasons
from sources.connectors.interface import Cut, Failed
from sources.errors import OriginUnavailable, SyncFailed
from sources.tests.connectors.context import FakeRun

Read = Callable[..., list[str]]


@pytest.fixture
def site(settings) -> Iterator[Site]:
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without making them."""
    made: list[float] = []
    monkeypatch.setattr(visits, "pause", made.append)
    return made


@pytest.fixture
def read(site: Site, tenant: Tenant) -> Read:
    """`read("/docs/")`: what a first sync tells."""
    return lambda path="/", limit=25: told(crawl(source_of(tenant, site, path, limit)), site)


def source_of(tenant: Tenant, site: Site, path: str = "/", limit: int = 25):
    source = make_web_source(tenant, site.url + path)
    source.tenant.plan.max_pages_per_crawl = limit
    return source


def pages_fetched(site: Site) -> list[str]:
    return [path for path in site.paths if path not in ("/robots.txt", "/sitemap.xml")]


# --- Documents ------------------------------------------------------------------------------------


def test_each_page_is_a_document_with_its_title_address_and_validators(site: Site, tenant: Tenant):
    site.page(
        "/", html("prices", title="Prices", links=["/"]), ETag='"1"', Last_Modified="yesterday"
    )
    (document,) = crawl(source_of(tenant, site))
    assert isinstance(document, ReadDocument)
    assert (document.external_id, document.title) == (f"{site.url}/", "Prices")
    assert (document.content_type, document.warnings) == ("text/html", ())
    assert (document.etag, document.last_modified) == ('"1"', "yesterday")
    (passage,) = document.passages
    assert passage.location == f"{site.url}/"
    assert passage.level == ChunkLevel.SECTION
    assert "prices. The workshop opens" in passage.text


def test_a_long_address_is_a_whole_locator(site: Site, tenant: Tenant):
    path = "/" + "a" * 1500
    site.page(path, html("far away"))
    (document,) = crawl(source_of(tenant, site, path))
    assert isinstance(document, ReadDocument)
    assert document.passages[0].location == site.url + path


def test_navigation_is_no_text(site: Site, tenant: Tenant):
    site.page("/", html("prices", links=["/opening-hours"]))
    (document,) = crawl(source_of(tenant, site))
    assert isinstance(document, ReadDocument)
    assert "opening-hours" not in " ".join(passage.text for passage in document.passages)


def test_a_run_reports_how_far_it_is(site: Site, tenant: Tenant):
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/a", html("a"))
    site.page("/b", html("b"))
    run = FakeRun()
    list(WebConnector().read(source_of(tenant, site), run))
    assert run.reports == [(2, 3), (3, 3)]


def test_known_pages_that_are_no_more_are_told_with_what_became_of_them(site: Site, tenant: Tenant):
    site.page("/", html("start", links=["/a", "/b", "/c", "/d"]))
    for path in "abcd":
        site.page(f"/{path}", html(f"the page {path}"))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/a", status=404)
    site.page("/b", status=301, Location="/d")
    site.page("/c", html("the page d"))

    items = crawl(source, known)

    assert sorted(missing(items, site)) == ["/a", "/b → /d", "/c → /d"]


# --- Scope and order ------------------------------------------------------------------------------


def test_pages_come_from_the_start_then_its_links_then_the_sitemap_then_other_links(
    site: Site, read: Read
):
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/a", html("a", links=["/a2"]))
    site.page("/b", html("b", links=["/b2"]))
    for path in ("/s", "/a2", "/b2"):
        site.page(path, html(path))
    site.page("/sitemap.xml", sitemap(f"{site.url}/s", f"{site.url}/b"), content_type="text/xml")
    assert read() == ["/", "/a", "/b", "/s", "/a2", "/b2"]


def test_old_news_of_the_sitemap_do_not_push_out_what_the_start_page_links(
    site: Site, tenant: Tenant
):
    news = [f"/news/{number}" for number in range(24)]
    site.page("/", html("start", links=["/fares", "/timetable"]))
    for path in ("/fares", "/timetable", "/about/us", "/groups/schools", *news):
        site.page(path, html(path, title=path))
    urls = [f"{site.url}{path}" for path in (*news, "/about/us", "/groups/schools")]
    site.page("/sitemap.xml", sitemap(*urls), content_type="text/xml")
    items = crawl(source_of(tenant, site, limit=7))
    assert told(items, site) == [
        *("/", "/fares", "/timetable"),
        *("/news/0", "/about/us", "/groups/schools", "/news/1"),
        "cut",
    ]


def test_pages_of_a_sitemap_come_by_priority_and_last_change(site: Site, read: Read):
    entries = [
        ("/old", "<lastmod>2019-03-01</lastmod>"),
        ("/low", "<priority>0.1</priority><lastmod>2026-11-01</lastmod>"),
        ("/new", "<lastmod>2026-10-01T10:00:00+02:00</lastmod>"),
        ("/top", "<priority>1.0</priority>"),
    ]
    site.page("/", html("start"))
    urls = "".join(f"<url><loc>{site.url}{path}</loc>{told}</url>" for path, told in entries)
    site.page("/sitemap.xml", f"<urlset>{urls}</urlset>", content_type="text/xml")
    for path, _ in entries:
        site.page(path, html(path))
    assert read(limit=4) == ["/", "/top", "/new", "/old", "cut"]


def test_start_page_that_has_not_changed_keeps_its_links_before_new_pages_of_the_sitemap(
    site: Site, tenant: Tenant
):
    site.page("/", html("start", links=["/fares"]), ETag='"1"')
    site.page("/fares", html("fares"))
    source = source_of(tenant, site, limit=2)
    known = known_after(crawl(source))
    site.page("/", status=304, ETag='"1"')
    site.page("/news/1", html("news"))
    site.page("/sitemap.xml", sitemap(f"{site.url}/news/1"), content_type="text/xml")
    assert told(crawl(source, known), site) == ["= /", "= /fares", "cut"]


def test_only_pages_below_the_start_path_are_read(site: Site, read: Read):
    site.page(
        "/docs/", html("docs", links=["/docs/a", "/", "/shop", "https://other.example/docs/"])
    )
    site.page("/docs/a", html("a"))
    assert read("/docs/") == ["/docs/", "/docs/a"]
    assert pages_fetched(site) == ["/docs/", "/docs/a"]


def test_relative_links_follow_the_base_of_the_page(site: Site, read: Read):
    site.page("/", html("start", links=["a"], head=f'<base href="{site.url}/below/">'))
    site.page("/below/a", html("a"))
    assert read() == ["/", "/below/a"]


def test_pictures_are_not_fetched_and_what_is_neither_html_nor_a_document_is_left_out(
    site: Site, read: Read
):
    site.page("/", html("start", links=["/photo.jpg", "/data", "/backup.zip"]))
    site.page("/data", "{}", content_type="application/json")
    assert read() == ["/"]
    assert pages_fetched(site) == ["/", "/data"]


def test_pages_that_are_gone_are_left_out(site: Site, read: Read):
    site.page("/", html("start", links=["/404", "/410", "/401"]))
    site.page("/410", status=410)
    site.page("/401", status=401)
    assert read() == ["/"]


# --- The same page twice --------------------------------------------------------------------------


def test_addresses_that_differ_in_tracking_and_fragment_are_one_page(site: Site, read: Read):
    site.page("/", html("start", links=["/a?utm_source=x", "/a#part", "/a", "?fbclid=1"]))
    site.page("/a", html("a"))
    assert read() == ["/", "/a"]
    assert pages_fetched(site) == ["/", "/a"]


def test_a_canonical_link_folds_pages(site: Site, read: Read):
    head = f'<link rel="canonical" href="{site.url}/shoes">'
    site.page("/", html("start", links=["/shoes?sort=price", "/shoes?sort=name"]))
    site.page("/shoes?sort=price", html("by price", head=head))
    site.page("/shoes?sort=name", html("by name", head=head))
    site.page("/shoes", html("shoes", head=head))
    assert read() == ["/", "/shoes"]


def test_a_canonical_page_that_is_not_there_folds_nothing(site: Site, read: Read):
    site.page("/", html("start", links=["/print"]))
    site.page("/print", html("print", head='<link rel="canonical" href="/gone">'))
    assert read() == ["/", "/print"]


def test_a_start_page_as_the_canonical_of_all_pages_is_a_mistake(site: Site, read: Read):
    head = f'<link rel="canonical" href="{site.url}/">'
    site.page("/", html("start", links=["/a"], head=head))
    site.page("/a", html("a", head=head))
    assert read() == ["/", "/a"]


def test_a_canonical_link_to_another_site_folds_nothing(site: Site, read: Read):
    site.page("/", html("start", head='<link rel="canonical" href="https://other.example/">'))
    assert read() == ["/"]


def test_pages_of_the_same_text_are_one_document(site: Site, read: Read):
    site.page("/", html("start", links=["/a", "/copy"]))
    site.page("/a", html("the same", head="<meta name=token content=1>"))
    site.page("/copy", html("the same", head="<meta name=token content=2>"))
    assert read() == ["/", "/a"]


def test_redirects_within_the_site_lead_to_one_document(site: Site, read: Read):
    site.page("/", html("start", links=["/old", "/new", "/away", "/loop"]))
    site.page("/old", status=301, Location="/new")
    site.page("/new", html("new"))
    site.page("/away", status=302, Location="https://other.example/")
    site.page("/loop", status=302, Location="/loop2")
    site.page("/loop2", status=302, Location="/loop")
    assert read() == ["/", "/new"]
    assert pages_fetched(site).count("/new") == 1


def test_a_redirect_to_a_private_address_is_left_out(site: Site, read: Read):
    with serve_site() as inner:
        inner.page("/", html("secret"))
        site.page("/", html("start", links=["/in"]))
        site.page("/in", status=302, Location=f"{inner.url}/")
        assert read() == ["/"]
        assert inner.requests == []


def refresh_to(target: str, seconds: int = 0) -> str:
    return f'<meta http-equiv="refresh" content="{seconds}; url={target}">'


def test_a_page_that_sends_on_by_itself_is_no_document(site: Site, tenant: Tenant):
    links = ["/old", "/a", "/b", "/moved", "/download"]
    site.page("/", html("start", links=links))
    site.page("/old", html("we have moved", head=refresh_to("/new", 5)))
    site.page("/new", html("new"))
    site.page("/a", html("round a", head=refresh_to("/b")))
    site.page("/b", html("round b", head=refresh_to("/a")))
    # What it leads to is not read here: its own text is all that there is.
    site.page("/moved", html("moved", head=refresh_to("https://elsewhere.example/", 3)))
    site.page("/download", html("your download begins", head=refresh_to("/setup.exe", 3)))

    items = crawl(source_of(tenant, site))

    assert told(items, site) == ["/", "/new", "/moved", "/download"]


def test_a_known_page_that_now_sends_on_is_replaced(site: Site, tenant: Tenant):
    site.page("/", html("start", links=["/old"]))
    site.page("/old", html("prices"))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/old", html("we have moved", head=refresh_to("/new")))
    site.page("/new", html("new prices"))
    items = crawl(source, known)
    assert (told(items, site), missing(items, site)) == (["= /", "/new"], ["/old → /new"])


def test_the_pages_of_a_sitemap_are_read_behind_the_shell_of_an_application(site: Site, read: Read):
    shell = "<title>Shop</title><div id='app'>Loading</div><script src='/app.js'></script>"
    for path in ("/", "/cart"):
        site.page(path, shell.replace("Shop", f"Shop {path}"))
    site.page("/help/prices", html("prices"))
    urls = [f"{site.url}/cart", f"{site.url}/help/prices"]
    site.page("/sitemap.xml", sitemap(*urls), content_type="text/xml")
    assert read() == ["/help/prices"]


def test_what_stands_on_most_pages_is_indexed_once(site: Site, tenant: Tenant):
    paths = [f"/{number}" for number in range(5)]
    notice = "<h2>Notice</h2><p>Closed on the first Monday of every month for inventory.</p>"
    for path in ("/", *paths):
        page = html(f"page {path}", title=path, links=paths)
        site.page(path, page.replace("</main>", f"{notice}</main>"))
    documents = crawl(source_of(tenant, site))
    texts = [
        "\n".join(p.text + p.section_title for p in document.passages)
        for document in documents
        if isinstance(document, ReadDocument)
    ]
    assert len(texts) == 6
    assert ["inventory" in text for text in texts] == [True] + [False] * 5
    assert ["Notice" in text for text in texts] == [True] + [False] * 5


# --- What websites ask of robots ------------------------------------------------------------------


def robots(site: Site, *lines: str) -> None:
    site.page("/robots.txt", "\n".join(lines), content_type="text/plain")


def test_robots_txt_is_obeyed(site: Site, read: Read):
    robots(site, "User-agent: *", "Disallow: /private", "Allow: /private/open", "Disallow: /*.php$")
    site.page("/", html("start", links=["/private/a", "/private/open", "/x.php", "/x.php5"]))
    site.page("/private/open", html("open"))
    site.page("/x.php5", html("five"))
    assert read() == ["/", "/private/open", "/x.php5"]
    assert pages_fetched(site) == ["/", "/private/open", "/x.php5"]


def test_rules_for_us_win_over_rules_for_all(site: Site, read: Read):
    robots(site, "User-agent: GoogleBot", "User-agent: knowledgeagents", "Disallow: /a", "",
           "User-agent: *", "Disallow: /")  # fmt: skip
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/b", html("b"))
    assert read() == ["/", "/b"]


def test_a_version_in_robots_txt_does_not_matter(site: Site, read: Read):
    robots(site, "User-agent: *", "Disallow: /", "user agent: KnowledgeAgents/1.0", "Allow: /")
    site.page("/", html("start"))
    assert read() == ["/"]


def test_rules_for_others_are_not_ours(site: Site, read: Read):
    robots(site, "User-agent: GoogleBot", "Disallow: /", "User-agent: knowledge", "Disallow: /")
    site.page("/", html("start"))
    assert read() == ["/"]


def test_a_disallowed_start_page_is_an_error_that_says_so(site: Site, read: Read):
    robots(site, "User-agent: *", "Disallow: /docs")
    with pytest.raises(SyncFailed, match=r"robots\.txt does not allow"):
        read("/docs/")
    assert site.paths == ["/robots.txt"]


def test_a_start_page_that_redirects_to_a_disallowed_page_is_an_error(site: Site, read: Read):
    robots(site, "User-agent: *", "Disallow: /login")
    site.page("/", status=302, Location="/login")
    site.page("/login", html("login"))
    with pytest.raises(SyncFailed, match=r"robots\.txt does not allow"):
        read()


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_no_robots_txt_allows_all(site: Site, read: Read, status: int):
    site.page("/robots.txt", "User-agent: *\nDisallow: /", status=status)
    site.page("/", html("start"))
    assert read() == ["/"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_robots_txt_that_fails_forbids_all_for_now(site: Site, read: Read, status: int):
    site.page("/robots.txt", status=status)
    with pytest.raises(OriginUnavailable, match=r"robots\.txt answers with an error"):
        read()
    assert set(site.paths) == {"/robots.txt"}


def test_only_the_first_500_kb_of_robots_txt_count(site: Site, read: Read):
    robots(site, "User-agent: *", "Disallow: /a", "#" * 500 * 1024, "Disallow: /b")
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/b", html("b"))
    assert read() == ["/", "/b"]


def test_a_robots_txt_with_thousands_of_names_and_rules_is_read_at_once(site: Site, read: Read):
    names = [f"User-agent: bot{number}" for number in range(8000)]
    rules = [f"Disallow: /*{number}*x" for number in range(8000)]
    robots(site, *names, "User-agent: *", *rules)
    site.page("/", html("start", links=["/a", "/1-x"]))
    site.page("/a", html("a"))
    assert read() == ["/", "/a"]


@pytest.mark.parametrize(
    ("asked", "waited"), [("2.5", 2.5), ("3600", 10.0), ("-1", 0.1), ("nan", 0.1)]
)
def test_the_crawl_delay_is_kept_up_to_ten_seconds(
    site: Site, read: Read, pauses: list[float], asked: str, waited: float
):
    robots(site, "User-agent: *", f"Crawl-delay: {asked}")
    site.page("/", html("start", links=["/a"]))
    site.page("/a", html("a"))
    read()
    assert max(pauses) == pytest.approx(waited, abs=0.05)


def test_pages_that_ask_not_to_be_indexed_are_not_but_their_links_are_followed(
    site: Site, read: Read
):
    site.page("/", html("start", links=["/meta", "/header", "/other"]))
    site.page("/meta", html("m", links=["/below"], head='<meta name="robots" content="NOINDEX">'))
    site.page("/header", html("h"), X_Robots_Tag="noindex, nofollow")
    site.page("/other", html("o"), X_Robots_Tag="otherbot: noindex, nofollow")
    site.page("/below", html("b"))
    assert read() == ["/", "/other", "/below"]


def test_links_of_pages_that_say_nofollow_are_not_followed(site: Site, read: Read):
    site.page("/", html("start", links=["/a"]))
    site.page("/a", html("a", links=["/b"], head='<meta name="robots" content="nofollow">'))
    site.page("/b", html("b"))
    assert read() == ["/", "/a"]


# --- Sitemaps -------------------------------------------------------------------------------------


def sitemap(*urls: str, root: str = "urlset", item: str = "url") -> str:
    entries = "".join(f"<{item}><loc>{url}</loc></{item}>" for url in urls)
    return f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'


def test_sitemaps_are_those_that_robots_txt_names_with_indexes_and_gzip(site: Site, read: Read):
    robots(site, f"Sitemap: {site.url}/index.xml")
    index = sitemap(f"{site.url}/1.xml.gz", f"{site.url}/2.xml", f"{site.url}/index.xml",
                    root="sitemapindex", item="sitemap")  # fmt: skip
    site.page("/index.xml", index, content_type="application/xml")
    packed = gzip.compress(sitemap(f"{site.url}/a", "https://other.example/").encode())
    site.page("/1.xml.gz", packed, content_type="application/gzip")
    site.page("/2.xml", sitemap(f"{site.url}/b"), content_type="application/xml")
    for path in ("/", "/a", "/b"):
        site.page(path, html(path))
    assert read() == ["/", "/a", "/b"]
    assert "/sitemap.xml" not in site.paths


@pytest.mark.parametrize("body", ["<urlset><url>", "no sitemap", "", html("soft 404")])
def test_a_broken_sitemap_costs_nothing_but_its_addresses(site: Site, read: Read, body: str):
    site.page("/sitemap.xml", body, content_type="application/xml")
    site.page("/", html("start", links=["/a"]))
    site.page("/a", html("a"))
    assert read() == ["/", "/a"]


# --- Limits ---------------------------------------------------------------------------------------


def test_the_page_limit_of_the_plan_cuts_the_rest(site: Site, tenant: Tenant):
    robots(site, "User-agent: *", "Disallow: /private")
    site.page("/", html("start", links=["/a", "/b", "/private/c", "/d"]))
    site.page("/a", html("a", links=["/e", "/a"]))
    *documents, cut = crawl(source_of(tenant, site, limit=2))
    assert told(documents, site) == ["/", "/a"]
    assert cut == Cut(
        join_reasons(Reason("plan_pages_reached", limit=2), Reason("pages_left_out", count=3)),
        keeps_rest=False,
    )
    assert "/b" not in site.paths


def test_pages_that_were_folded_do_not_count_for_the_plan(site: Site, read: Read):
    site.page("/", html("start", links=["/a", "/copy", "/b"]))
    site.page("/a", html("the same"))
    site.page("/copy", html("the same"))
    site.page("/b", html("b"))
    assert read(limit=3) == ["/", "/a", "/b"]


def test_a_site_of_as_many_pages_as_the_plan_allows_is_not_cut(site: Site, read: Read):
    site.page("/", html("start", links=["/a", "/"]))
    site.page("/a", html("a", links=["/"]))
    assert read(limit=2) == ["/", "/a"]


def out_of_time_after(site: Site, path: str) -> Callable[[visits.Visitor], float]:
    """The time is over when that page has been asked for."""

    def seconds_left(_: visits.Visitor) -> float:
        if path in site.paths:
            raise visits.OutOfTime
        return 60.0

    return seconds_left


def test_a_website_that_takes_too_long_is_cut_and_the_rest_stays(
    site: Site, read: Read, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(visits.Visitor, "seconds_left", out_of_time_after(site, "/a"))
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/a", html("a"))
    assert read() == ["/", "/a", "cut, rest kept"]


def test_no_time_at_all_is_an_error(site: Site, read: Read, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(connector_module, "CRAWL_SECONDS", 0.0)
    with pytest.raises(OriginUnavailable, match="in time"):
        read()


def test_more_text_than_one_source_can_hold_is_cut(
    site: Site, read: Read, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(crawl_module, "TEXT_MAX_CHARS", 300)
    site.page("/", html("start", links=["/a", "/b"]))
    site.page("/a", html("a"))
    site.page("/b", html("b"))
    assert read() == ["/", "/a", "cut"]


# --- Trouble on the way ---------------------------------------------------------------------------


def failing_once(status: int, body: str, **headers: str) -> Callable[[Handler], None]:
    """The first request fails, the next ones do not."""

    def respond(handler: Handler) -> None:
        is_first = handler.server.paths.count(handler.path) == 1
        handler.answer(body, status if is_first else 200, **(headers if is_first else {}))

    return respond


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_page_that_fails_once_is_asked_again(
    site: Site, read: Read, pauses: list[float], status: int
):
    site.page("/", html("start", links=["/a"]))
    site.pages["/a"] = failing_once(status, html("a"), Retry_After="7")
    assert read() == ["/", "/a"]
    assert 7.0 in pauses


def test_who_asks_for_a_long_pause_is_left_alone(site: Site, read: Read, pauses: list[float]):
    site.page("/", html("start", links=["/a"]))
    site.pages["/a"] = failing_once(503, html("a"), Retry_After="3600")
    assert read() == ["/", "! /a"]
    assert max(pauses) < 1


def test_a_page_that_goes_on_failing_is_named_with_its_reason(site: Site, tenant: Tenant):
    site.page("/", html("start", links=["/a", "/b", "/c"]))
    site.page("/a", status=500)
    site.page("/b", status=403)
    site.page("/c", b"<p>" + b"a" * 6_000_000)
    _, *failed = crawl(source_of(tenant, site))
    assert failed == [
        Failed(f"{site.url}/a", Reason("website_fails", status="500")),
        Failed(f"{site.url}/b", Reason("page_forbidden")),
        Failed(f"{site.url}/c", Reason("answer_too_large", size="5")),
    ]
    assert site.paths.count("/a") == 2
    assert site.paths.count("/b") == 1


def test_a_website_that_goes_down_on_the_way_is_left_alone_and_the_rest_stays(
    site: Site, read: Read
):
    site.page("/", html("start", links=[f"/{number}" for number in range(20)]))
    site.page("*", status=500)
    site.page("/robots.txt", status=404)
    told_items = read()
    assert told_items == ["/", *(f"! /{number}" for number in range(8)), "cut, rest kept"]


# --- Syncing again --------------------------------------------------------------------------------


def with_validators(site: Site, path: str, body: str, tag: str) -> None:
    """A page that answers 304 to who has this version."""

    def respond(handler: Handler) -> None:
        is_known = handler.headers["If-None-Match"] == tag
        handler.answer(b"" if is_known else body, 304 if is_known else 200, ETag=tag)

    site.pages[path] = respond


def test_pages_that_have_not_changed_are_not_fetched_again(site: Site, tenant: Tenant):
    with_validators(site, "/", html("start", links=["/a", "/b"]), '"1"')
    with_validators(site, "/a", html("a"), '"2"')
    with_validators(site, "/b", html("b"), '"3"')
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    assert [document.etag for document in known] == ['"1"', '"2"', '"3"']
    assert told(crawl(source, known), site) == ["= /", "= /a", "= /b"]


def test_a_new_page_with_the_text_of_an_unchanged_one_is_no_document(site: Site, tenant: Tenant):
    site.page("/", html("start", links=["/old"]))
    with_validators(site, "/old", html("the same"), '"1"')
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/", html("another start", links=["/new", "/old"]))
    site.page("/new", html("the same"))
    site.page("/sitemap.xml", sitemap(f"{site.url}/new"), content_type="text/xml")
    assert told(crawl(source, known), site) == ["/", "= /old"]


def test_a_crawl_cut_before_its_first_page_leaves_what_is_known(
    site: Site, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    site.page("/", html("start", links=["/a"]))
    site.page("/a", html("a"))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/", html("start", links=["/a"], head='<meta name="robots" content="noindex">'))
    site.requests.clear()
    monkeypatch.setattr(visits.Visitor, "seconds_left", out_of_time_after(site, "/"))
    assert told(crawl(source, known), site) == ["cut, rest kept"]


def test_what_is_known_of_a_start_page_is_not_believed_of_the_page_it_redirects_to(
    site: Site, tenant: Tenant
):
    with_validators(site, "/", html("start"), '"1"')
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    with_validators(site, "/en", html("another"), '"1"')
    site.page("/", status=302, Location="/en")
    assert told(crawl(source, known), site) == ["/en"]


def test_the_date_of_a_page_is_sent_back_as_it_came(site: Site, tenant: Tenant):
    site.page("/", html("start"), Last_Modified="Sat, 21 Nov 2026 06:00:00 GMT")
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    crawl(source, known)
    assert site.requests[-2].path == "/"
    assert site.requests[-2].headers["If-Modified-Since"] == "Sat, 21 Nov 2026 06:00:00 GMT"


def test_a_page_with_the_same_text_is_unchanged_whatever_its_markup(site: Site, tenant: Tenant):
    site.page("/", html("start", head="<meta name=token content=1>"))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/", html("start", head="<meta name=token content=2>"))
    assert told(crawl(source, known), site) == ["= /"]


def test_a_page_with_another_text_is_read_and_new_links_are_followed(site: Site, tenant: Tenant):
    with_validators(site, "/", html("start", links=["/a"]), '"1"')
    with_validators(site, "/a", html("a"), '"1"')
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    with_validators(site, "/a", html("another", links=["/new"]), '"2"')
    site.page("/new", html("new"))
    assert told(crawl(source, known), site) == ["= /", "/a", "/new"]


def test_a_known_page_that_is_gone_is_not_named_and_one_that_fails_is(site: Site, tenant: Tenant):
    with_validators(site, "/", html("start", links=["/a", "/b", "/c"]), '"1"')
    for path in ("/a", "/b", "/c"):
        site.page(path, html(path))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/a", status=404)
    site.page("/b", status=500)
    assert told(crawl(source, known), site) == ["= /", "! /b", "= /c"]


def test_pages_that_the_limit_left_out_are_found_when_the_plan_grows(site: Site, tenant: Tenant):
    """A page that answers 304 shows no links: it is asked for it only once they were all read."""
    with_validators(site, "/", html("start", links=["/a", "/b"]), '"1"')
    with_validators(site, "/a", html("a"), '"1"')
    with_validators(site, "/b", html("b"), '"1"')
    known = known_after(crawl(source_of(tenant, site, limit=2)))
    assert [document.etag for document in known] == ["", '"1"']
    items = crawl(source_of(tenant, site), known)
    assert told(items, site) == ["/", "= /a", "/b"]
    assert [document.etag for document in known_after(items)] == ['"1"', '"1"']


def test_a_page_that_failed_is_tried_again_through_the_page_that_links_to_it(
    site: Site, tenant: Tenant
):
    with_validators(site, "/", html("start", links=["/a"]), '"1"')
    site.page("/a", status=500)
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/a", html("a"))
    assert told(crawl(source, known), site) == ["/", "/a"]


def test_a_page_with_too_many_links_to_remember_is_fetched_each_time(
    site: Site, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(crawl_module, "LINKS_MAX", 1)
    with_validators(site, "/", html("start", links=["/a", "/b"]), '"1"')
    with_validators(site, "/a", html("a", links=["/"]), '"1"')
    known = known_after(crawl(source_of(tenant, site)))
    assert [document.etag for document in known] == ["", '"1"']


def test_new_validators_of_the_same_text_are_stored(site: Site, tenant: Tenant):
    site.page("/", html("start"), ETag='"1"')
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/", html("start"), ETag='"2"')
    items = crawl(source, known)
    assert [document.etag for document in known_after(items)] == ['"2"']
    assert told(crawl(source, known_after(items)), site) == ["= /"]


def test_a_page_that_moved_is_removed_and_its_new_address_is_read(site: Site, tenant: Tenant):
    with_validators(site, "/", html("start", links=["/a"]), '"1"')
    site.page("/a", html("a"))
    source = source_of(tenant, site)
    known = known_after(crawl(source))
    site.page("/a", status=301, Location="/b")
    site.page("/b", html("a"))
    assert told(crawl(source, known), site) == ["= /", "/b"]


# --- Start pages that cannot be read --------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"status": 401}, "asks for a login"),
        ({"status": 403}, "does not allow us to read"),
        ({"status": 404}, "There is no page at this address"),
        ({"status": 410}, "was removed"),
        ({"status": 400}, "HTTP 400"),
        ({"status": 403, "CF_Mitigated": "challenge"}, "bot protection"),
        (
            {"body": "%PDF-1.7", "content_type": "application/pdf"},
            "not a web page but application/pdf",
        ),
        ({"status": 302, "Location": "https://other.example/"}, "another website"),
        ({"status": 302, "Location": "/"}, "redirects in a circle"),
        ({"status": 302, "Location": "http://127.0.0.1/"}, "another website"),
        ({"body": "x" * 6_000_000}, "larger than 5 MB"),
        ({"body": html("x", head='<meta name="robots" content="noindex">')}, "noindex"),
        ({"body": "<html><body></body></html>"}, "No page with text"),
        ({"body": ""}, "No page with text"),
    ],
)
def test_a_start_page_at_fault_fails_for_good_and_says_why(
    site: Site, read: Read, answer, reason: str
):
    site.page("/", **answer)
    with pytest.raises(SyncFailed, match=re.escape(str(reason))) as caught:
        read()
    assert not caught.value.retryable


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_website_in_trouble_is_tried_again_later(site: Site, read: Read, status: int):
    site.page("/", status=status)
    with pytest.raises(OriginUnavailable, match=f"HTTP {status}") as caught:
        read()
    assert caught.value.retryable


def test_a_website_that_cannot_be_reached_is_tried_again_later(
    tenant: Tenant, settings, site: Site
):
    source = make_web_source(tenant, "http://nowhere.invalid/")
    with pytest.raises(OriginUnavailable, match=r"nowhere\.invalid was not found"):
        crawl(source)


def test_a_private_start_address_is_refused(tenant: Tenant, site: Site, settings):
    settings.FETCH_ALLOWED_HOSTS = []
    with pytest.raises(SyncFailed, match="not on the public internet") as caught:
        crawl(make_web_source(tenant, f"{site.url}/"))
    assert not caught.value.retryable
    assert site.requests == []


def test_a_start_page_that_scripts_would_fill_is_a_single_page_app(site: Site, read: Read):
    site.page("/", '<html><body><div id="root"></div><script src="/app.js"></script></body></html>')
    with pytest.raises(SyncFailed, match="single-page app"):
        read()


# --- Encodings ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("añejo".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        ("añejo".encode("latin-1"), 'text/html; charset="latin1"'),
        ("añejo".encode(), "text/html; charset=utf-8"),
        ("añejo".encode("utf-8-sig"), "text/html; charset=iso-8859-1"),
        ("añejo".encode("utf-16"), "text/html"),
        ("<meta charset=iso-8859-1>añejo".encode("latin-1"), "text/html"),
        ("<meta charset=iso-8859-1>añejo".encode(), "text/html; charset=utf-8"),
        ("añejo".encode(), "text/html; charset=no-such-thing"),
        ("añejo".encode(), "text/html; charset=unicode_escape"),
        ("añejo +ZeVnLIqe-".encode(), "text/html; charset=utf-7"),
    ],
)
def test_text_is_read_in_the_encoding_of_its_mark_header_or_meta(
    site: Site, tenant: Tenant, body: bytes, content_type: str
):
    encoding = "utf-16-le" if body.startswith(b"\xff\xfe") else "ascii"
    filler = f"<p>{'Queso de oveja curado en cueva natural. ' * 6}</p>".encode(encoding)
    site.page("/", body + filler, content_type=content_type)
    (document,) = crawl(source_of(tenant, site))
    assert isinstance(document, ReadDocument)
    assert "añejo" in " ".join(passage.text for passage in document.passages)


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("añejo".encode(), "iso-8859-1"),
        ("<meta charset=iso-8859-1>añejo".encode(), "windows-1252"),
        ("<meta charset=windows-1251>añejo".encode(), "koi8-r"),
        ("<meta charset=iso-8859-1>añejo".encode("latin-1"), "utf-8"),
        ("<meta charset=iso-8859-1>añejo".encode("latin-1"), "iso-8859-2"),
        ("añejo".encode("latin-1"), "utf-8"),
    ],
)
def test_header_that_contradicts_the_bytes_of_the_page_is_told(
    site: Site, tenant: Tenant, body: bytes, charset: str
):
    filler = f"<p>{'Queso de oveja curado en cueva natural. ' * 6}</p>".encode()
    site.page("/", body + filler, content_type=f"text/html; charset={charset}")
    (document,) = crawl(source_of(tenant, site))
    assert isinstance(document, ReadDocument)
    assert "añejo" in " ".join(passage.text for passage in document.passages)
    assert [warning.code for warning in document.warnings] == ["encoding_header_wrong"]


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ("añejo".encode("latin-1"), "iso-8859-1"),
        ("<meta charset=utf-8>añejo".encode("latin-1"), "iso-8859-1"),
        (b"<meta charset=iso-8859-1>aged", "utf-8"),
        ("<meta charset=iso-8859-1>añejo".encode(), "utf-8"),
        ("сыр".encode("koi8-r"), "koi8-r"),
    ],
)
def test_header_that_fits_the_page_is_believed_without_a_word(
    site: Site, tenant: Tenant, body: bytes, charset: str
):
    filler = f"<p>{'Queso de oveja curado en cueva natural. ' * 6}</p>".encode()
    site.page("/", body + filler, content_type=f"text/html; charset={charset}")
    (document,) = crawl(source_of(tenant, site))
    assert isinstance(document, ReadDocument)
    assert document.warnings == ()
