"""Whoever sees little, or has a small screen, can use every page: what axe finds in a real browser,
and that nothing has to be scrolled sideways.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page

from accounts.models import Role, Tenant
from accounts.tests.factories import make_session
from accounts.tokens import make_cookie
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    browser,
    product,
    running_product,
)
from config.tests.isolation.world import Side, fill_side
from config.tests.running_product import Product
from dashboard.door import COOKIE, PATH
from dashboard.tests.accounts import Shelves, shelves  # noqa: F401 - a fixture
from dashboard.tests.factories import pages_of
from dashboard.tests.test_isolation import ROWS, address, is_page
from query.models import Lead

pytestmark = pytest.mark.slow

AXE = (files("axe_playwright_python") / "axe.min.js").read_text()
HEIGHT = 800
DESKTOP, ZOOMED, PHONE = 1280, 640, 360  # pixels wide; 200 % of a desktop leaves 640
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SERIOUS = ("serious", "critical")
# Pieces of a page that htmx asks for, and files.
PARTS = {
    "dashboard/activity.csv",
    "dashboard/docs/schema",
    "dashboard/leads/export",
    "dashboard/notifications/bell",
    "dashboard/sources/<uuid:source_id>/download",
    "dashboard/sources/<uuid:source_id>/live",
    "dashboard/sources/states",
    "dashboard/unanswered/entries/state",
    "dashboard/workspace/exports/<uuid:export_id>",
    "dashboard/workspaces/menu",
}
SWAGGER = "dashboard/docs"  # a page of Swagger UI's making, not ours
PAGES = [row for row in ROWS if row.method == "GET" and row.route not in {*PARTS, SWAGGER}]

# What is folded away is shown: menus, tables of numbers.
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"
ASK_AXE = """async serious => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return found.violations
    .filter(one => serious.includes(one.impact))
    .flatMap(one => one.nodes.map(node => `${one.id}: ${node.html.slice(0, 200)}`));
}"""
# A dialog lies above all else: it is asked about alone.
ASK_OF_DIALOGS = """async serious => {
  const said = [];
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.showModal();
    const found = await axe.run(dialog, { resultTypes: ["violations"] });
    dialog.close();
    for (const one of found.violations.filter(one => serious.includes(one.impact)))
      said.push(`${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
  }
  return said;
}"""
# The innermost of what reaches beyond the screen.
STICKS_OUT = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.querySelectorAll("body *")]
    .filter(one => one.getBoundingClientRect().right > clientWidth && !one.firstElementChild)
    .map(one => one.outerHTML.slice(0, 200));
}"""


@pytest.fixture
def side(committed_tenant: Tenant) -> Side:
    """Some names have no place to break at."""
    side = fill_side(committed_tenant)
    leads = Lead.objects.for_tenant(side.tenant)
    rows: tuple[Any, ...] = (side.tenant, side.source, side.agent, *leads)
    for row in rows:
        row.name = "Rhabarberbarbara" * 6
        row.save()
    return side


Opened = Iterator[tuple[str, Page]]


@pytest.fixture
def opened(
    browser: Browser,  # noqa: F811 - the fixture
    product: Product,  # noqa: F811 - likewise
    side: Side,
    shelves: Shelves,  # noqa: F811 - likewise
) -> Iterator[Opened]:
    """Every page: of an admin who is signed in, and the public ones of somebody who is not."""
    session = make_session(side.people[Role.ADMIN], side.tenant)
    cookie: Any = {"name": COOKIE, "value": make_cookie(session), "url": f"{product.url}{PATH}"}
    with browser.new_context(locale="en-GB") as inside, browser.new_context() as outside:
        inside.add_cookies([cookie])
        yield open_all(inside.new_page(), outside.new_page(), product.url, side.tenant)


def open_all(inside: Page, outside: Page, url: str, tenant: Tenant) -> Opened:
    for row in PAGES:
        page = outside if row.is_public else inside
        answer = page.goto(url + address(row, row.target(tenant)))
        assert answer is not None
        assert answer.ok, row
        yield str(row), page


@pytest.mark.django_db
def test_every_address_is_a_page_of_its_own_or_known_to_be_a_part(
    tenant: Tenant,
    shelves: Shelves,  # noqa: F811 - the fixture
) -> None:
    parts = set()
    for row in ROWS:
        if row.method == "GET":
            answer: Any = pages_of(tenant).get(address(row, row.target(tenant)), follow=True)
            if not is_page(answer):
                parts.add(row.route)

    assert parts == PARTS


def test_axe_finds_no_serious_barrier_on_any_page(opened: Opened) -> None:
    found: dict[str, list[str]] = {}
    for name, page in opened:
        page.evaluate(AXE)
        page.evaluate(UNFOLD)
        for width, theme in itertools.product((DESKTOP, PHONE), THEMES):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.emulate_media(color_scheme=theme)
            found[f"{name} at {width}, {theme}"] = page.evaluate(ASK_AXE, SERIOUS)
        found[f"{name}: dialogs"] = page.evaluate(ASK_OF_DIALOGS, SERIOUS)

    assert {where: what for where, what in found.items() if what} == {}


def test_no_page_is_scrolled_sideways(opened: Opened) -> None:
    found: dict[str, list[str]] = {}
    for name, page in opened:
        for width in (ZOOMED, PHONE):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            found[f"{name} at {width}"] = page.evaluate(STICKS_OUT)

    assert {where: what for where, what in found.items() if what} == {}
