"""Which addresses are the same, which belong to a site, and which are worth a request."""

import pytest

from config.errors import InvalidValue
from connectors.web.frontier import QUERIES_MAX, Frontier
from connectors.web.site import Site, site_of
from connectors.web.urls import clean_url, normalize_url

PAGE = "https://shop.example/docs/guide/"


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/Guide",
        "https://shop.example/guide/",
        "HTTPS://SHOP.Example/guide",
        "https://shop.example:443/guide",
        "https://shop.example/guide#prices",
        "https://shop.example/GUIDE/#",
    ],
)
def test_letter_case_trailing_slash_default_port_and_fragment_make_no_other_source(url: str):
    assert normalize_url(url) == "https://shop.example/guide"


def test_the_start_page_is_the_same_with_and_without_its_slash():
    assert normalize_url("http://shop.example:80") == normalize_url("http://shop.example/")


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example/guide",
        "https://shop.example:8443/guide",
        "https://www.shop.example/guide",
        "https://shop.example/guide?page=2",
        "https://shop.example/guides",
    ],
)
def test_other_addresses_are_other_sources(url: str):
    assert normalize_url(url) != normalize_url("https://shop.example/guide")


@pytest.mark.parametrize(
    "url", ["", "shop.example", "ftp://shop.example/", "http://me:x@shop.example"]
)
def test_what_is_no_web_address_has_no_normal_form(url: str):
    with pytest.raises(InvalidValue):
        normalize_url(url)


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("", "https://shop.example/docs/guide/"),
        ("next", "https://shop.example/docs/guide/next"),
        ("../faq", "https://shop.example/docs/faq"),
        ("/a/./b/../c", "https://shop.example/a/c"),
        ("//other.example", "https://other.example/"),
        ("HTTP://Other.Example:80/A", "http://other.example/A"),
        ("  /a\n/b ", "https://shop.example/a/b"),
        ("/a#part", "https://shop.example/a"),
        ("/año día", "https://shop.example/a%C3%B1o%20d%C3%ADa"),
        ("/a?utm_source=x&b=1&fbclid=2&GCLID=3", "https://shop.example/a?b=1"),
        ("/a?utm_campaign=x", "https://shop.example/a"),
        ("/a?PHPSESSID=1234&c=2", "https://shop.example/a?c=2"),
        ("/a;jsessionid=12AB?c=2", "https://shop.example/a?c=2"),
        ("/a?sid=0123456789abcdef0123", "https://shop.example/a"),
        ("/a?sid=17", "https://shop.example/a?sid=17"),
        ("/a?b=2&a=1", "https://shop.example/a?b=2&a=1"),
    ],
)
def test_links_become_addresses_without_what_changes_nothing(link: str, url: str):
    assert clean_url(link, PAGE) == url


@pytest.mark.parametrize(
    "link",
    [
        "mailto:a@b.example",
        "javascript:void(0)",
        "tel:123",
        "data:text/html,x",
        "ftp://a.example/",
        "http://me:x@a.example/",
        "http://[",
        "http://a.example:99999/",
        "/" + "a" * 2000,
    ],
)
def test_links_that_lead_to_no_website_are_none(link: str):
    assert clean_url(link, PAGE) is None


@pytest.mark.parametrize(
    ("start", "inside", "outside"),
    [
        ("https://shop.example", ["/", "/a", "/a/b?c=1"], []),
        ("https://shop.example/docs/", ["/docs/", "/docs/a"], ["/", "/docs", "/docs2", "/Docs/a"]),
        ("https://shop.example/docs/index.html", ["/docs/", "/docs/index.html", "/docs/a"], ["/a"]),
        (
            "https://shop.example/docs",
            ["/docs", "/docs/", "/docs/a", "/docs?page=2"],
            ["/docs2", "/"],
        ),
        ("https://shop.example/docs?page=1", ["/docs", "/docs/a"], ["/a"]),
    ],
)
def test_a_site_is_what_is_below_the_start_path(start: str, inside: list[str], outside: list[str]):
    site = site_of(start, start)
    assert [site.place(path, "https://shop.example/") for path in inside] == [
        f"https://shop.example{path}" for path in inside
    ]
    assert [site.place(path, "https://shop.example/") for path in outside] == [None] * len(outside)


def test_www_and_http_are_the_same_site_under_one_address():
    site = site_of("http://shop.example/", "https://www.shop.example/")
    for host in ("http://shop.example", "https://shop.example:443", "http://www.shop.example"):
        assert site.place(f"{host}/a", PAGE) == "https://www.shop.example/a"


@pytest.mark.parametrize(
    "url", ["https://blog.shop.example/", "https://shop.example.org/", "https://shop.example:8443/"]
)
def test_other_hosts_and_ports_are_other_sites(url: str):
    assert site_of("https://shop.example/", "https://shop.example/").place(url, PAGE) is None


def test_a_start_page_that_redirects_within_its_path_keeps_the_path():
    assert site_of("https://a.example/", "https://a.example/en/").path == "/"
    assert site_of("https://a.example/docs", "https://a.example/manual/").path == "/manual/"


@pytest.fixture
def frontier() -> Frontier:
    return Frontier(Site("https://shop.example", "/"))


@pytest.mark.parametrize(
    "link",
    [
        "/a.pdf",
        "/a.JPG",
        "/a.zip",
        "/feed.xml",
        "/style.css",
        "/a.mp4",
        "/" + "a/b/" * 4 + "c",
        "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16",
        "https://other.example/",
    ],
)
def test_what_is_no_page_or_leads_nowhere_is_not_visited(frontier: Frontier, link: str):
    assert frontier.add(f"https://shop.example{link}" if link.startswith("/") else link) is None
    assert frontier.pop() is None


def test_every_page_is_visited_once_in_the_order_of_the_links(frontier: Frontier):
    for path in ("b", "a", "b", "a.html", "a#x"):
        frontier.add(f"https://shop.example/{path}")
    popped = [frontier.pop() for _ in range(4)]
    assert popped == [*(f"https://shop.example/{path}" for path in ("b", "a", "a.html")), None]


def test_a_calendar_is_no_endless_site(frontier: Frontier):
    for day in range(QUERIES_MAX + 10):
        frontier.add(f"https://shop.example/calendar?day={day}")
    assert len(frontier) == QUERIES_MAX
