"""Files that the pages of a website link to: price lists, timetables and forms are documents of it
too. They are read after all pages, as uploads are, and only so many."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from io import BufferedWriter
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from django.conf import settings

from config.http import FetchedPage, FetchError, TooLarge
from connectors.web.pages import conditions, media_type, validator
from connectors.web.problems import problem_of_answer
from connectors.web.robots import Robots, load_robots
from connectors.web.site import Site, host_and_port, is_same_host
from connectors.web.urls import clean_url, origin_of, path_of
from connectors.web.visits import OutOfTime, Visitor
from reading.file_types import (
    CONTENT_TYPES,
    CSV,
    DOC,
    DOCX,
    EPUB,
    ODP,
    ODS,
    ODT,
    PDF,
    PPT,
    PPTX,
    RTF,
    XLS,
    XLSX,
)
from reading.passages import Description, ReadDocument
from reasons import Reason
from sources.connectors.calling import sha256_of
from sources.connectors.files import GivenFile, content_type_of, read_single
from sources.connectors.interface import (
    Failed,
    Gone,
    Item,
    LeftOut,
    SyncContext,
    Unchanged,
)
from sources.connectors.remote import too_large
from sources.errors import (
    FileProcessingFailed,
    ReaderNotConfigured,
    SyncFailed,
    UnsupportedFileType,
)
from sources.models import Source

FILES_MAX = 50  # of one website
FILES_FOUND_MAX = 1000  # more are neither read nor counted
FILES_SECONDS = 10 * 60.0  # for all of them
FILE_SECONDS = 60.0  # for fetching one
NAMED_MAX = 3  # examples of those that were left out
NAME_MAX_CHARS = 80
NOT_MODIFIED = 304
GONE_STATUSES = (404, 410)
NEEDS_LOGIN = 401
READ_TYPES = frozenset({CSV, DOC, DOCX, EPUB, ODP, ODS, ODT, PDF, PPT, PPTX, RTF, XLS, XLSX})
FILE_NAME = re.compile(r"\.(?:csv|docx?|epub|od[pst]|pdf|pptx?|rtf|xlsx?)$", re.IGNORECASE)


def place_file(site: Site, link: str) -> str | None:
    """The address of a file that a page links to; None if its name is that of no file that is read,
    or it lies neither on the website's host nor on a subdomain of it."""
    url = clean_url(link, site.origin)
    if url is None or not FILE_NAME.search(path_of(url)):
        return None
    if is_same_host(url, site.origin):
        return site.origin + url.removeprefix(origin_of(url))
    return url if is_below_host(url, site.origin) else None


def is_below_host(url: str, origin: str) -> bool:
    host, port = host_and_port(url)
    parent, parents_port = host_and_port(origin)
    return port == parents_port and host.endswith(f".{parent}")


def is_file(answer: FetchedPage) -> bool:
    """True for a file at an address that looked like a page's."""
    return answer.status == 200 and media_type(answer) in READ_TYPES


def name_of(url: str) -> str:
    return unquote(path_of(url).rpartition("/")[2]) or url


def filename_of(answer: FetchedPage, name: str) -> str:
    """The name with the ending of the declared type, where it has none of its own: a table looks
    like any text."""
    declared = CONTENT_TYPES.get(media_type(answer))
    return name if declared is None or FILE_NAME.search(name) else name + declared.extensions[0]


def tell_left_out(urls: Sequence[str]) -> LeftOut:
    names = ", ".join(name_of(url)[:NAME_MAX_CHARS] for url in urls[:NAMED_MAX])
    more = ", …" if len(urls) > NAMED_MAX else ""
    return LeftOut(Reason("linked_files_left_out", count=len(urls), names=f"{names}{more}"))


class LinkedFiles:
    """Reads the files of one website. `passages_left`: of the plan, before the first file; None
    where it has no limit. A file with more is left out: it would end the whole sync."""

    def __init__(
        self,
        site: Site,
        robots: Robots,
        visitor: Visitor,
        context: SyncContext,
        *,
        passages_left: int | None,
    ) -> None:
        self._site = site
        self._robots = {site.origin: robots}
        self._visitor = visitor
        self._context = context
        self._passages_left = passages_left

    def read(self, urls: Sequence[str]) -> Iterator[Item]:
        """Yields an item for each file that is there."""
        for number, url in enumerate(urls):
            try:
                item = self._read(url)
            except (FetchError, SyncFailed) as error:
                item = Failed(url, error.reason, title=name_of(url))
            except OutOfTime:
                yield from map(self._without_time, urls[number:])
                return
            if item is not None:
                yield item

    def _without_time(self, url: str) -> Item:
        """Tells a new file as failed, so that the next sync knows of it: its page may then be one
        that has not changed, and shows no links."""
        if url in self._context.known:
            return Unchanged(url)
        return Failed(url, Reason("linked_file_without_time"), title=name_of(url))

    def _read(self, url: str) -> Item | None:
        """Raises FetchError, SyncFailed, OutOfTime."""
        if not self._robots_of(url).allows(url):
            return None
        with TemporaryDirectory(prefix="web-") as folder:
            path = Path(folder) / "fetched"
            with self._context.step("fetch"), path.open("wb") as body:
                answer = self._fetch(url, body)
            if answer.status == NOT_MODIFIED:
                return self._unchanged(url)
            if answer.status == NEEDS_LOGIN or answer.status in GONE_STATUSES:
                is_gone = answer.status != NEEDS_LOGIN and url in self._context.known
                return Gone(url) if is_gone else None
            if answer.redirect:
                raise SyncFailed(Reason("leads_to_other_website", url=answer.redirect))
            if problem := problem_of_answer(answer):
                raise problem
            return self._read_stored(url, answer, path)

    def _fetch(self, url: str, body: BufferedWriter) -> FetchedPage:
        return self._visitor.fetch(
            url,
            max_bytes=settings.UPLOAD_MAX_BYTES,
            seconds=FILE_SECONDS,
            headers=self._conditions(url),
            may_follow=self._may_follow,
            into=partial(rewound, body),
        )

    def _conditions(self, url: str) -> Mapping[str, str]:
        known, failed = self._context.known.get(url), self._context.known_failures.get(url)
        if known is not None:
            return conditions(known)
        return {"If-None-Match": failed.etag} if failed is not None and failed.etag else {}

    def _may_follow(self, target: str) -> bool:
        is_ours = is_same_host(target, self._site.origin) or is_below_host(
            target, self._site.origin
        )
        return is_ours and self._robots_of(target).allows(target)

    def _robots_of(self, url: str) -> Robots:
        """Raises SyncFailed, OutOfTime."""
        origin = origin_of(url)
        if origin not in self._robots:
            self._robots[origin] = load_robots(self._visitor, origin)
        return self._robots[origin]

    def _unchanged(self, url: str) -> Item | None:
        if url in self._context.known:
            return Unchanged(url)
        return self._context.known_failures.get(url)

    def _read_stored(self, url: str, answer: FetchedPage, path: Path) -> Item:
        name = name_of(url)
        told = Description(
            name, validator(answer, "ETag"), validator(answer, "Last-Modified"), name, link=url
        )
        known, content_hash = self._context.known.get(url), sha256_of(path)
        if known is not None and known.content_hash == content_hash:
            return Unchanged(url, told)
        try:
            content_type = content_type_of(path, filename_of(answer, name))
            if content_type not in READ_TYPES:
                raise FileProcessingFailed(Reason("linked_file_is_none"))
            file = GivenFile(url, told, content_type, content_hash, path, parts="")
            return self._within_plan(read_single(file, self._context))
        except (FileProcessingFailed, UnsupportedFileType) as error:
            return Failed(url, error.reason, title=name, etag=told.etag)
        except ReaderNotConfigured as error:
            return Failed(url, error.reason, title=name)

    def _within_plan(self, document: ReadDocument) -> Item:
        if self._passages_left is None:
            return document
        if (count := len(document.passages)) > self._passages_left:
            reason = Reason("linked_file_over_plan", count=count)
            return Failed(document.external_id, reason, title=document.title)
        self._passages_left -= len(document.passages)
        return document


def rewound(file: BufferedWriter, head: FetchedPage) -> BufferedWriter:
    """The file, empty again for a further try. Raises TooLarge before it is fetched in vain."""
    size = head.headers.get("Content-Length", "")
    if size.isascii() and size.isdigit() and int(size[:15]) > settings.UPLOAD_MAX_BYTES:
        raise TooLarge(too_large(int(size[:15])))
    file.seek(0)
    file.truncate()
    return file


def passages_left(source: Source, *, staged: int) -> int | None:
    """The passages that the plan has left for files; None where it has no limit. One query.

    Args:
        staged: passages of this run that may not be reserved yet.
    """
    plan = source.tenant.plan
    if not plan.blocks_overage or plan.max_passages is None:
        return None
    held = Source.objects.for_tenant(source.tenant).sum_passages()
    return max(0, plan.max_passages - held - staged)
