"""A drive, from its provider's page to an answer, until its owner takes the right away, and back:
a real browser, and a real copy of the service with its worker and its model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from channels.tests.browser.conftest import Visit, browser, visit  # noqa: F401 - fixtures
from config.tests.service_copy import Copy, copy_in, folder_of_copies
from dashboard.tests.browser.test_ways import OPENING_HOURS, PARKING, SECONDS, Person
from sources.tests.providers.google_drive_server import GoogleDriveServer

pytestmark = [pytest.mark.slow, pytest.mark.end_to_end, pytest.mark.timeout(400)]

MOST_MS = SECONDS * 1000


class Company(NamedTuple):
    copy: Copy
    drive: GoogleDriveServer


@pytest.fixture(scope="module")
def company() -> Iterator[Company]:
    """The service, and a drive of two folders that are to be read, and one that is not."""
    with (
        GoogleDriveServer() as drive,
        folder_of_copies() as folder,
        copy_in(folder / "data") as copy,
    ):
        for name, text in (("Visits", OPENING_HOURS), ("Cars", PARKING), ("Private", "Secret.")):
            drive.content.add_file(f"{name}.txt", text, drive.content.add_folder(name))
        drive.authorization.redirect_uris.add(f"{copy.url}/dashboard/connections/callback")
        authorization = drive.authorization
        copy.environ |= {
            "FETCH_ALLOWED_HOSTS": drive.host,
            "GOOGLE_CLIENT_ID": authorization.client_id,
            "GOOGLE_CLIENT_SECRET": authorization.client_secret,
            **dict.fromkeys(
                ("GOOGLE_SIGN_IN_URL", "GOOGLE_TOKEN_URL", "GOOGLE_API_URL"), drive.url
            ),
        }
        copy.start_and_wait()
        yield Company(copy, drive)


@pytest.fixture
def somebody(company: Company, visit: Visit) -> Person:  # noqa: F811 - the fixture
    """With a workspace and an agent."""
    person = Person(company.copy, visit(f"{company.copy.url}/"))
    person.sign_up()
    person.make_agent("Marina")
    return person


def test_a_drive_is_connected_asked_revoked_and_connected_again(
    company: Company, somebody: Person
) -> None:
    agent = somebody.page.url
    connect(somebody)
    choose(somebody, "Visits", "Cars")
    wait_for(somebody, "Synced")
    source = somebody.page.url
    expect(somebody.page.locator("#contents")).to_contain_text("Visits / Visits.txt")

    ask(somebody, agent)

    company.drive.authorization.revoke_all()
    somebody.page.goto(source)
    somebody.press("Sync now")
    wait_for(somebody, "No access")
    ask(somebody, agent)  # what was read goes on answering

    somebody.page.goto(source)
    somebody.press("Connect it again")
    somebody.press("Continue")
    expect(somebody.page.locator("main")).to_contain_text("is connected.")
    somebody.page.goto(source)
    wait_for(somebody, "Synced")
    ask(somebody, agent)


def connect(person: Person) -> None:
    """From the list of sources to the drive's own page, and back."""
    person.open("/dashboard/sources/connect")
    person.page.locator("#cloud_drive_a").get_by_role("link").click()
    expect(person.page.locator("main")).to_contain_text("Permissions are not taken over.")
    person.press("Go to Google Drive")
    person.press("Continue")  # over there


def choose(person: Person, *folders: str) -> None:
    """In the tree; then looks it over, and lets it be read."""
    person.page.locator("summary", has_text="My Drive").click()
    for name in folders:
        person.page.get_by_label(name).check()
    person.press("Continue")
    expect(person.page.locator("main")).to_contain_text("2 documents", timeout=MOST_MS)
    person.press("Read it")


def wait_for(person: Person, state: str) -> None:
    expect(person.page.locator(".source-state")).to_contain_text(state, timeout=MOST_MS)


def ask(person: Person, agent: str) -> None:
    """Where visitors find it, and whence the answer comes."""
    person.page.goto(f"{agent}/playground")
    person.ask("How much is a ticket?")
    answer = person.page.locator("[data-log]")
    expect(answer).to_contain_text("A ticket costs seven euros")
    expect(answer.locator(".answer-sources")).to_contain_text("Visits / Visits.txt")
