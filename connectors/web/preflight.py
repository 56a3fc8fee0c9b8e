"""Looks at a website before there is a source of it: can it be indexed, and if not, why."""

from __future__ import annotations

from collections.abc import Iterable

from config.http import HttpClient
from connectors.web.files import place_file
from connectors.web.frontier import Frontier
from connectors.web.pages import Page, read_page
from connectors.web.problems import LITTLE_TEXT, TEXT_MIN_CHARS
from connectors.web.robots import count_allowed
from connectors.web.site import Site
from connectors.web.sitemaps import iter_sitemap_urls
from connectors.web.start import Start, fetch_start, open_site, why_nothing
from connectors.web.urls import may_be_page
from connectors.web.visits import OutOfTime, Visitor
from reasons import Reason
from sources.connectors.interface import Preflight
from sources.errors import FileProcessingFailed, SyncFailed

PREFLIGHT_SECONDS = 30.0  # somebody waits for it
SITEMAPS_MAX = 5
LOOKED_AT_MAX = 5  # pages behind a start page that has no text itself
TOO_SLOW = Reason("website_not_in_time")


def check_site(url: str, *, max_pages: int) -> Preflight:
    """Fetches the start page, robots.txt and sitemaps, and some of the pages behind a start page
    with little text; writes nothing. Up to PREFLIGHT_SECONDS.

    Raises ExtractionUnavailable when we cannot read pages at the moment.
    """
    try:
        with HttpClient() as client:
            visitor = Visitor(client, seconds=PREFLIGHT_SECONDS, attempts=1)
            start = open_site(visitor, url)
            found = find_pages(visitor, start)
            sample = find_text(visitor, start, found)
            return Preflight(
                is_indexable=True,
                pages_found=count_allowed(visitor, start.robots, found),
                max_pages=max_pages,
                sample_title=sample.title,
            )
    except (SyncFailed, FileProcessingFailed) as error:
        return Preflight(is_indexable=False, error=error.reason)
    except OutOfTime:
        return Preflight(is_indexable=False, error=TOO_SLOW)


def find_pages(visitor: Visitor, start: Start) -> dict[str, None]:
    """The pages known from the start page and the sitemaps, in this order, as far as the time
    allows."""
    found = {start.url: None} | places(start.site, start.page.links if start.page else ())
    try:
        for link in iter_sitemap_urls(
            visitor, start.robots, start.site.origin, files_max=SITEMAPS_MAX
        ):
            found |= places(start.site, [link])
    except OutOfTime:
        pass
    return found


def places(site: Site, links: Iterable[str]) -> dict[str, None]:
    urls = (site.place(link, site.origin) for link in links)
    return dict.fromkeys(url for url in urls if url and may_be_page(url))


def find_text(visitor: Visitor, start: Start, found: dict[str, None]) -> Page:
    """The page with which there is enough text: the start page, else one of the first that it leads
    to, else the start page for the documents that it links to: a sync reads all of these. Adds the
    pages that those lead to to `found`.

    Raises SyncFailed when there is too little, OutOfTime.
    """
    page: Page | None = start.page
    chars = text_chars(start.page)
    frontier = Frontier(start.site)
    frontier.visit(start.url)
    for link in found:
        frontier.add(link)
    looked_at = 0
    while chars < TEXT_MIN_CHARS and looked_at < LOOKED_AT_MAX and (url := frontier.pop()):
        if not start.robots.allows(url):
            continue
        looked_at += 1
        page = look_at(visitor, start, url)
        chars += text_chars(page)
        for link in page.links if page else ():
            if place := frontier.add(link):
                found[place] = None
    if page is not None and chars >= TEXT_MIN_CHARS:
        return page
    if start.page is not None and any(place_file(start.site, link) for link in start.page.links):
        return start.page
    raise SyncFailed(why_nothing(start.page, otherwise=LITTLE_TEXT))


def look_at(visitor: Visitor, start: Start, url: str) -> Page | None:
    """None for what cannot be read. Raises OutOfTime."""
    try:
        return read_page(fetch_start(visitor, url, start.robots, {}))
    except (SyncFailed, FileProcessingFailed):
        return None


def text_chars(page: Page | None) -> int:
    """The characters of a page's text that a sync would read."""
    if page is None or not page.is_indexable or page.is_app or page.is_challenge:
        return 0
    return page.text_chars
