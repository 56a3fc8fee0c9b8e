"""The playground and the widget's preview in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from accounts.models import Tenant
from accounts.services.signing_in.cookies import make_cookie
from accounts.tests.factories import make_session, make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.tests.browser.conftest import (  # noqa: F401 - fixtures
    Visit,
    browser,
    product,
    running_product,
    visit,
)
from channels.tests.factories import make_connection
from config.tests.running_product import Product
from dashboard.door import COOKIE
from dashboard.tests.factories import pages_of
from query.models import AnswerMark
from query.tests.factories import index_texts

pytestmark = pytest.mark.slow

HOSTILE = "A visit costs 7 euros. <img src=x onerror=alert(1)> <script>alert(2)</script>"


@pytest.mark.django_db  # so that pytest-django makes tables, of which the tests below see nothing
def test_the_page_needs_a_script_and_says_so(tenant: Tenant) -> None:
    page = pages_of(tenant).get(f"/dashboard/agents/{make_agent(tenant).pk}/playground")

    assert b"The playground needs JavaScript." in page.content
    assert b'<button type="submit" disabled>Ask</button>' in page.content  # a script's to enable


@pytest.fixture
def agent(committed_tenant: Tenant) -> Agent:
    index_texts(committed_tenant, HOSTILE, "The keeper has lived in the tower since 1998.")
    agent = make_agent(committed_tenant, name="Marina", welcome_msg="Ahoy!")
    make_connection(agent, "web")
    return agent


@pytest.fixture
def page(agent: Agent, product: Product, visit: Visit) -> Page:  # noqa: F811 - the fixtures
    """Of an admin who is signed in."""
    session = make_session(make_user(agent.tenant, email="ana@example.com"), agent.tenant)
    visitor = visit("about:blank")
    cookie = {"name": COOKIE, "value": make_cookie(session), "url": f"{product.url}/dashboard"}
    visitor.context.add_cookies([cookie])  # type: ignore[list-item]  # as playwright documents it
    return visitor.page


def ask(page: Page, text: str) -> None:
    page.get_by_label("Question").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("[data-log] article").last).not_to_have_attribute("aria-busy", "true")


def test_an_answer_comes_with_its_sources_and_why_and_nothing_in_it_runs(
    page: Page,
    agent: Agent,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.goto(f"{product.url}/dashboard/agents/{agent.pk}/playground")

    ask(page, "How much does a visit cost?")
    page.get_by_text("Why this answer").click()

    answer = page.locator("[data-log] article").last
    expect(answer.locator(".answer-text")).to_contain_text("7 euros")
    expect(answer.locator(".answer-sources")).to_contain_text("notes.txt")
    expect(answer.locator("mark").first).to_have_text("visit")
    expect(answer.locator("blockquote").last).to_be_visible()
    assert page.locator("[data-log] img, [data-log] script").count() == 0
    assert dialogs == []
    expect(page.get_by_label("Question")).to_have_value("")


def test_a_wrong_answer_is_marked_and_taken_back_where_it_stands(
    page: Page,
    agent: Agent,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    page.goto(f"{product.url}/dashboard/agents/{agent.pk}/playground")
    ask(page, "How much does a visit cost?")

    page.get_by_text("This answer is wrong").click()
    page.get_by_label("What is wrong with it?").fill("It is 8.")
    page.get_by_role("button", name="Mark it as wrong").click()
    expect(page.get_by_text("Marked as wrong")).to_be_visible()

    mark = AnswerMark.objects.for_tenant(agent.tenant).get()
    assert (mark.question, mark.note) == ("How much does a visit cost?", "It is 8.")
    assert mark.sources[0]["source_file"] == "notes.txt"
    page.get_by_role("button", name="Remove the mark").click()
    expect(page.get_by_text("The mark was removed.")).to_be_visible()
    assert not AnswerMark.objects.for_tenant(agent.tenant).exists()


def test_a_new_conversation_forgets_the_one_before(
    page: Page,
    agent: Agent,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    page.goto(f"{product.url}/dashboard/agents/{agent.pk}/playground")
    ask(page, "How much does a visit cost?")
    session = page.locator("[name=session]").input_value()

    page.get_by_role("button", name="New conversation").click()

    expect(page.locator("[data-log] article")).to_have_count(0)
    assert page.locator("[name=session]").input_value() != session


def test_the_preview_greets_though_no_website_is_allowed(
    page: Page,
    agent: Agent,
    product: Product,  # noqa: F811 - the fixture
) -> None:
    page.goto(f"{product.url}/dashboard/agents/{agent.pk}/channels")
    page.locator("iframe.preview").evaluate("frame => frame.scrollIntoView({block: 'end'})")

    frame = page.frame_locator("iframe.preview")
    frame.locator(".launcher").click()

    expect(frame.locator(".message.agent .bubble").first).to_have_text("Ahoy!")
    assert [exchange.status for exchange in product.asked("/sessions")] == [201]
