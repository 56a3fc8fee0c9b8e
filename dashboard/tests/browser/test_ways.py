"""The main ways through the dashboard: a real browser, and a real copy of the service with its
worker, its mails and its model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyotp
import pytest
from playwright.sync_api import Locator, Page, expect

from channels.tests.browser.conftest import Visit, browser, visit  # noqa: F401 - fixtures
from channels.tests.browser.host_page import host_page
from channels.tests.browser.widget import Widget
from config.tests.service_copy import Copy
from config.tests.suite.shared_copy import SharedCopy
from config.tests.web_server import Site, serve_site
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from dashboard.tests.browser.person import PASSWORD, SECONDS, Person

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end, pytest.mark.timeout(400)]

OPENING_HOURS = (
    "The lighthouse opens every day from ten to six, and on Fridays until midnight."
    " A ticket costs seven euros, and children under twelve come in free."
)
PARKING = "Cars park behind the lighthouse, which costs three euros a day."
BOATS = "The boat to the island leaves at nine from the old pier, and returns at five."


@pytest.fixture(scope="module")
def drive(shared_copy: SharedCopy) -> Iterator[GoogleDriveServer]:
    """Of two folders that are to be read, and one that is not."""
    with GoogleDriveServer(shared_copy.ports["drive"]) as server:
        for name, text in (("Visits", OPENING_HOURS), ("Cars", PARKING), ("Private", "Secret.")):
            server.content.add_file(f"{name}.txt", text, server.content.add_folder(name))
        yield server


@pytest.fixture(scope="module")
def copy(shared_copy: SharedCopy, drive: GoogleDriveServer) -> Copy:
    callback = f"{shared_copy.copy.url}/dashboard/connections/callback"
    drive.authorization.redirect_uris.add(callback)
    return shared_copy.copy


@pytest.fixture
def somebody(copy: Copy, visit: Visit) -> Person:  # noqa: F811 - the fixture
    """Nobody knows them yet."""
    return Person(copy, visit(f"{copy.url}/"))


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
    expect(state).to_contain_text("Agents answer from it", timeout=SECONDS * 1000)

    somebody.page.goto(f"{agent}/playground")
    somebody.ask("Do you rent binoculars?")
    expect(somebody.page.locator("[data-log]")).to_contain_text("for two euros an hour")


def test_a_drive_is_connected_asked_revoked_and_connected_again(
    drive: GoogleDriveServer, somebody: Person
) -> None:
    somebody.sign_up()
    somebody.make_agent("Marina")
    agent = somebody.page.url
    connect_drive(somebody)
    choose(somebody, "Visits", "Cars")
    wait_for_state(somebody, "Synced")
    source = somebody.page.url
    expect(somebody.page.locator("#contents")).to_contain_text("Visits / Visits.txt")

    ask_for_price(somebody, agent)

    drive.authorization.revoke_all()
    somebody.page.goto(source)
    somebody.press("Sync now")
    wait_for_state(somebody, "No access")
    ask_for_price(somebody, agent)  # agents keep answering from what was already read

    somebody.page.goto(source)
    somebody.press("Connect it again")
    somebody.press("Continue")
    expect(somebody.page.locator("main")).to_contain_text("is connected.")
    somebody.page.goto(source)
    wait_for_state(somebody, "Synced")
    ask_for_price(somebody, agent)


def connect_drive(person: Person) -> None:
    """From the list of sources to the drive's own page, and back."""
    person.open("/dashboard/sources/connect")
    person.page.locator("#cloud_drive_a").get_by_role("link").click()
    expect(person.page.locator("main")).to_contain_text("Permissions are not carried over.")
    person.press("Go to Google Drive")
    person.press("Continue")  # over there


def choose(person: Person, *folders: str) -> None:
    """In the tree; then looks it over, and lets it be read."""
    person.page.locator("summary", has_text="My Drive").click()
    for name in folders:
        person.page.get_by_label(name).check()
    person.press("Continue")
    expect(person.page.locator("main")).to_contain_text("2 documents", timeout=SECONDS * 1000)
    person.press("Read it")


def wait_for_state(person: Person, state: str) -> None:
    expect(person.page.locator(".source-state")).to_contain_text(state, timeout=SECONDS * 1000)


def ask_for_price(person: Person, agent: str) -> None:
    """Where visitors find it, and whence the answer comes."""
    person.page.goto(f"{agent}/playground")
    person.ask("How much is a ticket?")
    answer = person.page.locator("[data-log]")
    expect(answer).to_contain_text("A ticket costs seven euros")
    expect(answer.locator(".answer-sources")).to_contain_text("Visits / Visits.txt")


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
    expect(note).to_have_text("The connection was lost. This page will try again automatically.")
    somebody.visitor.context.set_offline(False)

    expect(note).to_have_text("Connected again.")
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
