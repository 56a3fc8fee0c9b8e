"""Messages as Outlook saves them ([MS-OXMSG]): the text as a document, and attachments as files of
their own."""

from __future__ import annotations

from collections.abc import Iterator
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime
from functools import partial

from reading.errors import UnreadableFile
from reading.extractors.containers.bodies import (
    Version,
    below,
    best_version,
    html_version,
    plain_version,
)
from reading.extractors.containers.compressed_rtf import decompress
from reading.extractors.containers.headers import opening_blocks
from reading.extractors.containers.html_in_rtf import HtmlReader, is_from_html
from reading.extractors.containers.outlook_storage import (
    INTERNET_CODE_PAGE,
    CompoundFile,
    Storage,
    decode_page,
)
from reading.extractors.containers.taking import PackedFile, Taking
from reading.extractors.containers.threads import locate_blocks
from reading.extractors.interface import TOO_LARGE, Extraction
from reading.extractors.legacy.rtf import extract as extract_rtf
from reading.extractors.prose import clean
from reading.passages import MEMBER_MAX_BYTES
from reasons import Reason

# Properties by their number ([MS-OXPROPS])
SUBJECT, SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
SHOWN_TO, SHOWN_CC = 0x0E04, 0x0E03
SENT_AT, RECEIVED_AT = 0x0039, 0x0E06
BODY, HTML, RTF = 0x1000, 0x1013, 0x1009
NAME, ADDRESS, SMTP_ADDRESS, RECIPIENT_KIND = 0x3001, 0x3003, 0x39FE, 0x0C15
DATA, LONG_NAME, SHORT_NAME, METHOD = 0x3701, 0x3707, 0x3704, 0x3705
MIME_TYPE, CONTENT_ID = 0x370E, 0x3712
KIND_TO, KIND_CC = 1, 2
EMBEDDED_MESSAGE, OLE_OBJECT = 5, 6
RECIPIENTS, ATTACHMENTS = "__recip_version1.0", "__attach_version1.0"
RECIPIENTS_MAX = 200  # told; the others of a mass mailing say nothing of what it is about
DEPTH_MAX = 5  # of messages within messages that are written out
INLINE_PICTURE_MAX_BYTES = 100 * 1024
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emz", ".wmz")

NO_FILE = Reason("attachment_is_object")
ELSEWHERE = Reason("attachment_is_link")
TOO_DEEP = Reason("message_nested_too_deep")
MESSAGE_DAMAGED = Reason("message_parts_lost")
BODY_LOST = Reason("message_layout_damaged")


def extract(data: bytes) -> Extraction:
    file = CompoundFile(data)
    message = file.message()
    taking = Taking()
    if file.is_damaged:
        taking.warnings.append(MESSAGE_DAMAGED)
    subject = clean(message.text(SUBJECT))
    body = below(subject, body_of(message, taking.warnings))
    return Extraction(
        blocks=[*opening_blocks(subject, fields_of(message)), *body],
        warnings=taking.warnings,
        members=taking.members(attachments_of(message)),
    )


def fields_of(message: Storage) -> list[tuple[str, str]]:
    sent_at = message.time(SENT_AT) or message.time(RECEIVED_AT)
    address = message.text(SENDER_SMTP) or message.text(SENDER_ADDRESS)
    return [
        ("From", person(message.text(SENDER_NAME), address)),
        ("To", recipients(message, KIND_TO) or clean(message.text(SHOWN_TO))),
        ("Cc", recipients(message, KIND_CC) or clean(message.text(SHOWN_CC))),
        ("Date", format_datetime(sent_at) if sent_at else ""),
    ]


def recipients(message: Storage, kind: int) -> str:
    people = []
    for number, each in enumerate(message.children(RECIPIENTS)):
        if number < RECIPIENTS_MAX and each.number(RECIPIENT_KIND) == kind:
            address = each.text(SMTP_ADDRESS) or each.text(ADDRESS)
            people.append(person(each.text(NAME), address))
    return ", ".join(people)


def person(name: str, address: str) -> str:
    """An address of an Exchange server ("/O=…/CN=…") says nothing to anybody."""
    name, address = clean(name), clean(address)
    if "@" not in address or address == name:
        return name
    return f"{name} <{address}>" if name else address


def body_of(message: Storage, warnings: list[Reason]) -> Version:
    """The RTF only where there is nothing else: it is made of one of the others."""
    plain = plain_version(message.text(BODY))
    try:
        html = html_of(message)
        laid_out = html_version(html) if html else ()
        version = best_version([plain, laid_out])
        if version:
            return version
        rtf = decompress_rtf(message)
        return rtf_version(rtf, warnings) if rtf else ()
    except UnreadableFile:
        warnings.append(BODY_LOST)
        return plain


def html_of(message: Storage) -> str:
    data = message.binary(HTML)
    if not data:
        return message.text(HTML)
    return decode_page(data, message.number(INTERNET_CODE_PAGE) or message.code_page)


def decompress_rtf(message: Storage) -> bytes:
    data = message.binary(RTF)
    return decompress(data) if data else b""


def rtf_version(rtf: bytes, warnings: list[Reason]) -> Version:
    if is_from_html(rtf):
        reader = HtmlReader(rtf)
        version = html_version(reader.read_html())
        warnings += reader.warnings
    else:
        extraction = extract_rtf(rtf)
        version = locate_blocks(list(extraction.blocks))
        warnings += extraction.warnings
    return version


def attachments_of(message: Storage) -> Iterator[PackedFile]:
    for number, attachment in enumerate(message.children(ATTACHMENTS), start=1):
        name = clean(attachment.text(LONG_NAME) or attachment.text(SHORT_NAME))
        inside = attachment.embedded(DATA)
        if attachment.number(METHOD) == EMBEDDED_MESSAGE and inside is not None:
            subject = clean(inside.text(SUBJECT) or attachment.text(NAME))
            yield PackedFile(f"{subject or f'Message {number}'}.eml", partial(as_eml, inside))
        elif not is_decoration(attachment, name):
            name = name or clean(attachment.text(NAME)) or f"Attachment {number}"
            if attachment.text(MIME_TYPE).startswith("multipart/"):  # the whole, as it was signed
                name = f"{name}.eml"
            yield PackedFile(name, partial(content_of, attachment), attachment.binary_size(DATA))


def is_decoration(attachment: Storage, name: str) -> bool:
    """A small picture that the text shows."""
    return (
        bool(attachment.text(CONTENT_ID))
        and name.lower().endswith(PICTURES)
        and attachment.binary_size(DATA) <= INLINE_PICTURE_MAX_BYTES
    )


def content_of(attachment: Storage) -> bytes:
    if attachment.number(METHOD) == OLE_OBJECT:
        raise UnreadableFile(NO_FILE)
    if not attachment.binary_size(DATA):
        raise UnreadableFile(ELSEWHERE)
    return attachment.attached_bytes(DATA)


def as_eml(message: Storage) -> bytes:
    """A message that is attached, as a file that can be read by itself. Raises UnreadableFile."""
    return as_mail(message, depth=1).as_bytes()


def as_mail(message: Storage, *, depth: int) -> MIMEMultipart:
    if depth > DEPTH_MAX:
        raise UnreadableFile(TOO_DEEP)
    mail = MIMEMultipart()
    for name, value in (("Subject", clean(message.text(SUBJECT))), *fields_of(message)):
        mail[name] = Header(value, "utf-8").encode()
    mail.attach(as_alternatives(message))
    size_bytes = 0
    for attachment in message.children(ATTACHMENTS):
        inside = attachment.embedded(DATA)
        if inside is not None:
            mail.attach(MIMEMessage(as_mail(inside, depth=depth + 1)))
            continue
        name = clean(attachment.text(LONG_NAME) or attachment.text(SHORT_NAME))
        if is_decoration(attachment, name):
            continue
        size_bytes += attachment.binary_size(DATA)
        if size_bytes > MEMBER_MAX_BYTES:
            raise UnreadableFile(TOO_LARGE)
        part = MIMEApplication(attachment.attached_bytes(DATA))  # an empty one is told as such
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
        mail.attach(part)
    return mail


def as_alternatives(message: Storage) -> MIMEMultipart:
    versions = [(message.text(BODY), "plain"), (html_of(message), "html")]
    if not any(text.strip() for text, _ in versions):
        rtf = decompress_rtf(message)
        if is_from_html(rtf):
            versions = [(HtmlReader(rtf).read_html(), "html")]
        elif rtf:
            versions = [("\n\n".join(block.text for block in extract_rtf(rtf).blocks), "plain")]
    texts = [MIMEText(text, kind, "utf-8") for text, kind in versions if text.strip()]
    return MIMEMultipart("alternative", _subparts=texts)
