"""An invitation's link in a real browser: its token stands behind the #, for the form alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Request, expect

from accounts.models import Tenant
from accounts.tests.factories import make_invitation, make_stranger
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    Visit,
    browser,
    product,
    running_product,
    visit,
)
from config.tests.running_product import Product

pytestmark = pytest.mark.slow

PASSWORD = "a long enough secret 7"


def test_the_link_fills_the_form_and_stands_in_no_address_that_is_asked_for(
    product: Product,  # noqa: F811 - the fixture
    visit: Visit,  # noqa: F811 - the fixture
    committed_tenant: Tenant,
) -> None:
    token = make_invitation(committed_tenant, make_stranger("bea@company.example"))
    page = visit(f"{product.url}/").page
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))

    page.goto(f"{product.url}/activate#token={token}")
    expect(page.get_by_label("Link from the e-mail")).to_be_hidden()
    page.get_by_role("link", name="Español").click()
    page.get_by_role("link", name="English").click()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill("another one")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_text("The two passwords do not match.")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()

    page.wait_for_url(f"{product.url}/dashboard/")
    assert len(asked) > 5
    for request in asked:
        assert token not in request.url.partition("#")[0]
        assert token not in request.headers.get("referer", "")


def test_a_link_without_its_token_asks_for_it(
    product: Product,  # noqa: F811 - the fixture
    visit: Visit,  # noqa: F811 - the fixture
) -> None:
    page = visit(f"{product.url}/activate").page

    expect(page.get_by_label("Link from the e-mail")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Join").click()

    expect(page.get_by_text("The link is incomplete.")).to_be_visible()
