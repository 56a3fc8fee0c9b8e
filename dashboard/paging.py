"""Long lists a page at a time: by cursors (config/paging.py), or numbered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from config.paging import PAGE_ROWS, InvalidCursor, read_page

Row = TypeVar("Row", bound=Model)

LAST_PAGE = 1000  # of numbered pages, which cost more the further back they are
CURSOR = "before"  # the parameter that says where a page begins


@dataclass(frozen=True)
class Keyset(Generic[Row]):
    """`older`: where the next page begins; "" on the last. `query`: the list's other parameters,
    encoded."""

    rows: list[Row]
    older: str
    is_first: bool
    query: str


def keyset_page(
    request: HttpRequest, rows: QuerySet[Row, Row], *, owner: Model, size: int = PAGE_ROWS
) -> Keyset[Row]:
    """The requested page of `rows` and `owner` as read_page takes them. An invalid cursor gives the
    first page."""
    place, cursor = f"dashboard:{request.path}", request.GET.get(CURSOR)
    try:
        page = read_page(rows, place=place, owner=owner, size=size, cursor=cursor)
    except InvalidCursor:
        page, cursor = read_page(rows, place=place, owner=owner, size=size), None
    return Keyset(
        rows=page.rows,
        older=page.next_cursor,
        is_first=cursor is None,
        query=other_parameters(request, CURSOR),
    )


@dataclass(frozen=True)
class Numbered(Generic[Row]):
    """A page for components/pager.html, like Django's Page, but without counting all rows."""

    rows: list[Row]
    number: int
    has_next: bool

    @property
    def has_previous(self) -> bool:
        return self.number > 1

    @property
    def has_other_pages(self) -> bool:
        return self.has_previous or self.has_next

    @property
    def next_page_number(self) -> int:
        return self.number + 1

    @property
    def previous_page_number(self) -> int:
        return self.number - 1


def numbered_page(request: HttpRequest, rows: QuerySet[Row, Row]) -> Numbered[Row]:
    """The requested page; an invalid number gives the first page, one that is too large the last
    allowed."""
    text = request.GET.get("page", "")
    number = min(max(int(text), 1), LAST_PAGE) if text.isdecimal() and len(text) < 6 else 1
    begin = (number - 1) * PAGE_ROWS
    found = list(rows[begin : begin + PAGE_ROWS + 1])
    has_next = len(found) > PAGE_ROWS and number < LAST_PAGE
    return Numbered(found[:PAGE_ROWS], number, has_next)


def other_parameters(request: HttpRequest, *without: str) -> str:
    """The other parameters of the address, encoded, for links to other pages of the same list."""
    parameters = request.GET.copy()
    for name in without:
        parameters.pop(name, None)
    return parameters.urlencode()
