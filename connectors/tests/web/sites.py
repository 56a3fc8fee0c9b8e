"""Websites for tests of the crawler: pages are written in one line, and what a sync did is read in
one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from config.tests.web_server import Site
from reading.passages import ReadDocument
from sources.connectors.interface import (
    Cut,
    Failed,
    Gone,
    Item,
    KnownDocument,
    LeftOut,
    Replaced,
    Unchanged,
)

if TYPE_CHECKING:
    from accounts.models import Tenant
from connectors.web.connector import WebConnector
from sources.models import Source
from sources.tests.connectors.context import FakeRun

WORDS = "The workshop opens at nine and repairs every bicycle within two days of its arrival"


def html(text: str, *, title: str = "Page", links: Iterable[str] = (), head: str = "") -> str:
    """A page with its own text, long enough to be one, and a list of links below it."""
    anchors = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body><main>"
        f"<h1>{title}</h1><p>{text}. {WORDS}, says the page about {text}.</p></main>"
        f"<nav>{anchors}</nav></body></html>"
    )


def make_web_source(tenant: Tenant, url: str) -> Source:
    return Source.objects.for_tenant(tenant).create(name="Site", source_type="web", source_url=url)


def crawl(source: Source, known: Iterable[KnownDocument] = ()) -> list[Item]:
    return list(WebConnector().read(source, FakeRun(known)))


def known_after(items: Iterable[Item]) -> list[KnownDocument]:
    """What the next sync knows of these documents."""
    return [
        KnownDocument(
            item.external_id, item.title, item.content_hash, item.etag, item.last_modified
        )
        for item in items
        if isinstance(item, ReadDocument)
    ]


def told(items: Iterable[Item], site: Site) -> list[str]:
    """Short: "/a" was read, "= /a" unchanged, "! /a" failed, "cut" or "cut, rest kept",
    "left out: 3". Documents that are gone are told by `missing`."""
    return [tell(item, site) for item in items if not isinstance(item, Gone | Replaced)]


def missing(items: Iterable[Item], site: Site) -> list[str]:
    """Short: "/a" is gone, "/a → /b" is replaced."""
    return [
        " → ".join(url.removeprefix(site.url) for url in urls)
        for urls in (
            (item.external_id, item.by) if isinstance(item, Replaced) else (item.external_id,)
            for item in items
            if isinstance(item, Gone | Replaced)
        )
    ]


def tell(item: Item, site: Site) -> str:
    match item:
        case ReadDocument():
            return item.external_id.removeprefix(site.url)
        case Unchanged():
            return "= " + item.external_id.removeprefix(site.url)
        case Failed():
            return "! " + item.external_id.removeprefix(site.url)
        case Cut():
            return "cut, rest kept" if item.keeps_rest else "cut"
        case LeftOut():
            return f"left out: {item.reason.values['count']}"
    raise AssertionError(item)
