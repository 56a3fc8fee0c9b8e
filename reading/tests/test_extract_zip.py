"""ZIP archives: what is taken out of one, and what is told of the rest."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from reading.errors import UnreadableFile
from reading.extractors.containers import taking
from reading.file_types import ZIP
from reading.passages import MEMBERS_MAX, ExtractedDocument, Member
from reading.tests.confined import read_document
from reading.tests.container_files import make_zip
from reasons import Reason

PROTECTED = Reason("protected")


def read(content: bytes, tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return read_document(path, content_type=ZIP, title="archive.zip")


def refusal(content: bytes, tmp_path: Path) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        read(content, tmp_path)
    return caught.value.reason


def archive_with(name: bytes, *, flags: int = 0, content: bytes = b"Text") -> bytes:
    """One entry, named by these very bytes."""
    placeholder = "n" * len(name)
    archive = make_zip({placeholder: content}).replace(placeholder.encode(), name)
    local, central = archive.find(b"PK\x03\x04") + 6, archive.find(b"PK\x01\x02") + 8
    for at in (local, central):
        archive = archive[:at] + struct.pack("<H", flags) + archive[at + 2 :]
    return archive


def test_files_come_out_with_their_folders_in_the_order_of_the_archive(tmp_path: Path):
    archive = make_zip({"Rates/2026.txt": "Double room", "a.csv": "a;b", "Rates/": ""})
    assert read(archive, tmp_path).members == (
        Member("Rates/2026.txt", b"Double room"),
        Member("a.csv", b"a;b"),
    )


def test_what_systems_leave_behind_is_passed_over(tmp_path: Path):
    litter = ["__MACOSX/._a.txt", ".DS_Store", "x/Thumbs.db", "desktop.ini", "~$letter.docx"]
    archive = make_zip(dict.fromkeys(litter, "x") | {"a.txt": "Text"})
    assert [member.name for member in read(archive, tmp_path).members] == ["a.txt"]


def test_a_link_is_passed_over(tmp_path: Path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("a.txt", "Text")
    assert [member.name for member in read(buffer.getvalue(), tmp_path).members] == ["a.txt"]


@pytest.mark.parametrize(
    ("name", "flags", "shown"),
    [
        ("Año ñ.txt".encode(), 0x800, "Año ñ.txt"),
        ("Año ñ.txt".encode(), 0, "Año ñ.txt"),  # macOS
        ("Año Ú.txt".encode("cp850"), 0, "Año Ú.txt"),  # Windows
        ("Tarifas € 漢字.txt".encode(), 0x800, "Tarifas € 漢字.txt"),
        (b"../../etc/passwd", 0, "etc/passwd"),
        (b"/etc/passwd", 0, "etc/passwd"),
        (b"C:\\Users\\a.txt", 0, "C:/Users/a.txt"),
        (b"a\x1b[2J\x07.txt", 0, "a[2J.txt"),
        ("fdp.\u202etxt".encode(), 0x800, "fdp.txt"),
    ],
)
def test_names_are_text_and_lead_nowhere(tmp_path: Path, name: bytes, flags: int, shown: str):
    [member] = read(archive_with(name, flags=flags), tmp_path).members
    assert member == Member(shown, b"Text")


def test_a_long_name_keeps_its_ending(tmp_path: Path):
    [member] = read(make_zip({"n" * 3000 + ".docx": "x"}), tmp_path).members
    assert (len(member.name), member.name[-5:]) == (200, ".docx")


def test_a_file_with_a_password_costs_only_itself(tmp_path: Path):
    archive = make_zip({"secret.txt": "Text", "a.txt": "Text"})
    at = archive.find(b"PK\x01\x02") + 8
    archive = archive[:at] + b"\x01\0" + archive[at + 2 :]
    assert read(archive, tmp_path).members == (
        Member("secret.txt", refusal=PROTECTED),
        Member("a.txt", b"Text"),
    )


def test_a_damaged_file_costs_only_itself(tmp_path: Path):
    archive = bytearray(make_zip({"a.txt": "Text " * 100, "b.txt": "Text"}))
    archive[40] ^= 0xFF
    first, second = read(bytes(archive), tmp_path).members
    assert first.refusal == Reason("damaged_in_archive")
    assert second == Member("b.txt", b"Text")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_end_are_not_begun(tmp_path: Path, method: int):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.txt", bytes(10_000_000))
    [member] = read(buffer.getvalue(), tmp_path).members
    assert str(member.refusal).startswith("It is compressed with a method that we cannot read.")


def test_more_files_than_are_read_are_counted(tmp_path: Path):
    archive = make_zip({f"{number}.txt": "x" for number in range(MEMBERS_MAX + 7)})
    document = read(archive, tmp_path)
    assert len(document.members) == MEMBERS_MAX
    assert document.warnings == (Reason("files_beyond_limit", count=7, limit=500),)


def test_a_file_that_says_it_is_too_large_is_not_unpacked(tmp_path: Path):
    archive = make_zip({"zeros.txt": bytes(51 * 1024**2), "a.txt": "Text"})
    first, second = read(archive, tmp_path).members
    assert first == Member("zeros.txt", refusal=Reason("too_large_for_limit", limit=50))
    assert second == Member("a.txt", b"Text")


def test_all_files_together_have_a_limit(tmp_path: Path):
    archive = make_zip({f"{number}.txt": bytes(45 * 1024**2) for number in range(2)})
    first, second = read(archive, tmp_path).members
    assert len(first.content) == 45 * 1024**2
    assert str(second.refusal).startswith(
        "It was not unpacked because the files in this archive exceed 80 MB"
    )


def test_what_is_larger_than_it_says_is_damaged(tmp_path: Path):
    size = 60 * 1024**2
    archive = make_zip({"zeros.txt": bytes(size)})
    archive = archive.replace(struct.pack("<I", size), struct.pack("<I", 1000))
    [member] = read(archive, tmp_path).members
    assert member.refusal == Reason("damaged_in_archive")


def test_entries_that_share_their_bytes_are_refused(tmp_path: Path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(10_000_000))
        [info] = archive.filelist
        for number in range(50):
            entry = zipfile.ZipInfo(f"{number}.txt")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(entry, name, getattr(info, name))
            archive.filelist.append(entry)
    assert refusal(buffer.getvalue(), tmp_path) == (Reason("archive_overlaps"))


def test_an_archive_without_its_end_is_damaged(tmp_path: Path):
    archive = make_zip({"a.txt": "Text" * 1000})
    assert str(refusal(archive[:60], tmp_path)).startswith("This file is damaged or incomplete")


def test_an_archive_of_nothing_has_no_files(tmp_path: Path):
    assert read(make_zip({}), tmp_path).members == ()


def test_limits_hold_over_all_that_is_taken(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(taking, "MEMBERS_MAX_BYTES", 10)
    own = taking.Taking()
    found = [taking.PackedFile(name, lambda: b"123456") for name in "ab"]
    assert [member.content for member in own.members(found)] == [b"123456", b""]
