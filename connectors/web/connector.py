"""A website as a source: its pages become documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.utils.translation import gettext_noop

from config.errors import MissingFields
from config.http import HttpClient, check_public_url
from connectors.web import preflight
from connectors.web.crawl import Crawl, ReadPage
from connectors.web.files import (
    FILES_MAX,
    FILES_SECONDS,
    LinkedFiles,
    passages_left,
    tell_left_out,
)
from connectors.web.pages import Page, conditions
from connectors.web.problems import NOT_CUT
from connectors.web.repeats import fold_repeats
from connectors.web.start import open_site, why_nothing
from connectors.web.urls import normalize_url
from connectors.web.visits import OutOfTime, Visitor
from reading.file_types import HTML
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import (
    SOURCE_URL,
    Connector,
    Failed,
    Gone,
    Item,
    KnownDocument,
    Preflight,
    Replaced,
    SyncContext,
    Unchanged,
)
from sources.documents import chunk_document, keep_once
from sources.errors import FileProcessingFailed, OriginUnavailable, SyncFailed
from sources.models import Source

CRAWL_SECONDS = 15 * 60.0  # of one sync


class WebConnector(Connector):
    """`content_hash` of its pages is that of their text: a page whose markup alone changes has not
    changed. All pages come at the end, when it is known what repeats on them; then the files.
    """

    kind = "web"
    label = "Website"
    fields = (SOURCE_URL,)
    can_be_checked = True
    reads = gettext_noop(
        "The pages of a website, starting from the one that you enter, and documents that they link"
        " to."
    )

    def identify(self, fields: Mapping[str, str]) -> str:
        """The normalized address. Raises InvalidValue, also for an address that may not be
        fetched."""
        address = fields[SOURCE_URL.name]
        if not address:
            raise MissingFields(f"Missing: {SOURCE_URL.name}.")
        check_public_url(address)
        return normalize_url(address)

    def check(self, fields: Mapping[str, str], *, max_pages: int) -> Preflight:
        """Raises ExtractionUnavailable when we cannot read pages at the moment."""
        return preflight.check_site(fields[SOURCE_URL.name], max_pages=max_pages)

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        with HttpClient() as client:
            visitor = Visitor(client, seconds=CRAWL_SECONDS)
            try:
                start = open_site(
                    visitor,
                    source.source_url,
                    conditions=lambda url: conditions(context.known.get(url)),
                    step=context.step,
                )
            except OutOfTime as error:
                raise OriginUnavailable(Reason("website_too_slow")) from error
            limit = source.tenant.plan.max_pages_per_crawl
            crawl = Crawl(start, visitor, context, max_pages=limit)
            cut = crawl.run()
            keeps_rest = cut is not None and cut.keeps_rest
            files, left = crawl.choose_files(most=0 if keeps_rest else FILES_MAX)
            if not crawl.results and not files and not (keeps_rest and context.known):
                raise SyncFailed(cut.reason if cut else why_nothing(start.page))
            staged = 0
            for item in make_items(crawl, context):
                staged += len(item.passages) if isinstance(item, ReadDocument) else 0
                yield item
            if files:
                reader = LinkedFiles(
                    start.site,
                    start.robots,
                    Visitor(client, seconds=FILES_SECONDS),
                    context,
                    passages_left=passages_left(source, staged=staged),
                )
                yield from reader.read(files)
        if left and not keeps_rest:
            yield tell_left_out(left)
        if cut is not None:
            yield cut


def make_items(crawl: Crawl, context: SyncContext) -> Iterator[Item]:
    """Yields items in the order of the visits. Pages that differ only in repeated parts are one
    document."""
    with context.step("chunk"):
        folded = folded_pages(crawl)
    holders = {
        context.known[url].content_hash: url
        for url, result in crawl.results.items()
        if isinstance(result, Unchanged)
    }
    for url, result in crawl.results.items():
        if not isinstance(result, ReadPage):
            yield result
        elif (holder := holders.setdefault(folded[url].text_hash, url)) != url:
            yield Replaced(url, by=holder)
        else:
            page = folded[url]
            if not crawl.keeps_validators(result):
                page = replace(page, etag="", last_modified="")
            with context.step("chunk"):
                item = make_item(url, page, context.known.get(url))
            yield item
    yield from map(Gone, crawl.gone & context.known.keys())
    yield from (Replaced(url, by) for url, by in crawl.replaced.items() if url in context.known)


def folded_pages(crawl: Crawl) -> dict[str, Page]:
    pages = {url: read.page for url, read in crawl.results.items() if isinstance(read, ReadPage)}
    folded = fold_repeats([page.document.blocks for page in pages.values()])
    return {
        url: page.with_blocks(blocks)
        for (url, page), blocks in zip(pages.items(), folded, strict=True)
    }


def make_item(url: str, page: Page, known: KnownDocument | None) -> Item:
    """The item of a page; Unchanged also if the page was sent, but its text is the known one. Not
    if its validators are new: they are stored with it, or it would be fetched for ever."""
    if known is not None and known.content_hash == page.text_hash:
        validators = (page.etag, page.last_modified)
        if not any(validators) or validators == (known.etag, known.last_modified):
            return Unchanged(url)
    try:
        passages, repeats = keep_once(chunk_document(page.document))
    except FileProcessingFailed:
        return Failed(url, NOT_CUT)
    return ReadDocument(
        title=page.title,
        external_id=url,
        content_type=HTML,
        content_hash=page.text_hash,
        # The address is set after cutting, which shortens locators: half an address leads nowhere.
        passages=tuple(replace(passage, location=url) for passage in passages),
        warnings=(*page.document.warnings, *repeats),
        coverage=page.document.coverage,
        etag=page.etag,
        last_modified=page.last_modified,
    )
