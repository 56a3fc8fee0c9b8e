"""Looks at a website before there is a source of it: can it be indexed, and if not, why."""

from __future__ import annotations

from config.http import HttpClient
from connectors.web.pages import Page, read_page
from connectors.web.problems import LITTLE_TEXT, NO_INDEX, TEXT_MIN_CHARS
from connectors.web.site import Site
from connectors.web.sitemaps import iter_sitemap_urls
from connectors.web.start import Start, check_start_page, open_site
from connectors.web.urls import may_be_page
from connectors.web.visits import OutOfTime, Visitor
from reasons import Reason
from sources.connectors.interface import Preflight
from sources.errors import FileProcessingFailed, SyncFailed

PREFLIGHT_SECONDS = 30.0  # somebody waits for it
SITEMAPS_MAX = 5
TOO_SLOW = Reason("website_not_in_time")


def check_site(url: str, *, max_pages: int) -> Preflight:
    """Fetches the start page, robots.txt and sitemaps; writes nothing. Up to PREFLIGHT_SECONDS.

    Raises ExtractionUnavailable when we cannot read pages at the moment.
    """
    try:
        with HttpClient() as client:
            visitor = Visitor(client, seconds=PREFLIGHT_SECONDS, attempts=1)
            start = open_site(visitor, url)
            page = read_page(start.answer)
            check_start_page(page)
            check_text(page)
            return Preflight(
                is_indexable=True,
                pages_found=count_pages(visitor, start, page),
                max_pages=max_pages,
                sample_title=page.title,
            )
    except (SyncFailed, FileProcessingFailed) as error:
        return Preflight(is_indexable=False, error=error.reason)
    except OutOfTime:
        return Preflight(is_indexable=False, error=TOO_SLOW)


def check_text(page: Page) -> None:
    if not page.is_indexable:
        raise SyncFailed(NO_INDEX)
    if page.text_chars < TEXT_MIN_CHARS:
        raise SyncFailed(LITTLE_TEXT)


def count_pages(visitor: Visitor, start: Start, page: Page) -> int:
    """The number of pages known from the start page and the sitemaps, as far as the time allows."""
    found = {start.url} | {url for link in page.links if (url := page_place(start.site, link))}
    try:
        for link in iter_sitemap_urls(
            visitor, start.robots, start.site.origin, files_max=SITEMAPS_MAX
        ):
            if url := page_place(start.site, link):
                found.add(url)
        return sum(is_allowed(visitor, start, url) for url in found)
    except OutOfTime:
        return len(found)


def page_place(site: Site, link: str) -> str | None:
    url = site.place(link, site.origin)
    return url if url and may_be_page(url) else None


def is_allowed(visitor: Visitor, start: Start, url: str) -> bool:
    """Raises OutOfTime: thousands of rules for thousands of addresses take seconds."""
    visitor.seconds_left()
    return start.robots.allows(url)
