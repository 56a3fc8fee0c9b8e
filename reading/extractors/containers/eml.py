"""Messages as mail programs save them (RFC 5322, MIME): the text as a document, and attachments as
files of their own."""

from __future__ import annotations

from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect, MessageError
from email.message import Message
from functools import partial

from reading.errors import UnreadableFile
from reading.extractors.containers.bodies import (
    Version,
    below,
    best_version,
    html_version,
    plain_version,
)
from reading.extractors.containers.headers import (
    READABLE,
    charset_of,
    filename_of,
    header_text,
    opening_blocks,
    text_of,
)
from reading.extractors.containers.signed import signed_content
from reading.extractors.containers.taking import PackedFile, Taking
from reading.extractors.interface import Extraction
from reading.file_types import CONTENT_TYPES
from reasons import Reason

PARTS_MAX = 10_000
DEPTH_MAX = 50  # of parts within parts; a message of a mailing list has six
SHOWN = ("From", "To", "Cc", "Date")
HEADERS = ("From", "To", "Date", "Subject", "Received", "Message-ID", "Content-Type")
TEXTS = ("text/plain", "text/html", "text/enriched", "text/richtext")
EMBEDDED = ("message/rfc822", "message/global", "message/news")
# Proofs of who wrote it: nothing to read.
SIGNATURES = (
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-signature",
    "application/pgp-keys",
)
SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
ENCRYPTED_KINDS = ("multipart/encrypted", "application/pgp-encrypted")
# RFC 9580, 6.2
PGP_BEGIN, PGP_END = "-----BEGIN PGP MESSAGE-----", "-----END PGP MESSAGE-----"
# A logo in a signature; what is sent to be looked at is larger.
INLINE_PICTURE_MAX_BYTES = 100 * 1024

NO_MESSAGE = Reason("not_a_message")
ENCRYPTED = Reason("message_encrypted")
PART_ENCRYPTED = Reason("message_part_encrypted")
HTML_UNREADABLE = Reason("message_layout_too_complex")
CUT_OFF = Reason("message_cut_off")
UNREADABLE_MESSAGE = Reason("message_damaged")


def extract(data: bytes) -> Extraction:
    message = parse(data)
    parts = MessageParts()
    subject = header_text(message, "Subject")
    fields = [(name, header_text(message, name)) for name in SHOWN]
    body = below(subject, parts.read(message))
    if PART_ENCRYPTED in parts.warnings and not body and not parts.attachments:
        raise UnreadableFile(ENCRYPTED)
    taking = Taking()
    taking.warnings += dict.fromkeys(parts.warnings)
    return Extraction(
        blocks=[*opening_blocks(subject, fields), *body],
        warnings=taking.warnings,
        members=taking.members(parts.attachments),
    )


def parse(data: bytes) -> Message:
    """The message. Raises UnreadableFile for other data, or if parsing it would not end."""
    message = parse_part(data.removeprefix(b"\xef\xbb\xbf").lstrip())
    if not any(name in message for name in HEADERS):
        raise UnreadableFile(NO_MESSAGE)
    return message


def parse_part(data: bytes) -> Message:
    try:
        return message_from_bytes(data, policy=READABLE)
    except (RecursionError, MessageError, ValueError, LookupError) as error:
        raise UnreadableFile(UNREADABLE_MESSAGE) from error


class MessageParts:
    """The parts of a message, as they are met. `read` gives the text of one and of those inside it,
    and puts attachments aside."""

    def __init__(self) -> None:
        self.attachments: list[PackedFile] = []
        self.warnings: list[Reason] = []
        self._count = 0

    def read(self, part: Message, *, depth: int = 0) -> Version:
        self._count += 1
        if self._count > PARTS_MAX or depth > DEPTH_MAX:
            self.warnings.append(Reason("message_too_complex", parts=PARTS_MAX, depth=DEPTH_MAX))
            return ()
        kind = part.get_content_type()
        if kind in SEALED:
            return self._read_sealed(part, depth=depth + 1)
        if kind in ENCRYPTED_KINDS:
            self.warnings.append(PART_ENCRYPTED)
            return ()
        if kind in EMBEDDED:
            self.attachments.append(
                PackedFile(embedded_name(part), partial(embedded_message, part))
            )
            return ()
        if part.get_content_maintype() == "multipart":
            return self._read_inside(part, depth=depth + 1)
        if kind in TEXTS and not filename_of(part) and not is_attached(part):
            return self._read_text(part)
        self._put_aside(part)
        return ()

    def _read_sealed(self, part: Message, *, depth: int) -> Version:
        content = signed_content(content_of(part))
        if content is None:
            self.warnings.append(PART_ENCRYPTED)
            return ()
        return self.read(parse_part(content), depth=depth)

    def _read_inside(self, part: Message, *, depth: int) -> Version:
        inside = inner_parts(part)
        if not inside:
            return self._read_text(part)  # without the boundary that it names
        if any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in part.defects):
            self.warnings.append(CUT_OFF)
        if part.get_content_subtype() == "alternative":
            texts = [each for each in inside if is_text(each)]
            return best_version([self.read(each, depth=depth) for each in texts or inside])
        return [block for each in inside for block in self.read(each, depth=depth)]

    def _read_text(self, part: Message) -> Version:
        text = self._without_encrypted(text_of(content_of(part), charset_of(part)))
        if part.get_content_subtype() != "html":
            return plain_version(text)
        try:
            return html_version(text, is_page="content-location" in part)
        except UnreadableFile:
            self.warnings.append(HTML_UNREADABLE)
            return ()

    def _without_encrypted(self, text: str) -> str:
        first, *others = text.split(PGP_BEGIN)
        if not others:
            return text
        self.warnings.append(PART_ENCRYPTED)
        return first + "\n".join(each.partition(PGP_END)[2] for each in others)

    def _put_aside(self, part: Message) -> None:
        kind = part.get_content_type()
        if kind in SIGNATURES or is_decoration(part):
            return
        if content_of(part).lstrip().startswith(PGP_BEGIN.encode()):
            self.warnings.append(PART_ENCRYPTED)
            return
        name = filename_of(part)
        if not name:
            known = CONTENT_TYPES.get(kind)
            name = f"Part {self._count}{known.extensions[0] if known else ''}"
        self.attachments.append(PackedFile(name, partial(content_of, part)))


def inner_parts(part: Message) -> list[Message]:
    payload = part.get_payload()
    if not isinstance(payload, list):
        return []
    return [each for each in payload if isinstance(each, Message)]


def is_text(part: Message) -> bool:
    """Among the versions of a text there are invitations for calendars, and such."""
    return part.get_content_type() in TEXTS or part.is_multipart()


def is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def is_decoration(part: Message) -> bool:
    """True for a small picture that the text shows, or for the layout of a page that was saved as
    one file."""
    if "content-location" in part and part.get_content_maintype() != "image":
        return not is_attached(part) and not filename_of(part)
    is_shown = "content-id" in part or part.get_content_disposition() == "inline"
    return (
        part.get_content_maintype() == "image"
        and is_shown
        and not is_attached(part)
        and len(content_of(part)) <= INLINE_PICTURE_MAX_BYTES
    )


def content_of(part: Message) -> bytes:
    """The decoded content; as it came, if its encoding is not the stated one. Never fails."""
    if part.is_multipart():  # a report on a delivery
        return "\n".join(map(str, inner_parts(part))).encode("utf-8", errors="replace")
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def embedded_name(part: Message) -> str:
    subject = next((header_text(each, "Subject") for each in inner_parts(part)), "")
    return f"{filename_of(part).removesuffix('.eml') or subject or 'Message'}.eml"


def embedded_message(part: Message) -> bytes:
    try:
        return b"".join(each.as_bytes() for each in inner_parts(part))
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFile(UNREADABLE_MESSAGE) from error
