"""A program signs in through a real browser, and what the browser makes of our consent page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Program, ProgramCode, Tenant, User
from accounts.tests.factories import make_user
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    Visit,
    browser,
    product,
    running_product,
    visit,
)
from config.tests.running_product import Product
from config.tests.web_server import Site, serve_site
from dashboard.tests.browser.program import OAuthProgram

pytestmark = pytest.mark.slow

PASSWORD = "a long enough secret 7"


@pytest.fixture
def ana(committed_tenant: Tenant) -> User:
    return make_user(committed_tenant, email="ana@company.example", password=PASSWORD)


@pytest.fixture
def machine() -> Iterator[Site]:
    """The person's own, where a program listens on a port that it has just chosen."""
    with serve_site() as site:
        site.page("*", "You can close this window.")
        yield site


@pytest.fixture
def program(
    product: Product,  # noqa: F811 - the fixture
    settings: Any,
    machine: Site,
    committed_tenant: Tenant,
) -> Iterator[OAuthProgram]:
    """Registered with another port: on loopback any will do (RFC 8252, section 7.3)."""
    settings.BASE_URL = product.url
    settings.MCP_RESOURCE = f"{product.url}/tenants/me/mcp"
    program = OAuthProgram(product.url, f"{machine.url}/callback")
    program.register("http://127.0.0.1:1/callback")
    yield program
    Program.objects.all().delete()  # of no tenant, they would stay


def sign_in(page: Page, person: User) -> None:
    page.get_by_label("E-mail address").fill(person.email)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign in")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_a_program_signs_in_calls_and_is_refused_once_its_access_is_ended(
    program: OAuthProgram,
    machine: Site,
    ana: User,
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    page = visit(program.consent_address()).page
    sign_in(page, ana)
    expect(page.get_by_role("heading", name="Give “Claude” access?")).to_be_visible()
    expect(page.locator(".going-back")).to_contain_text("a program on this computer")
    press(page, "Allow")
    expect(page.get_by_text("You can close this window.")).to_be_visible()
    tokens = program.fetch_tokens(machine.paths[0])
    assert program.call(tokens["access_token"]).status_code == 200

    page.goto(f"{program.service}/dashboard/workspace/programs")
    expect(page.get_by_role("row").filter(has_text="Claude")).to_contain_text(ana.email)
    page.get_by_role("button", name="End access").click()
    page.get_by_role("dialog").get_by_role("button", name="End access").click()
    expect(page.get_by_text("The program no longer has access.")).to_be_visible()

    assert program.call(tokens["access_token"]).status_code == 401
    again = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    assert program.ask_for_tokens(**again)["error"] == "invalid_grant"


def test_whoever_cancels_goes_back_and_nothing_is_given(
    program: OAuthProgram,
    machine: Site,
    ana: User,
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    page = visit(program.consent_address()).page
    sign_in(page, ana)
    press(page, "Cancel")
    expect(page.get_by_text("You can close this window.")).to_be_visible()

    assert "error=access_denied" in machine.paths[0]
    assert not ProgramCode.all_tenants.filter(membership__user=ana).exists()


def test_a_program_on_the_web_may_lead_the_person_on_to_its_app(
    program: OAuthProgram,
    machine: Site,
    ana: User,
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    """Browsers hold that redirect too to the form-action of the page that the form stood on."""
    with serve_site() as app:
        app.page("*", "This is the app.")
        machine.page("*", status=302, location=f"{app.url}/welcome")
        visitor = visit(program.consent_address())
        sign_in(visitor.page, ana)
        press(visitor.page, "Allow")

        expect(visitor.page.get_by_text("This is the app.")).to_be_visible()
    assert not [text for text in visitor.console if "Content Security Policy" in text]


def test_an_app_is_opened_by_its_own_address(
    program: OAuthProgram,
    ana: User,
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    cursor = OAuthProgram(program.service, "cursor://anysphere.cursor-mcp/oauth/callback")
    cursor.register()
    page = visit(cursor.consent_address()).page
    sign_in(page, ana)
    press(page, "Allow")

    link = page.get_by_role("link", name="Open the program")
    expect(link).to_be_visible()
    assert str(link.get_attribute("href")).startswith(f"{cursor.callback}?code=")


def test_no_other_page_shows_ours_in_a_frame(
    program: OAuthProgram,
    machine: Site,
    ana: User,
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    """A click on "Allow" is meant."""
    visitor = visit(program.consent_address())
    sign_in(visitor.page, ana)
    expect(visitor.page.get_by_role("button", name="Allow")).to_be_visible()
    frame = f'<iframe src="{program.consent_address().replace("&", "&amp;")}"></iframe>'
    machine.page("/trap", f"<h1>A trap</h1>{frame}")
    visitor.page.goto(f"{machine.url}/trap")
    visitor.page.wait_for_load_state("networkidle")

    assert visitor.page.frame_locator("iframe").get_by_role("button").count() == 0
    assert any("frame-ancestors" in text for text in visitor.console)
