"""Files that hold files, made for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText


def make_zip(members: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_eml(
    text: str = "The offer is valid until Friday.",
    *,
    subject: str = "Offer 2041",
    html: str = "",
    attached: Mapping[str, bytes] | None = None,
) -> bytes:
    bodies: list[Message] = [MIMEText(text, "plain", "utf-8")] if text else []
    if html:
        bodies.append(MIMEText(html, "html", "utf-8"))
    mail = MIMEMultipart()
    mail["From"] = "Ana Ruiz <ana@example.com>"
    mail["To"] = "Luis Gil <luis@example.com>"
    mail["Date"] = "Mon, 23 Nov 2026 09:00:00 +0100"
    mail["Subject"] = subject
    mail.attach(bodies[0] if len(bodies) == 1 else MIMEMultipart("alternative", _subparts=bodies))
    for name, content in (attached or {}).items():
        mail.attach(attachment(name, content))
    return mail.as_bytes()


def attachment(name: str, content: bytes) -> Message:
    part = Message()
    part["Content-Type"] = "application/octet-stream"
    part["Content-Transfer-Encoding"] = "base64"
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
    part.set_payload(content.hex())
    import base64

    part.set_payload(base64.encodebytes(content).decode())
    return part
