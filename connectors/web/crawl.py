"""Visits the pages of a site and remembers what each of them was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from config.http import AddressRefused, FetchedPage, FetchError
from connectors.web.files import FILES_FOUND_MAX, FILES_MAX, is_file, place_file
from connectors.web.frontier import Frontier
from connectors.web.pages import PAGE_MAX_BYTES, Page, conditions, is_html, read_page
from connectors.web.problems import BOT_PROTECTION, problem_of_answer
from connectors.web.robots import count_allowed
from connectors.web.sitemaps import folders_in_turn, iter_sitemap_urls
from connectors.web.start import NOT_MODIFIED, Start
from connectors.web.visits import OutOfTime, Visitor
from reasons import Reason, join_reasons
from sources.connectors.interface import Cut, Failed, SyncContext, Unchanged
from sources.errors import FileProcessingFailed, OriginUnavailable

HOPS_MAX = 5  # from page to page by redirects and canonical links
FAILURES_MAX = 8  # one after the other: the website is down, or has had enough of us
LINKS_MAX = 500  # remembered of one page: there are thousands of pages
TEXT_MAX_CHARS = 100_000_000  # of all pages: they are held in memory until what repeats is known
# Not a page any more, or not one that everybody may see: it is removed.
REMOVED_STATUSES = frozenset({401, 404, 410})
GONE_STATUSES = frozenset({404, 410})  # those that say so of this address, and for good

CUT_BY_TIME = Reason("website_cut_by_time")
CUT_BY_TEXT = Reason("website_too_much_text")


class Stopped(Exception):
    """The rest of the website is not read."""

    def __init__(self, cut: Cut) -> None:
        self.cut = cut
        super().__init__(str(cut.reason))


@dataclass(frozen=True)
class ReadPage:
    """`page` without its links; `links`: those of them that are to be visited or were, None when
    they are too many to be remembered.
    """

    page: Page
    links: frozenset[str] | None


Result = ReadPage | Unchanged | Failed


class Crawl:
    """Visits the pages of a website. `results` by address, in the order of the visits.

    A page that says it has not changed (304) shows no links. Nothing is lost: the pages that it
    linked to are known and visited by themselves, because validators are kept only of pages all of
    whose links were settled (`keeps_validators`).
    """

    def __init__(
        self, start: Start, visitor: Visitor, context: SyncContext, *, max_pages: int
    ) -> None:
        self.results: dict[str, Result] = {}
        self.files: dict[
            str, None
        ] = {}  # that pages link to, in the order in which they were found
        self.gone: set[str] = set()
        self.replaced: dict[
            str, str
        ] = {}  # by the address that they lead to, or whose text they show
        self._start = start
        self._visitor = visitor
        self._context = context
        self._max_pages = max_pages
        self._frontier = Frontier(start.site)
        self._text_holders: dict[str, str] = {}  # by the hash of their text
        self._unsettled: set[str] = set()  # found, not read, and may be worth it next time
        self._text_chars = 0
        self._failures = 0  # since the last answer

    def run(self) -> Cut | None:
        """Visits everything within the limits; why it stopped before, if it did."""
        url, page = self._start.url, self._start.page
        self._frontier.visit(url)
        try:
            if page is None:
                self._keep(url)
                self._add_known()
            else:
                self._take_page(url, page, hops=0)
            self._add_seeds()
            self._visit_all()
        except OutOfTime:
            return Cut(CUT_BY_TIME, keeps_rest=True)
        except Stopped as stopped:
            return stopped.cut
        return None

    def choose_files(self, *, most: int = FILES_MAX) -> tuple[list[str], list[str]]:
        """(the files to read, those beyond the limits). Call it after `run`: pages that link to the
        latter are asked for again."""
        most = max(0, min(most, self._max_pages - self._pages_count()))
        found = list(self.files)
        self._unsettled.update(found[most:])
        return found[:most], found[most:]

    def keeps_validators(self, read: ReadPage) -> bool:
        """True if every page that it links to was read, or need not be read. Call it after
        `run`."""
        return read.links is not None and read.links.isdisjoint(self._all_unsettled)

    @cached_property
    def _all_unsettled(self) -> set[str]:
        return self._unsettled | self._frontier.waiting()

    def _add_seeds(self) -> None:
        start = self._start
        with self._context.step("fetch"):
            found = list(iter_sitemap_urls(self._visitor, start.robots, start.site.origin))
        for url in folders_in_turn(found):
            self._frontier.add(url)
        self._add_known()

    def _add_known(self) -> None:
        for url in self._context.known:
            self._note(url)
        for url in self._context.known_failures:
            self._add_file(url)

    def _note(self, link: str) -> str | None:
        """Notes a page or file to be read; returns its address, None for anything else."""
        return self._frontier.add(link) or self._add_file(link)

    def _add_file(self, link: str) -> str | None:
        url = place_file(self._start.site, link)
        if url is None or (url not in self.files and len(self.files) >= FILES_FOUND_MAX):
            return None
        self.files[url] = None
        return url

    def _visit_all(self) -> None:
        while (url := self._frontier.pop()) is not None:
            self._unsettled.add(url)
            if self._pages_count() >= self._max_pages:
                raise Stopped(self._cut_by_plan(url))
            self._visit(url, hops=0)
            done = len(self.results)
            self._context.report(done=done, total=done + len(self._frontier))

    def _cut_by_plan(self, url: str) -> Cut:
        """`url`: the first page that is not read."""
        rest = {url} | self._frontier.waiting()
        count = count_allowed(self._visitor, self._start.robots, rest)
        reached = Reason("plan_pages_reached", limit=self._max_pages)
        left_out = [Reason("pages_left_out", count=count)] if count else []
        return Cut(join_reasons(reached, *left_out), keeps_rest=False)

    def _pages_count(self) -> int:
        """The number of pages that counts for the plan: those that will be there after the sync."""
        return sum(
            not isinstance(result, Failed) or url in self._context.known
            for url, result in self.results.items()
        )

    def _visit(self, url: str, *, hops: int) -> None:
        self._unsettled.add(url)
        if not self._start.robots.allows(url):
            self._unsettled.discard(url)
            return
        try:
            with self._context.step("fetch"):
                answer = self._fetch(url)
        except AddressRefused:
            self._unsettled.discard(url)
        except FetchError as error:
            self._fail(url, error.reason, is_silent=error.retryable)
        else:
            self._take(url, answer, hops=hops)

    def _fetch(self, url: str) -> FetchedPage:
        site = self._start.site
        return self._visitor.fetch(
            url,
            max_bytes=PAGE_MAX_BYTES,
            headers=conditions(self._context.known.get(url)),
            # To the same page by https, or with "www.". Others are pages of their own.
            may_follow=lambda target: site.place(target, url) == url,
        )

    def _take(self, url: str, answer: FetchedPage, *, hops: int) -> None:
        problem = problem_of_answer(answer)
        if answer.status == NOT_MODIFIED and url in self._context.known:
            self._keep(url)
        elif answer.redirect:
            self._take_redirect(url, answer.redirect, hops=hops)
        elif answer.status in REMOVED_STATUSES or (problem is None and not is_html(answer)):
            if answer.status in GONE_STATUSES:
                self.gone.add(url)
            elif is_file(answer):
                self.files[url] = None
            self._settle(url)
        elif problem is not None:
            is_silent = isinstance(problem, OriginUnavailable) or problem.reason == BOT_PROTECTION
            self._fail(url, problem.reason, is_silent=is_silent)
        else:
            self._read(url, answer, hops=hops)

    def _take_redirect(self, url: str, redirect: str, *, hops: int) -> None:
        target = self._frontier.add(redirect)
        if target is not None:
            self.replaced[url] = target
        if target is not None and hops < HOPS_MAX and self._frontier.visit(target):
            self._visit(target, hops=hops + 1)
        if target not in self._unsettled:
            self._settle(url)

    def _read(self, url: str, answer: FetchedPage, *, hops: int) -> None:
        try:
            with self._context.step("extract"):
                page = read_page(answer)
        except FileProcessingFailed as error:
            self._fail(url, error.reason, is_silent=False)
        else:
            self._take_page(url, page, hops=hops)

    def _take_page(self, url: str, page: Page, *, hops: int) -> None:
        if page.is_challenge:
            self._fail(url, BOT_PROTECTION, is_silent=True)
            return
        self._failures = 0
        if page.refresh and self._frontier.add(page.refresh) not in (None, url):
            self._take_redirect(url, page.refresh, hops=hops)
            return
        links = frozenset(filter(None, map(self._note, page.links)))
        if self._is_shell(page) or self._is_folded(url, page, hops=hops):
            self._settle(url)
        elif page.is_indexable and page.document.blocks:
            held_links = links if len(links) <= LINKS_MAX else None
            self._hold(url, ReadPage(replace(page, links=()), held_links))
        elif not links:
            self._settle(url)

    def _is_shell(self, page: Page) -> bool:
        """True for a page of an application, where the start page is one: what stands in it is for
        the moment until a browser has run it. Elsewhere a short page may look like one."""
        start = self._start.page
        return page.is_app and start is not None and start.is_app

    def _is_folded(self, url: str, page: Page, *, hops: int) -> bool:
        """True if the same content is, or now becomes, a document under another address."""
        if not page.is_indexable:
            return False
        target = self._frontier.add(page.canonical) if page.canonical else None
        # Whole websites name their start page on every page by mistake: that alone says nothing.
        if target in (None, url, self._start.url) or hops >= HOPS_MAX:
            return self._is_repeated(url, page)
        if self._frontier.visit(target):
            self._visit(target, hops=HOPS_MAX)  # whatever that one says of itself
        if isinstance(self.results.get(target), ReadPage | Unchanged):
            self.replaced[url] = target
            return True
        return self._is_repeated(url, page)

    def _is_repeated(self, url: str, page: Page) -> bool:
        holder = self._text_holders.get(page.text_hash)
        if holder is not None:
            self.replaced[url] = holder
        return holder is not None

    def _hold(self, url: str, read: ReadPage) -> None:
        self._text_chars += sum(len(block.text) for block in read.page.document.blocks)
        if self._text_chars > TEXT_MAX_CHARS:
            raise Stopped(Cut(CUT_BY_TEXT, keeps_rest=False))
        self.results[url] = read
        self._text_holders.setdefault(read.page.text_hash, url)
        self._settle(url)

    def _keep(self, url: str) -> None:
        self.results[url] = Unchanged(url)
        self._text_holders.setdefault(self._context.known[url].content_hash, url)
        self._settle(url)

    def _fail(self, url: str, reason: Reason, *, is_silent: bool) -> None:
        """`is_silent`: not one page, the website does not answer."""
        self.results[url] = Failed(url, reason)
        self._failures = self._failures + 1 if is_silent else 0
        if self._failures >= FAILURES_MAX:
            raise Stopped(Cut(Reason("website_cut_by_failures", reason=reason), keeps_rest=True))

    def _settle(self, url: str) -> None:
        self._unsettled.discard(url)
        self._failures = 0
