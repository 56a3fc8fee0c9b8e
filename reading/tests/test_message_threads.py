"""The parts of a message: the reply, earlier messages, the signature and the legal notice, each a
passage of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading.cutting import chunk_document
from reading.file_types import EML, MSG
from reading.tests.confined import read_document
from reading.tests.container_files import make_eml, make_msg

HEADER = "message header"
HTML, BODY = 0x1013, 0x1000


def passages(content: bytes, tmp_path: Path, content_type: str = EML) -> list[tuple[str, str]]:
    """(location, text) of each, without the headers of the message itself."""
    path = tmp_path / "stored"
    path.write_bytes(content)
    document = read_document(path, content_type=content_type, title="mail.eml")
    found = [(each.location, each.text) for each in chunk_document(document)]
    assert found[0][0] == HEADER
    return [each for each in found[1:] if each[0] != HEADER]


REPLY = "The ferry now costs 12 euros."
OLD, OLDER = "The ferry costs 9 euros.", "The ferry costs 7 euros, I think."


@pytest.mark.parametrize(
    "text",
    [
        f"{REPLY}\n\nOn Mon, 4 Jan 2027 at 10:12, Ana Ruiz <ana@example.com> wrote:\n\n> {OLD}\n>\n"
        f"> On Sun, 3 Jan 2027, Luis wrote:\n>> {OLDER}\n",
        f"{REPLY}\n\nEl lun, 4 ene 2027 a las 10:12, Ana Ruiz de la Fuente Encarnada\n"
        f"(<ana@example.com>) escribió:\n> {OLD}\n>\n> Luis escribió:\n> > {OLDER}\n",
        f"{REPLY}\n\n-----Original Message-----\nFrom: Ana Ruiz\nSent: Monday, 4 January 2027\n"
        f"To: Luis; Eva <eva@example.com>;\n Juan <juan@example.com>\nSubject: Ferry\n\n{OLD}\n\n"
        f"-----Original Message-----\nFrom: Luis\nSent: Sunday\nSubject: Ferry\n\n{OLDER}\n",
        f"{REPLY}\n\nDe: Ana Ruiz <ana@example.com>\nEnviado el: lunes, 4 de enero de 2027 10:12\n"
        f"Para: Luis\nCC: Eva\nAsunto: Ferri\n\n{OLD}\n\n________________________________\n"
        f"De: Luis\nFecha: domingo\nAsunto: Ferri\n\n{OLDER}\n",
        f"{REPLY}\n\n---------- Mensaje reenviado ---------\nDe: *Ana*\nDate: lun, 4 ene 2027\n"
        f"Subject: Ferri\nTo: <luis@example.com>\n\n{OLD}\n\nOn 3 Jan 2027, Luis wrote:\n\n{OLDER}",
    ],
)
def test_a_thread_of_three_as_programs_write_it(tmp_path: Path, text: str):
    assert passages(make_eml(text), tmp_path) == [
        ("paragraph 2", REPLY),
        ("earlier message 1", OLD),
        ("earlier message 2", OLDER),
    ]


GMAIL = (
    f"<div dir=ltr>{REPLY}</div><br><div class=gmail_quote><div class=gmail_attr>On Mon, 4 Jan"
    " 2027, Ana &lt;ana@example.com&gt; wrote:<br></div>"
    f"<blockquote class=gmail_quote><div>{OLD}</div>"
    f"<div class=gmail_quote>El dom, 3 ene 2027, Luis escribió:<blockquote>{OLDER}</blockquote>"
    "</div></blockquote></div>"
)
OUTLOOK = (
    f"<p class=MsoNormal>{REPLY}</p><div id=appendonsend></div><hr>"
    "<div id=divRplyFwdMsg><font>"
    "<b>De:</b> Ana<br><b>Enviado:</b> lunes, 4 de enero de 2027<br><b>Para:</b> Luis<br>"
    f"<b>Asunto:</b> Ferri</font></div><div>{OLD}</div>"
    "<div style='border-top:solid #E1E1E1 1.0pt'><p>"
    f"<b>From:</b> Luis<br><b>Sent:</b> Sunday<br><b>Subject:</b> Ferry</p></div><p>{OLDER}</p>"
)
APPLE = (
    f"<div>{REPLY}</div><blockquote type=cite><div>On 4 Jan 2027, at 10:12, Ana wrote:</div><div>"
    f"{OLD}</div><blockquote type=cite><div>{OLDER}</div></blockquote></blockquote>"
)


@pytest.mark.parametrize("html", [GMAIL, OUTLOOK])
@pytest.mark.parametrize("kind", [EML, MSG])
def test_a_thread_with_a_layout(tmp_path: Path, html: str, kind: str):
    content = (
        make_eml("", html=html)
        if kind == EML
        else make_msg({BODY: ""}, binaries={HTML: html.encode()})
    )
    assert passages(content, tmp_path, kind) == [
        ("paragraph 2", REPLY),
        ("earlier message 1", OLD),
        ("earlier message 2", OLDER),
    ]


def test_a_quote_without_a_line_that_says_whose_it_is(tmp_path: Path):
    found = passages(
        make_eml("", html=APPLE.replace("On 4 Jan 2027, at 10:12, Ana wrote:", "")), tmp_path
    )
    assert [location for location, _ in found] == [
        "paragraph 2",
        "earlier message 1",
        "earlier message 2",
    ]


def test_replies_between_the_lines_stay_the_writers(tmp_path: Path):
    text = "Hello,\n\n> Is there a bus?\n\nYes, every hour.\n\n> And a taxi?\n\nNo taxi.\n"
    assert passages(make_eml(text), tmp_path) == [
        ("paragraph 2", "Hello,"),
        ("earlier message 1", "Is there a bus?"),
        ("paragraph 4", "Yes, every hour."),
        ("earlier message 1", "And a taxi?"),
        ("paragraph 6", "No taxi."),
    ]


@pytest.mark.parametrize(
    "notice",
    [
        "Este mensaje y sus adjuntos son confidenciales y solo para su destinatario.",
        "This e-mail is confidential and meant for its addressee alone.",
        "AVISO LEGAL: los datos se tratan según la ley.",
        "If you are not the intended recipient, please delete this message.",
    ],
)
def test_signature_and_notice(tmp_path: Path, notice: str):
    signature = "-- \nAna Ruiz\nQuay 4, Vigo"
    text = f"{REPLY}\n\n{signature}\n\n{notice}\n\nOn 4 Jan 2027 Luis wrote:\n> {OLD}\n"
    assert passages(make_eml(text), tmp_path) == [
        ("paragraph 2", REPLY),
        ("signature", "Ana Ruiz\nQuay 4, Vigo"),
        ("legal notice", notice),
        ("earlier message 1", OLD),
    ]


@pytest.mark.parametrize(
    "line", ["Sent from my iPhone", "Enviado desde mi Galaxy", "Get Outlook for Android"]
)
def test_the_line_of_a_telephone(tmp_path: Path, line: str):
    assert passages(make_eml(f"{REPLY}\n\n{line}\n"), tmp_path) == [
        ("paragraph 2", REPLY),
        ("signature", line),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "From: the old pier\nTo: the island",
        "On Mondays the baker wrote: closed.",
        "Sent from our own workshop, the boats arrive in May. They are painted by hand.",
        "De: 9:00 a 14:00\nPara: todos",
        "This message is for the crew: the pier is closed.",
    ],
)
def test_what_only_looks_like_one_stays_the_writers(tmp_path: Path, text: str):
    assert passages(make_eml(f"Hello.\n\n{text}\n"), tmp_path) == [
        ("paragraphs 2–3", f"Hello.\n{text}")
    ]


def test_a_page_that_was_saved_as_a_message_quotes_others(tmp_path: Path):
    content = (
        b"From: <Saved by Blink>\r\nSubject: Reviews\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: text/html\r\nContent-Location: https://pier.example/\r\n\r\n"
        b"<p>They say:<blockquote>Lovely.</blockquote>"
    )
    assert passages(content, tmp_path) == [("paragraphs 2–3", "They say:\nLovely.")]
