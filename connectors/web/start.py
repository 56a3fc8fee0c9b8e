"""The start page: where every crawl and preflight begins, and where most websites say no."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from config.http import FetchedPage, FetchError
from connectors.web.pages import PAGE_MAX_BYTES, Page, is_html, media_type, read_page
from connectors.web.problems import (
    APP,
    BOT_PROTECTION,
    NO_INDEX,
    NO_TEXT,
    ROBOTS,
    failed,
    problem_of_answer,
)
from connectors.web.robots import Robots, load_robots
from connectors.web.site import Site, is_same_host, site_of
from connectors.web.urls import clean_url, origin_of
from connectors.web.visits import Visitor
from reasons import Reason
from sources.errors import SyncFailed

NOT_MODIFIED = 304
REFRESHES_MAX = 5  # from the address that was entered to the page that stays


Conditions = Callable[[str], Mapping[str, str]]
Step = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Start:
    """`url`: of the start page, in the site. `page`: as it was read; None where it has not changed
    since the known one (304)."""

    site: Site
    robots: Robots
    url: str
    page: Page | None


def open_site(
    visitor: Visitor,
    url: str,
    *,
    conditions: Conditions = lambda _: {},
    step: Step = lambda _: nullcontext(),
) -> Start:
    """Reads robots.txt and the start page; where that sends browsers on by itself (a meta refresh),
    the page that it leads to, as after a redirect.

    Args:
        conditions: headers for an address, to ask for its page only if it has changed.
        step: SyncContext.step.

    Raises SyncFailed with a reason in words, OriginUnavailable when it may work later; OutOfTime,
    FileProcessingFailed.
    """
    asked = clean_url(url, url)
    if asked is None:
        raise SyncFailed(Reason("not_a_website"))
    entrance = Entrance(visitor, conditions)
    address, met = asked, {asked}
    while True:
        with step("fetch"):
            answer = entrance.fetch(address)
        page = None
        if answer.status != NOT_MODIFIED:
            with step("extract"):
                page = read_page(answer)
            check_start_page(page)
        if page is None or page.refresh is None:
            break
        address = next_address(page.refresh, asked, met)
    site = site_of(asked, answer.url)
    with step("fetch"):
        robots = entrance.robots_of(site.origin)
    place = site.place(answer.url, answer.url)
    if place is None or not robots.allows(place):
        raise SyncFailed(ROBOTS)
    visitor.delay_seconds = max(visitor.delay_seconds, robots.delay_seconds)
    return Start(site, robots, place, page)


def next_address(refresh: str, asked: str, met: set[str]) -> str:
    """Returns `refresh`, to be fetched, and notes it in `met`. Raises SyncFailed where it leads to
    another website, in a circle, or on and on."""
    if not is_same_host(refresh, asked):
        raise SyncFailed(Reason("leads_to_other_website", url=refresh))
    if refresh in met or len(met) > REFRESHES_MAX:
        raise SyncFailed(Reason("website_redirects_in_circle"))
    met.add(refresh)
    return refresh


class Entrance:
    """Fetches start pages, and the robots.txt of each origin once."""

    def __init__(self, visitor: Visitor, conditions: Conditions) -> None:
        self._visitor = visitor
        self._conditions = conditions
        self._robots: dict[str, Robots] = {}

    def fetch(self, address: str) -> FetchedPage:
        robots = self.robots_of(origin_of(address))
        return fetch_start(self._visitor, address, robots, self._conditions(address))

    def robots_of(self, origin: str) -> Robots:
        if origin not in self._robots:
            self._robots[origin] = load_robots(self._visitor, origin)
        return self._robots[origin]


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
    check_start(answer, may_be_known=bool(headers))
    return answer


def check_start(answer: FetchedPage, *, may_be_known: bool) -> None:
    """Raises SyncFailed unless it is a page of HTML, or 304 where that was asked for."""
    if answer.status == NOT_MODIFIED:
        if not may_be_known:
            raise SyncFailed(Reason("website_refuses", status=str(answer.status)))
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
    """Raises SyncFailed for the check of a bot protection, which stands before the website."""
    if page.is_challenge:
        raise SyncFailed(BOT_PROTECTION)


def why_nothing(start_page: Page | None, *, otherwise: Reason = NO_TEXT) -> Reason:
    """The reason why no page of a website has text, as far as its start page tells."""
    if start_page is not None and start_page.is_app:
        return APP
    if start_page is not None and not start_page.is_indexable:
        return NO_INDEX
    return otherwise
