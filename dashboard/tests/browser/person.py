"""Somebody who uses the dashboard of a running copy in a browser of their own."""

from __future__ import annotations

import email
import itertools
import re
from email import policy
from pathlib import Path

from playwright.sync_api import Page, expect

from channels.tests.browser.conftest import Visitor
from config.embedded.processes import wait_until
from config.tests.service_copy import Copy

PASSWORD = "a long enough secret 7"
SECONDS = 150  # for what a worker does, beside other tests

_numbers = itertools.count(1)


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
