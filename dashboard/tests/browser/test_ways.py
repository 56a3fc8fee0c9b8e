"""The main ways through the dashboard: a real browser, and a real copy of the service with its
worker, its mails and its model."""

from __future__ import annotations

import email
import itertools
import re
from collections.abc import Iterator
from email import policy
from pathlib import Path

import pyotp
import pytest
from playwright.sync_api import Locator, Page, expect

from channels.tests.browser.conftest import Visit, Visitor, browser, visit  # noqa: F401 - fixtures
from channels.tests.browser.product import host_page
from channels.tests.browser.widget import Widget
from config.embedded.processes import wait_until
from config.tests.service_copy import Copy, copy_in, folder_of_copies
from config.tests.web_server import Site, serve_site

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end, pytest.mark.timeout(400)]

PASSWORD = "a long enough secret 7"
OPENING_HOURS = (
    "The lighthouse opens every day from ten to six, and on Fridays until midnight."
    " A ticket costs seven euros, and children under twelve come in free."
)
PARKING = "Cars park behind the lighthouse, which costs three euros a day."
BOATS = "The boat to the island leaves at nine from the old pier, and returns at five."
SECONDS = 60  # for what a worker does, beside other tests

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def copy() -> Iterator[Copy]:
    with folder_of_copies() as folder, copy_in(folder / "data") as copy:
        copy.start_and_wait()
        yield copy


@pytest.fixture
def somebody(copy: Copy, visit: Visit) -> Person:  # noqa: F811 - the fixture
    """Nobody knows them yet."""
    return Person(copy, visit(f"{copy.url}/"))


class Person:
    """Somebody at a browser of their own."""

    def __init__(self, copy: Copy, visitor: Visitor) -> None:
        self.copy, self.visitor = copy, visitor
        self.address = f"person{next(_numbers)}@company.example"

    @property
    def page(self) -> Page:
        return self.visitor.page

    def open(self, path: str) -> None:
        self.page.goto(f"{self.copy.url}{path}")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def follow(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label).and_(self.page.locator("input, textarea")).first.fill(text)

    def sign_up(self) -> None:
        """From the first page to a workspace of one's own."""
        self.follow("Create a workspace")
        self.fill("E-mail address", self.address)
        self.fill("Password", PASSWORD)
        self.fill("Name of the workspace", f"Lighthouse of {self.address.partition('@')[0]}")
        self.press("Continue")
        self.fill("Code", mailed_code(self.copy.data_dir / "outbox", self.address))
        self.page.locator("main button[type=submit]").first.click()
        expect(self.page).to_have_url(f"{self.copy.url}/dashboard/")

    def sign_in(self) -> None:
        self.open("/dashboard/sign-in")
        self.fill("E-mail address", self.address)
        self.fill("Password", PASSWORD)
        self.press("Sign in")

    def add_files(self, **texts: str) -> None:
        """And waits until they answer."""
        self.open("/dashboard/sources/add")
        files = [
            {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": text.encode()}
            for name, text in texts.items()
        ]
        self.page.locator("#upload input[type=file]").set_input_files(files)  # type: ignore[arg-type]  # dicts
        for name in texts:
            row = self.page.locator("#uploads li", has_text=f"{name}.txt")
            expect(row).to_contain_text("Synced", timeout=SECONDS * 1000)

    def make_agent(self, name: str) -> None:
        self.open("/dashboard/agents/new")
        self.fill("Name", name)
        self.press("Create the agent")
        expect(self.page.get_by_role("heading", name=name)).to_be_visible()

    def ask(self, question: str) -> None:
        """In the playground that is open, until the answer is whole."""
        self.fill("Question", question)
        self.press("Ask")
        expect(self.page.get_by_text("Why this answer").last).to_be_visible(timeout=SECONDS * 1000)


def mailed_code(outbox: Path, address: str) -> str:
    """The six digits of the last mail to them."""
    found: list[str] = []

    def has_come() -> bool:
        for path in sorted(outbox.glob("*.eml")):
            mail = email.message_from_bytes(path.read_bytes(), policy=policy.default)
            body = mail.get_body(("plain",))
            if mail["To"] == address and body is not None:
                found.extend(re.findall(r"\b\d{6}\b", body.get_content()))
        return bool(found)

    assert wait_until(has_come, timeout_seconds=SECONDS)
    return found[-1]


# --- The ways -------------------------------------------------------------------------------------


def test_from_the_first_page_to_a_cited_answer(somebody: Person) -> None:
    somebody.sign_up()
    somebody.add_files(opening_hours=OPENING_HOURS)
    somebody.make_agent("Marina")

    somebody.follow("Playground")
    somebody.ask("How much is a ticket?")

    answer = somebody.page.locator("[data-log]")
    expect(answer).to_contain_text("A ticket costs seven euros")
    expect(answer).to_contain_text("opening_hours.txt")


def test_signing_in_with_a_second_factor(somebody: Person) -> None:
    somebody.sign_up()
    somebody.open("/dashboard/account/two-factor")
    somebody.press("Turn it on")
    secret = somebody.page.locator("#secret").inner_text().replace(" ", "")
    somebody.fill("Code", pyotp.TOTP(secret).now())
    somebody.press("Turn it on")
    recovery_codes = somebody.page.locator("#codes").inner_text().split()
    somebody.page.locator("details.account summary").click()
    somebody.press("Sign out")

    somebody.sign_in()
    somebody.fill("Code", recovery_codes[0])
    somebody.page.locator("main button[type=submit]").first.click()

    expect(somebody.page).to_have_url(f"{somebody.copy.url}/dashboard/")


def test_three_files_at_once_and_their_order_by_keyboard(somebody: Person) -> None:
    somebody.sign_up()
    somebody.add_files(hours=OPENING_HOURS, parking=PARKING, boats=BOATS)
    somebody.open("/dashboard/sources")
    names = somebody.page.locator(".source-name")
    before = names.all_inner_texts()

    up = somebody.page.get_by_role("button", name=f"Move “{before[2]}” up")
    up.focus()
    somebody.page.keyboard.press("Enter")

    wanted = [before[0], before[2], before[1]]
    expect(names).to_have_text(wanted)
    somebody.page.reload()
    expect(names).to_have_text(wanted)


def test_an_agent_on_a_website_and_the_lead_that_it_wins(somebody: Person, visit: Visit) -> None:  # noqa: F811
    with serve_site() as site:
        somebody.sign_up()
        somebody.add_files(hours=OPENING_HOURS)
        somebody.make_agent("Marina")
        put_on_website(somebody, site)

        widget = Widget(visit(f"{site.url}/"))
        widget.open()
        widget.ask_and_hear("I want to buy twenty tickets for my school")
        widget.ask_and_hear("I am Eva, eva@school.example")

    somebody.open("/dashboard/leads")
    somebody.page.get_by_role("link", name=re.compile("eva", re.I)).first.click()
    somebody.page.get_by_label("Status").select_option("won")
    somebody.press("Save the status")
    expect(somebody.page.locator(".heading .badge")).to_have_text("Won")


def put_on_website(person: Person, site: Site) -> None:
    """With the snippet that the dashboard shows."""
    address = person.page.url.split("?")[0]
    agent = re.search(r"/agents/([0-9a-f-]{36})", address)
    assert agent is not None
    person.open(f"/dashboard/agents/{agent[1]}/settings")
    person.page.get_by_label("Websites that may show the chat").fill(site.url)
    person.page.get_by_label("Collect leads").check()
    person.fill("E-mail address for new leads", person.address)
    person.page.get_by_label("Keep conversations").check()
    person.press("Save")
    person.open(f"/dashboard/agents/{agent[1]}/channels")
    person.page.locator("#web").get_by_role("button", name=re.compile("^Connect")).click()
    snippet = person.page.locator("#snippet").inner_text()
    page = host_page("SCRIPT", agent[1])
    html = re.sub(r"<script.*</script>", lambda _: snippet, page)
    site.pages["/"] = lambda handler: handler.answer(html)


def test_a_question_that_nothing_answered_is_answered_by_hand(somebody: Person) -> None:
    somebody.sign_up()
    somebody.add_files(hours=OPENING_HOURS)
    somebody.make_agent("Marina")
    agent = somebody.page.url
    somebody.page.goto(f"{agent}/settings")
    somebody.page.get_by_label("Keep conversations").check()
    somebody.press("Save")
    somebody.page.goto(f"{agent}/playground")
    somebody.ask("Do you rent binoculars?")

    somebody.open("/dashboard/unanswered")
    somebody.follow("Do you rent binoculars?")
    somebody.fill("Answer", "Yes, binoculars are rented at the counter for two euros an hour.")
    somebody.press("Save the answer")
    somebody.open("/dashboard/unanswered/entries")
    state = somebody.page.locator("#entries-state")
    expect(state).to_contain_text("The agents answer from it", timeout=SECONDS * 1000)

    somebody.page.goto(f"{agent}/playground")
    somebody.ask("Do you rent binoculars?")
    expect(somebody.page.locator("[data-log]")).to_contain_text("for two euros an hour")


def test_signing_in_and_asking_by_keyboard_alone(somebody: Person) -> None:
    somebody.sign_up()
    somebody.add_files(hours=OPENING_HOURS)
    somebody.make_agent("Marina")
    somebody.page.locator("details.account summary").click()
    somebody.press("Sign out")
    keys = somebody.page.keyboard

    somebody.open("/dashboard/sign-in")
    # Browsers give it the focus a moment after the page has loaded.
    expect(somebody.page.get_by_label("E-mail address")).to_be_focused()
    keys.type(somebody.address)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(somebody.page).to_have_url(f"{somebody.copy.url}/dashboard/")
    for link in ("Agents", "Marina", "Playground"):
        walk_to(somebody.page, link)
        keys.press("Enter")
        somebody.page.wait_for_load_state()
    walk_to(somebody.page, "Question")
    keys.type("How much is a ticket?")
    keys.press("Enter")

    expect(somebody.page.locator("[data-log]")).to_contain_text(
        "A ticket costs seven euros", timeout=SECONDS * 1000
    )


def walk_to(page: Page, name: str) -> None:
    """With the Tab key, to what is called so; the focus can be seen on the way."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if focused.count() and name in named(focused):
            assert focused.evaluate("element => getComputedStyle(element).outlineStyle") != "none"
            return
    raise AssertionError(f"{name} is not reached")


def named(focused: Locator) -> str:
    return str(
        focused.evaluate(
            "element => [element.textContent, element.getAttribute('aria-label') ?? '',"
            " ...[...(element.labels ?? [])].map((label) => label.textContent)].join(' ')"
        )
    )


def test_a_lost_connection_is_noticed_and_so_is_its_return(somebody: Person) -> None:
    somebody.sign_up()
    note = somebody.page.locator("#connection")

    somebody.visitor.context.set_offline(True)
    expect(note).to_have_text("The connection is lost. This page tries again by itself.")
    somebody.visitor.context.set_offline(False)

    expect(note).to_have_text("The connection is back.")
    expect(note).to_be_hidden()


def test_another_workspaces_address_is_not_found(
    copy: Copy,
    visit: Visit,  # noqa: F811
) -> None:
    owner, stranger = (Person(copy, visit(f"{copy.url}/")) for _ in range(2))
    owner.sign_up()
    owner.make_agent("Marina")
    stranger.sign_up()

    stranger.page.goto(owner.page.url)

    expect(stranger.page.get_by_role("heading", name="Not found")).to_be_visible()
    expect(stranger.page.locator("body")).not_to_contain_text("Marina")
