"""The start page: where every crawl and preflight begins, and where most websites say no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config.http import FetchedPage, FetchError
from connectors.web.pages import PAGE_MAX_BYTES, Page, is_html, media_type
from connectors.web.problems import APP, BOT_PROTECTION, ROBOTS, failed, problem_of_answer
from connectors.web.robots import Robots, load_robots
from connectors.web.site import Site, is_same_host, site_of
from connectors.web.urls import clean_url, origin_of
from connectors.web.visits import Visitor
from reasons import Reason
from sources.errors import SyncFailed

NOT_MODIFIED = 304


@dataclass(frozen=True)
class Start:
    """`url`: of the start page, in the site. `answer`: HTML, or 304 when `headers` asked for it."""

    site: Site
    robots: Robots
    url: str
    answer: FetchedPage


def open_site(visitor: Visitor, url: str, *, headers: Mapping[str, str] | None = None) -> Start:
    """Reads robots.txt and the start page.

    Raises SyncFailed with a reason in words, OriginUnavailable when it may work later; OutOfTime.
    """
    asked = clean_url(url, url)
    if asked is None:
        raise SyncFailed(Reason("not_a_website"))
    robots = load_robots(visitor, origin_of(asked))
    answer = fetch_start(visitor, asked, robots, headers or {})
    site = site_of(asked, answer.url)
    if origin_of(asked) != site.origin:
        robots = load_robots(visitor, site.origin)
    place = site.place(answer.url, answer.url)
    if place is None or not robots.allows(place):
        raise SyncFailed(ROBOTS)
    visitor.delay_seconds = max(visitor.delay_seconds, robots.delay_seconds)
    return Start(site, robots, place, answer)


def fetch_start(
    visitor: Visitor, url: str, robots: Robots, headers: Mapping[str, str]
) -> FetchedPage:
    if not robots.allows(url):
        raise SyncFailed(ROBOTS)

    def is_ours(target: str) -> bool:
        cleaned = clean_url(target, url)
        return cleaned is None or is_same_host(cleaned, url)  # the client says what is wrong

    try:
        answer = visitor.fetch(url, max_bytes=PAGE_MAX_BYTES, headers=headers, may_follow=is_ours)
    except FetchError as error:
        raise failed(error) from error
    if answer.status == NOT_MODIFIED and answer.url != url:  # said of the target of a redirect
        return fetch_start(visitor, url, robots, {})
    check_start(answer)
    return answer


def check_start(answer: FetchedPage) -> None:
    """Raises SyncFailed unless it is a page of HTML, or 304."""
    if answer.status == NOT_MODIFIED:
        return
    if 300 <= answer.status < 400:
        raise SyncFailed(
            Reason("leads_to_other_website", url=answer.redirect or "its address cannot be read")
        )
    problem = problem_of_answer(answer)
    if problem is not None:
        raise problem
    if not is_html(answer):
        raise SyncFailed(Reason("not_a_web_page", kind=media_type(answer) or "something else"))


def check_start_page(page: Page) -> None:
    """Raises SyncFailed for what looks like a page and is none."""
    if "challenge" in page.markers:
        raise SyncFailed(BOT_PROTECTION)
    if "app" in page.markers:
        raise SyncFailed(APP)
