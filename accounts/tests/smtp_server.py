"""A mail server on 127.0.0.1 that behaves as a test tells it."""

import asyncio
import datetime
import ipaddress
import logging
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pytest_django import Settings

logging.getLogger("mail.log").setLevel(logging.WARNING)  # it writes down the mails
LOGIN = ("mailer", "p+w @:/%")  # what a URL has to escape


@dataclass
class MailServer:
    """Answers of "" mean that all is well.

    Attributes:
        greeting: instead of "220 …"; None says nothing at all, and keeps the line open.
        at_rcpt, at_data: the answer to these commands.
        accepts_after: recipients are refused so often, then taken.
    """

    port: int = 0
    greeting: str | None = ""
    at_rcpt: str = ""
    at_data: str = ""
    hangs_at_data: bool = False
    connections: int = 0
    received: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    greeted_as: str = ""

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.greeted_as = str(session.host_name)
        if not self.at_rcpt:
            envelope.rcpt_tos.append(address)
        return self.at_rcpt or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.hangs_at_data:
            await asyncio.sleep(3600)
        if self.at_data:
            return self.at_data
        content = envelope.original_content or b""
        self.received.append(message_from_bytes(content, policy=policy.default))
        self.recipients += envelope.rcpt_tos
        return "250 OK"

    def check_login(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, login: Any
    ) -> AuthResult:
        assert isinstance(login, LoginPassword)
        given = (login.login.decode(), login.password.decode())
        self.logins.append(given)
        return AuthResult(success=given == LOGIN, handled=False)


class Greeting(asyncio.Protocol):
    """A server that says one line, or nothing."""

    def __init__(self, line: str | None) -> None:
        self.line = line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if self.line is not None:
            transport.write(f"{self.line}\r\n".encode())


@contextmanager
def mail_server(
    *, tls: ssl.SSLContext | None = None, implicit_tls: bool = False, **behaviour: Any
) -> Iterator[MailServer]:
    """Args:
    tls: offered, and demanded together with a login, after STARTTLS; `implicit_tls`: before.
    """
    state = MailServer(**behaviour)
    loop = asyncio.new_event_loop()

    def protocol() -> asyncio.Protocol:
        state.connections += 1
        if state.greeting != "":
            return Greeting(state.greeting)
        return SMTP(
            state,
            hostname="mail.test",
            loop=loop,
            tls_context=None if implicit_tls else tls,
            require_starttls=tls is not None and not implicit_tls,
            authenticator=state.check_login,
            auth_required=tls is not None and not implicit_tls,
            auth_require_tls=not implicit_tls,
        )

    server = loop.run_until_complete(
        loop.create_server(protocol, "127.0.0.1", 0, ssl=tls if implicit_tls else None)
    )
    state.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield state
    finally:
        asyncio.run_coroutine_threadsafe(stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def use(settings: Settings, server: MailServer | int) -> None:
    """pytest-django keeps mails in memory unless told otherwise. An int is a port."""
    settings.EMAIL_BACKEND = "config.mail.server.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = server if isinstance(server, int) else server.port


async def stop(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def make_certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's context for 127.0.0.1, and the file that makes a client trust it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail.test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    certificate_file, key_file = folder / "certificate.pem", folder / "key.pem"
    certificate_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    return context, certificate_file
