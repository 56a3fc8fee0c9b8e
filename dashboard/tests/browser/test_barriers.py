"""Whoever sees little, or has a small screen, can use every page: what axe finds in a real browser,
and that nothing has to be scrolled sideways.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page
from pytest_django import Settings

from accounts.models import Role, Tenant
from accounts.services.signing_in.cookies import make_cookie
from accounts.tests.factories import make_session
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    browser,
    product,
    running_product,
)
from config.tests.isolation.world import Side, fill_side
from config.tests.running_product import Product
from dashboard.coming_in.legal import TITLES
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
    "dashboard/account/data/<uuid:export_id>",
    "dashboard/activity.csv",
    "dashboard/docs/schema",
    "dashboard/leads/export",
    "dashboard/notifications/bell",
    "dashboard/sources/<uuid:source_id>/download",
    "dashboard/sources/<uuid:source_id>/live",
    "dashboard/sources/earlier",
    "dashboard/sources/states",
    "dashboard/unanswered/entries/state",
    "dashboard/workspaces/menu",
}
SWAGGER = "dashboard/docs"  # a page of Swagger UI's making, not ours
PAGES = [row for row in ROWS if row.method == "GET" and row.route not in {*PARTS, SWAGGER}]

# What is folded away is shown: menus, tables of numbers.
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"
# What a theme changes, and no other of axe's rules looks at: colours.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
ASK_AXE = """async ([serious, rules]) => {
  const some = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const found = await axe.run(document, { resultTypes: ["violations"], ...some });
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
    settings: Settings,
    tmp_path: Path,
) -> Iterator[Opened]:
    """Every page: of an admin who is signed in, and the public ones of somebody who is not."""
    settings.LEGAL_DIR = tmp_path
    for name in TITLES:
        (tmp_path / f"{name}.en.md").write_text("# Ours\n\n| What | Why |\n|---|---|\n| a | b |\n")
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


def test_axe_finds_no_serious_barrier_and_nothing_is_scrolled_sideways(opened: Opened) -> None:
    """On any page. Each is opened once for both: that takes as long as to look at it."""
    found: dict[str, list[str]] = {}
    for name, page in opened:
        found |= find_what_sticks_out(name, page)
        found |= find_barriers(name, page)

    assert {where: what for where, what in found.items() if what} == {}


def find_what_sticks_out(name: str, page: Page) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for width in (ZOOMED, PHONE):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        found[f"{name} at {width}"] = page.evaluate(STICKS_OUT)
    return found


def find_barriers(name: str, page: Page) -> dict[str, list[str]]:
    """By all rules at each width, and by those of colours in each theme as well."""
    found: dict[str, list[str]] = {}
    page.evaluate(AXE)
    page.evaluate(UNFOLD)
    for width, theme in itertools.product((DESKTOP, PHONE), THEMES):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=theme)
        rules = [] if theme == THEMES[0] else OF_COLOURS
        found[f"{name} at {width}, {theme}"] = page.evaluate(ASK_AXE, [SERIOUS, rules])
    found[f"{name}: dialogs"] = page.evaluate(ASK_OF_DIALOGS, SERIOUS)
    return found


BARRIERS = """<!doctype html><html lang="en"><title>Barriers</title><style>
@media (prefers-color-scheme: dark) { .dark { color: #222; background: #333 } }
</style><main><h1>Barriers</h1><p class="dark">Hard to see in the dark.</p><img src="data:,">
<p style="width: 700px">Wide</p><dialog aria-label="One"><input></dialog></main></html>"""


def test_barriers_are_found_where_there_are_some(browser: Browser) -> None:  # noqa: F811 - the fixture
    """By each rule in its theme, in the dialog, and what is too wide where it is."""
    with browser.new_context() as context:
        page = context.new_page()
        page.set_content(BARRIERS)
        found = find_what_sticks_out("it", page) | find_barriers("it", page)

    kinds = {where: [one.partition(":")[0] for one in what] for where, what in found.items()}
    assert [len(kinds["it at 640"]), len(kinds["it at 360"])] == [1, 1]
    assert kinds["it at 1280, light"] == kinds["it at 360, light"] == ["image-alt"]
    assert kinds["it at 1280, dark"] == kinds["it at 360, dark"] == ["color-contrast"]
    assert kinds["it: dialogs"] == ["label"]
