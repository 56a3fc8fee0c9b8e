"""Files that hold files, made for tests: archives, messages of the Internet and of Outlook."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

TEXT = "The offer is valid until Friday."
CSV_OF_PRICES = b"Model;Price\nXaloc;899\n"


def make_zip(members: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def make_eml(
    text: str = TEXT,
    *,
    subject: str = "Offer 2041",
    html: str = "",
    attached: Mapping[str, bytes] | None = None,
) -> bytes:
    mail = MIMEMultipart()
    mail["From"] = "Ana Ruiz <ana@example.com>"
    mail["To"] = "Luis Gil <luis@example.com>"
    mail["Date"] = "Mon, 23 Nov 2026 09:00:00 +0100"
    mail["Subject"] = subject
    bodies = [MIMEText(text, "plain", "utf-8")] if text else []
    bodies += [MIMEText(html, "html", "utf-8")] if html else []
    mail.attach(bodies[0] if len(bodies) == 1 else MIMEMultipart("alternative", _subparts=bodies))
    for name, content in (attached or {}).items():
        mail.attach(attachment(name, content))
    return mail.as_bytes()


def attachment(name: str, content: bytes) -> Message:
    part = MIMEApplication(content)
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
    return part


# --- Messages of Outlook --------------------------------------------------------------------------
# Compound files as [MS-CFB] says, with 512-byte sectors; of each folder, what is in it is a chain
# instead of a balanced tree, which readers take.

FREE, END_OF_CHAIN, FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SECTOR_BYTES, MINI_SECTOR_BYTES, MINI_BELOW_BYTES = 512, 64, 4096
ROOT, STORAGE, STREAM = 5, 1, 2
Folder = dict[str, "bytes | Folder"]


@dataclass
class Entry:
    name: str
    kind: int
    content: bytes = b""
    children: list[int] = field(default_factory=list)
    start: int = END_OF_CHAIN


def make_compound(tree: Mapping[str, object]) -> bytes:
    entries = [Entry("Root Entry", ROOT)]
    list_entries(tree, entries, 0)
    mini, sectors = bytearray(), bytearray()
    mini_fat: list[int] = []
    fat: list[int] = []
    for entry in entries[1:]:
        if entry.kind == STREAM and entry.content:
            is_mini = len(entry.content) < MINI_BELOW_BYTES
            target, table = (mini, mini_fat) if is_mini else (sectors, fat)
            entry.start = put(
                entry.content, target, table, MINI_SECTOR_BYTES if is_mini else SECTOR_BYTES
            )
    entries[0].content = bytes(mini)
    entries[0].start = put(bytes(mini), sectors, fat, SECTOR_BYTES) if mini else END_OF_CHAIN
    mini_fat_bytes = b"".join(struct.pack("<I", each) for each in mini_fat)
    mini_fat_start = put(mini_fat_bytes, sectors, fat, SECTOR_BYTES, b"\xff")
    directory = b"".join(map(packed(entries), range(len(entries))))
    directory_start = put(directory, sectors, fat, SECTOR_BYTES)
    count = -(-(len(fat) + 1) // 127)  # the sectors of the table stand in it, too
    fat_start = len(fat)
    fat += [FAT_SECTOR] * count
    fat += [FREE] * (count * 128 - len(fat))
    sectors += struct.pack(f"<{len(fat)}I", *fat)
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIIII",
        bytes.fromhex("d0cf11e0a1b11ae1"),
        bytes(16),
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        bytes(6),
        0,
        count,
        directory_start,
        0,
        MINI_BELOW_BYTES,
        mini_fat_start,
        -(-len(mini_fat_bytes) // SECTOR_BYTES),
        END_OF_CHAIN,
        0,
        *[fat_start],
    )
    places = [fat_start + number for number in range(1, count)]
    header += struct.pack(f"<{len(places)}I", *places)
    return header.ljust(SECTOR_BYTES, b"\xff") + bytes(sectors)


def list_entries(tree: Mapping[str, object], entries: list[Entry], parent: int) -> None:
    for name, content in tree.items():
        entries[parent].children.append(len(entries))
        if isinstance(content, bytes):
            entries.append(Entry(name, STREAM, content))
        elif isinstance(content, Mapping):
            entries.append(Entry(name, STORAGE))
            list_entries(content, entries, len(entries) - 1)


def put(content: bytes, target: bytearray, table: list[int], size: int, fill: bytes = b"\0") -> int:
    if not content:
        return END_OF_CHAIN
    start, count = len(table), -(-len(content) // size)
    table += [*range(start + 1, start + count), END_OF_CHAIN]
    target += content.ljust(count * size, fill)
    return start


def packed(entries: Sequence[Entry]):
    following = {
        each: following
        for entry in entries
        for each, following in zip(entry.children, entry.children[1:], strict=False)
    }

    def pack(number: int) -> bytes:
        entry = entries[number]
        name = entry.name.encode("utf-16-le")
        return struct.pack(
            "<64sHBBIII16sIQQIQ",
            name,
            len(name) + 2,
            entry.kind,
            1,
            FREE,
            following.get(number, FREE),
            entry.children[0] if entry.children else FREE,
            bytes(16),
            0,
            0,
            0,
            entry.start,
            len(entry.content),
        )

    return pack


def make_msg(
    texts: Mapping[int, str] | None = None,
    *,
    binaries: Mapping[int, bytes] | None = None,
    recipients: Sequence[tuple[str, str]] = (("Luis Gil", "luis@example.com"),),
    attachments: Sequence[Folder] = (),
) -> bytes:
    """`texts` and `binaries`: properties by their number."""
    return make_compound(
        message_folder(texts, binaries=binaries, recipients=recipients, attachments=attachments)
    )


def message_folder(
    texts: Mapping[int, str] | None = None,
    *,
    binaries: Mapping[int, bytes] | None = None,
    recipients: Sequence[tuple[str, str]] = (),
    attachments: Sequence[Folder] = (),
    header_bytes: int = 32,
) -> Folder:
    given = {0x0037: "Offer 2041", 0x0C1A: "Ana Ruiz", 0x5D01: "ana@example.com", 0x1000: TEXT}
    folder = properties({**given, **(texts or {})}, binaries, header_bytes=header_bytes)
    for number, (name, address) in enumerate(recipients):
        people = properties({0x3001: name, 0x39FE: address}, numbers={0x0C15: 1})
        folder[f"__recip_version1.0_#{number:08X}"] = people
    for number, attached in enumerate(attachments):
        folder[f"__attach_version1.0_#{number:08X}"] = attached
    return folder


def properties(
    texts: Mapping[int, str],
    binaries: Mapping[int, bytes] | None = None,
    *,
    numbers: Mapping[int, int] | None = None,
    header_bytes: int = 8,
) -> Folder:
    fixed = b"".join(
        struct.pack("<HHIQ", 0x0003, number, 6, value) for number, value in (numbers or {}).items()
    )
    folder: Folder = {"__properties_version1.0": bytes(header_bytes) + fixed}
    for number, text in texts.items():
        if text:
            folder[f"__substg1.0_{number:04X}001F"] = text.encode("utf-16-le")
    for number, content in (binaries or {}).items():
        folder[f"__substg1.0_{number:04X}0102"] = content
    return folder


def attached_file(name: str, content: bytes, **texts: str) -> Folder:
    return properties({0x3707: name}, {0x3701: content}, numbers={0x3705: 1})


def attached_message(message: Folder) -> Folder:
    folder = properties({0x3001: "Message"}, numbers={0x3705: 5})
    folder["__substg1.0_3701000D"] = message
    return folder
