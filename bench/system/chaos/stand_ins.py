"""Whoever the service speaks with: both messengers, a mail server, websites. All on loopback; what
they were given is in the ledger."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from bench.system.chaos.facts import Fact, codes_in
from bench.system.chaos.ledger import Ledger
from channels.tests.messenger_server import MessengerServer, serving
from channels.tests.telegram_server import TelegramHandler, TelegramServer
from channels.tests.whatsapp_server import WhatsAppHandler, WhatsAppServer

PAGES = 8
LINK = re.compile(r"token=([\w-]+)")


@dataclass
class NotedTelegram(TelegramServer):
    ledger: Ledger | None = None

    def keep_text(self, account: str, chat_id: object, text: str) -> int:
        note_text(self, self.ledger, account, chat_id, text)
        return super().keep_text(account, chat_id, text)


@dataclass
class NotedWhatsApp(WhatsAppServer):
    ledger: Ledger | None = None

    def keep_text(self, account: str, chat_id: object, text: str) -> int:
        note_text(self, self.ledger, account, chat_id, text)
        return super().keep_text(account, chat_id, text)


def note_text(
    server: MessengerServer, ledger: Ledger | None, account: str, chat_id: object, text: str
) -> None:
    """`calls` are of no use here, and would grow for an hour."""
    server.calls.clear()
    assert ledger is not None
    ledger.note("text sent", account=account, chat=str(chat_id), codes=codes_in(text), text=text)


# --- Mails ----------------------------------------------------------------------------------------


@dataclass
class Mailbox:
    """Takes every mail. `tokens`: the last link's, by recipient."""

    ledger: Ledger
    port: int = 0
    tokens: dict[str, str] = field(default_factory=dict)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        mail = message_from_bytes(envelope.original_content or b"", policy=policy.default)
        assert isinstance(mail, EmailMessage)
        part = mail.get_body(("plain",))
        text = str(part.get_content()) if part else ""
        for recipient in envelope.rcpt_tos:
            if match := LINK.search(text):
                self.tokens[recipient] = match[1]
            self.ledger.note("mail taken", to=recipient, subject=str(mail["Subject"]), text=text)
        return "250 OK"


@contextmanager
def serve_mailbox(ledger: Ledger) -> Iterator[Mailbox]:
    mailbox = Mailbox(ledger)
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(
        loop.create_server(lambda: SMTP(mailbox, hostname="mail.test", loop=loop), "127.0.0.1", 0)
    )
    mailbox.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield mailbox
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


# --- Websites -------------------------------------------------------------------------------------


class Website(ThreadingHTTPServer):
    """PAGES pages below a start page; all of them change in one moment, when `facts` is set."""

    daemon_threads = True

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        super().__init__(("127.0.0.1", 0), WebsitePage)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/"

    def handle_error(self, *_: Any) -> None:
        """Whoever was killed does not take its answer."""


class WebsitePage(BaseHTTPRequestHandler):
    server: Website

    def do_GET(self) -> None:
        facts, name = self.server.facts, self.path.strip("/")
        if name == "":
            links = "".join(
                f'<p><a href="/{number}">Room {number}</a></p>' for number in range(PAGES)
            )
            self.send_page("Rooms", f"All rooms of the house, one page each.</p>{links}<p>")
        elif name.isdecimal() and int(name) < len(facts):
            self.send_page(f"Room {name}", f"{facts[int(name)].sentence} {PADDING}")
        else:
            self.send_error(404)

    def send_page(self, title: str, text: str) -> None:
        page = f"<!doctype html><title>{title}</title><main><h1>{title}</h1><p>{text}</p></main>"
        body = page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The output is for the results."""


PADDING = "Whoever comes for the first time asks at the desk beside the entrance for a key. " * 3


# --- All of them ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class StandIns:
    telegram: NotedTelegram
    whatsapp: NotedWhatsApp
    mailbox: Mailbox
    websites: dict[str, Website]  # by tenant

    @property
    def environ(self) -> dict[str, str]:
        return {
            "MESSENGER_A_API_URL": self.telegram.url,
            "MESSENGER_B_API_URL": self.whatsapp.url,
            "EMAIL_URL": f"smtp://127.0.0.1:{self.mailbox.port}",
            "FETCH_ALLOWED_HOSTS": ",".join(site.host for site in self.websites.values()),
            "TRUSTED_PROXIES": "1",
        }


@contextmanager
def serve_stand_ins(ledger: Ledger, tenants: list[str]) -> Iterator[StandIns]:
    with ExitStack() as stack:
        telegram, whatsapp = NotedTelegram(ledger=ledger), NotedWhatsApp(ledger=ledger)
        stack.enter_context(serving(telegram, TelegramHandler))
        stack.enter_context(serving(whatsapp, WhatsAppHandler))
        mailbox = stack.enter_context(serve_mailbox(ledger))
        websites = {}
        for tenant in tenants:
            websites[tenant] = site = Website()
            stack.callback(site.shutdown)
            threading.Thread(target=site.serve_forever, daemon=True).start()
        yield StandIns(telegram, whatsapp, mailbox, websites)
