"""Mails, and archives of documents."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from functools import partial

from reading.tests.container_files import (
    attached_file,
    attached_message,
    make_msg,
    message_folder,
)
from reading.tests.files.corpus import workbooks
from reading.tests.files.corpus.made import MadeFile

TEXT = "The ferry leaves at six.\nPlease bring the signed lease.\n"


def mail(
    change: Callable[[EmailMessage], object] = lambda message: None, *, text: str = TEXT
) -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "Núria Pons <nuria@example.com>", "depot@example.com"
    message["Subject"], message["Date"] = "Mañana: ferry tickets", "Mon, 02 Nov 2026 08:15:00 +0100"
    message.set_content(text)
    change(message)
    return message.as_bytes()


def with_html(message: EmailMessage) -> None:
    message.add_alternative(
        "<html><body><p>The ferry leaves at six.</p><p>Please bring the signed lease.</p></body></html>",
        subtype="html",
    )


def html_alone(message: EmailMessage) -> None:
    message.clear_content()
    message.set_content(
        "<html><style>.a{}</style><body><h1>Tickets</h1><p>Caña &amp; lamps</p></body></html>",
        subtype="html",
    )


def with_attachments(message: EmailMessage) -> None:
    message.add_attachment(
        workbooks.make(), maintype="application", subtype="octet-stream", filename="Prices.xlsx"
    )
    message.add_attachment("Bells are included.\n", filename="añadido.txt")


def forwarded(message: EmailMessage) -> None:
    inner = EmailMessage()
    inner["Subject"] = "Older offer"
    inner.set_content("Nineteen euros a day.\n")
    message.add_attachment(inner)


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return buffer.getvalue()


SUBJECT, SENDER, ADDRESS, BODY, HTML = 0x0037, 0x0C1A, 0x5D01, 0x1000, 0x1013  # MS-OXPROPS


def outlook() -> bytes:
    inner = message_folder({SUBJECT: "Older offer", BODY: "Nineteen euros a day."}, header_bytes=24)
    return make_msg(
        {
            SUBJECT: "Mañana: ferry tickets",
            SENDER: "Núria Pons",
            ADDRESS: "nuria@example.com",
            BODY: TEXT,
        },
        attachments=(attached_file("Prices.xlsx", workbooks.make()), attached_message(inner)),
    )


def outlook_html() -> bytes:
    html = "<html><head><meta charset='utf-8'></head><body><h1>Tickets</h1><p>Caña &amp; lamps</p></body></html>"
    return make_msg(
        {SUBJECT: "Mañana: ferry tickets", SENDER: "Núria Pons", BODY: ""},
        binaries={HTML: html.encode()},
    )


HEAD = "Mañana ferry tickets Núria Pons"
SAYS = f"{HEAD} The ferry leaves at six. Please bring the signed lease."
RAW = (
    "From: x@example.com\r\nSubject: =?windows-1252?Q?Reparaci=F3n?=\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=windows-1252\r\n"
    "Content-Transfer-Encoding: quoted-printable\r\n\r\nSe=F1or N=FA=F1ez pag=F3 a long=\r\n line.\r\n"
)
MEMBERS = {
    "notes/harbour.txt": b"Berths are let by the month.\n",
    "prices.xlsx": workbooks.make(),
    "__MACOSX/._x.txt": b"\0\5\x16\7resource",
}
FILES = (
    MadeFile("plain.eml", "a plain mail", mail, SAYS, is_of_issue=True),
    MadeFile(
        "alternatives.eml", "a mail as text and as HTML: once", partial(mail, with_html), SAYS
    ),
    MadeFile(
        "html.eml", "a mail in HTML alone", partial(mail, html_alone), f"{HEAD} Tickets Caña lamps"
    ),
    MadeFile(
        "attachments.eml",
        "attachments, which are documents",
        partial(mail, with_attachments),
        f"{SAYS} {workbooks.SAYS} Bells are included.",
        rows=workbooks.KEPT,
        is_of_issue=True,
    ),
    MadeFile(
        "forwarded.eml",
        "a mail within a mail",
        partial(mail, forwarded),
        f"{SAYS} Older offer Nineteen euros a day.",
    ),
    MadeFile(
        "encoded.eml",
        "encoded words and lines",
        RAW.encode,
        "Reparación Señor Núñez pagó a long line.",
    ),
    MadeFile(
        "quoted.eml",
        "an answer with what it answers",
        partial(mail, text="Agreed.\n\n> On Monday Vega wrote:\n> Ninety euros?\n"),
        f"{HEAD} Agreed. On Monday Vega wrote Ninety euros",
    ),
    MadeFile(
        "outlook.msg",
        "Outlook's own format, with an attachment and a message within",
        outlook,
        f"{SAYS} {workbooks.SAYS} Older offer Nineteen euros a day.",
        rows=workbooks.KEPT,
        is_of_issue=True,
    ),
    MadeFile(
        "outlook-html.msg",
        "Outlook's own format, in HTML alone",
        outlook_html,
        f"{HEAD} Tickets Caña lamps",
    ),
    MadeFile(
        "documents.zip",
        "documents in an archive, and what a Mac adds",
        partial(archive, **MEMBERS),
        f"Berths are let by the month. {workbooks.SAYS}",
        hides="resource",
        rows=workbooks.KEPT,
        is_of_issue=True,
    ),
    MadeFile(
        "nested.zip",
        "an archive within an archive",
        partial(
            archive,
            **{"inner.zip": archive(**{"a.txt": b"Inner berth\n"}), "b.md": b"# Outer\n\nquay\n"},
        ),
        "Inner berth Outer quay",
    ),
)
