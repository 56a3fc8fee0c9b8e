"""The widget as a visitor meets it. Playwright looks into its open shadow root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Semaphore

from playwright.sync_api import Locator, Page, expect

from channels.tests.browser.conftest import Visitor
from query.tests.chat_server import Handler, Reply, chunk

HOST = "knowledge-agent-chat"
ACTIVE_ELEMENTS = (
    "img, picture, video, audio, script, style, link, iframe, object, embed, base, meta, template,"
    " [style], [srcdoc], [action]"
)


@dataclass(frozen=True)
class Widget:
    visitor: Visitor

    @property
    def page(self) -> Page:
        return self.visitor.page

    def find(self, selector: str) -> Locator:
        return self.page.locator(f"{HOST} {selector}")

    @property
    def launcher(self) -> Locator:
        return self.find(".launcher")

    @property
    def panel(self) -> Locator:
        return self.find(".panel")

    @property
    def input(self) -> Locator:
        return self.find("textarea")

    @property
    def said(self) -> Locator:
        """By the agent, the welcome first; not what is still being written."""
        return self.find(".message.agent:not([aria-hidden]) .bubble")

    @property
    def draft(self) -> Locator:
        return self.find(".message.agent[aria-hidden] .bubble")

    @property
    def note(self) -> Locator:
        """What went wrong."""
        return self.find(".note span")

    def open(self) -> None:
        """And is welcomed."""
        self.launcher.click()
        expect(self.said).to_have_count(1)

    def ask(self, question: str) -> None:
        self.input.fill(question)
        self.find("button[type=submit]").click()

    def ask_and_hear(self, question: str) -> str:
        before = self.said.count()
        self.ask(question)
        expect(self.said).to_have_count(before + 1)
        return self.said.last.inner_text()

    def active_elements(self) -> list[str]:
        """What could load or run something."""
        found: list[str] = self.page.evaluate(
            """([host, active]) => {
              const all = [...document.querySelector(host).shadowRoot.querySelectorAll("*")];
              const isActive = (element) => element.matches(active)
                || element.getAttributeNames().some((name) => /^on/i.test(name));
              return all.filter(isActive).map((element) => element.outerHTML);
            }""",
            [HOST, ACTIVE_ELEMENTS],
        )
        return found

    def links(self) -> list[str]:
        return [str(link.get_attribute("href")) for link in self.find("a").all()]


def in_steps(*pieces: str) -> tuple[Reply, Callable[[], None]]:
    """A model that says the first piece, and one more each time that the second function is
    called."""
    steps = Semaphore(1)

    def reply(handler: Handler) -> None:
        handler.begin_stream()
        for piece in pieces:
            assert steps.acquire(timeout=60)
            handler.send_part(chunk({"content": piece}))
        handler.send_part(chunk({}, "stop"))
        handler.send_part(b"data: [DONE]\n\n")
        handler.end_stream()

    return reply, steps.release
