"""Audio to text with its times, through the confined process: Whisper checkpoints made here, and
PocketSphinx.
"""

import re
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from sources.errors import FileProcessingFailed
from sources.ingestion.chunk import chunk_document
from sources.ingestion.extract import extract_document
from sources.ingestion.extractors import sound
from sources.ingestion.extractors.interface import DAMAGED, UnreadableFile
from sources.ingestion.extractors.sound import HOURS_MAX, SAMPLE_RATE, open_recording
from sources.ingestion.extractors.stretches import iter_stretches
from sources.ingestion.extractors.transcript import Utterance, blocks_of
from sources.ingestion.file_types import FLAC, M4A, MP3, OGG, WAV, WEBM
from sources.ingestion.passages import Block, ExtractedDocument
from sources.ingestion.sandbox import sandbox
from sources.models import ChunkLevel
from sources.tests.recordings import encode, film, hum, quiet, spoken
from sources.tests.speech_models import make_guessing_checkpoint, make_speaking_checkpoint

SAID = "Devolución en treinta días, ¿verdad? Sí."
Read = Callable[..., ExtractedDocument]


@pytest.fixture(scope="module")
def speaking(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("whisper") / "speaking.pt"
    return make_speaking_checkpoint(path, (0.0, SAID, 2.0), language="es")


@pytest.fixture
def read(tmp_path: Path, settings, speaking: Path) -> Read:
    """`read(content, content_type)` with the checkpoint that says SAID, or another model."""

    def run(content: bytes, content_type: str = WAV, model: str = str(speaking)):
        settings.WHISPER_MODEL = model
        path = tmp_path / "stored"
        path.write_bytes(content)
        return extract_document(path, content_type=content_type, title="Nota de voz")

    return run


def refusal(read: Read, content: bytes, content_type: str = WAV, **model: str) -> str:
    with pytest.raises(FileProcessingFailed) as caught:
        read(content, content_type, **model)
    return caught.value.message


# --- What is heard ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "content_type"),
    [
        ("wav", WAV),
        ("mp3", MP3),
        ("ogg", OGG),
        ("vorbis", OGG),
        ("m4a", M4A),
        ("flac", FLAC),
        ("webm", WEBM),
    ],
)
def test_every_format_is_transcribed_with_its_time(read: Read, kind: str, content_type: str):
    document = read(encode(hum(3), kind, channels=2), content_type)
    assert document.blocks == (Block(SAID, location="00:00:00"),)
    assert document.level == ChunkLevel.PARAGRAPH
    assert document.outcome == ""


@pytest.mark.parametrize("channels", [1, 6])
def test_channels_are_heard_as_one(read: Read, channels: int):
    assert read(encode(hum(2), "wav", channels=channels)).blocks[0].text == SAID


def test_sound_of_a_film_is_transcribed(read: Read):
    document = read(film(hum(3)), WEBM)
    assert (document.blocks, document.outcome) == ((Block(SAID, location="00:00:00"),), "")


def test_locators_are_the_times_at_which_it_is_said(read: Read):
    """70 s of sound are three windows of 30 s; after 40 s of silence, the next begins by itself."""
    samples = np.concatenate([quiet(5), hum(70), quiet(40), hum(3)])
    document = read(encode(samples, "wav"))
    locations = ["00:00:04", "00:00:34", "00:01:04", "00:01:54"]
    assert document.blocks == tuple(Block(SAID, location=each) for each in locations)
    assert [passage.location for passage in chunk_document(document)] == locations


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is not installed")
def test_pocketsphinx_hears_english_where_it_is_said(read: Read):
    first = spoken("Good morning. The truck from Barcelona arrives on Thursday.")
    second = spoken("The electric bicycle is two hundred euros.")
    start = (len(first) + len(quiet(40))) / SAMPLE_RATE
    document = read(
        encode(np.concatenate([first, quiet(40), second]), "wav"), WAV, model="pocketsphinx"
    )
    texts = [block.text.lower() for block in document.blocks]
    assert len(texts) == 2
    assert "barcelona" in texts[0]
    assert "two hundred" in texts[1]
    assert document.blocks[0].location == "00:00:00"
    minutes, seconds = map(int, document.blocks[1].location.split(":")[1:])
    assert start - 1 <= 60 * minutes + seconds <= start + 1


def test_model_is_loaded_once_before_the_fork_and_leaves_no_thread_there(
    read: Read, speaking: Path, tmp_path: Path
):
    """A second loading would fail: of the checkpoint, only the first bytes are left."""
    checkpoint = Path(shutil.copy(speaking, tmp_path / "model.pt"))
    assert read(encode(hum(2), "wav"), model=str(checkpoint)).blocks[0].text == SAID
    checkpoint.write_bytes(checkpoint.read_bytes()[:4])
    assert read(encode(hum(2), "flac"), FLAC, model=str(checkpoint)).blocks[0].text == SAID
    assert len(list(Path(f"/proc/{sandbox.process_id}/task").iterdir())) == 1


# --- What is refused ----------------------------------------------------------------------------


def test_silence_is_no_speech(read: Read):
    assert refusal(read, encode(quiet(60), "flac"), FLAC) == (
        "No speech was heard in this recording, so it has no text that can be indexed."
    )


def test_what_the_model_itself_does_not_believe_is_left_out(read: Read, tmp_path: Path):
    guessing = make_guessing_checkpoint(tmp_path / "guessing.pt")
    assert refusal(read, encode(hum(2), "wav"), model=str(guessing)) == (
        "The speech in this recording could not be understood. Upload a recording with less "
        "noise, or its text."
    )


def test_film_without_sound(read: Read):
    assert refusal(read, film(), WEBM) == (
        "This file holds pictures but no sound, so there is nothing to transcribe."
    )


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        (b"RIFF\x24\0\0\0WAVEfmt " + bytes(100), WAV),
        (b"fLaC" + bytes(2000), FLAC),
        (b"OggS" + bytes(2000), OGG),
        (b"ID3\x04" + bytes(2000), MP3),
        (b"\xff\xfb" + b"no frames at all" * 100, MP3),
        (b"\0\0\0\x20ftypM4A " + bytes(2000), M4A),
        (b"\x1aE\xdf\xa3" + bytes(2000), WEBM),
        (encode(hum(5), "m4a")[:20_000], M4A),  # its index stands at the end
    ],
    ids=["wav", "flac", "ogg", "mp3 of a tag", "mp3 of text", "m4a", "webm", "m4a cut off"],
)
def test_mislabelled_and_damaged_files(read: Read, content: bytes, content_type: str):
    assert refusal(read, content, content_type) == DAMAGED


def test_recording_that_calls_itself_too_long_is_not_even_begun(read: Read):
    """A FLAC of two seconds that declares ten hours (STREAMINFO's 36 bits of total samples)."""
    content = bytearray(encode(hum(2), "flac"))
    rate_and_more, total_low = struct.unpack(">II", content[18:26])
    assert total_low == pytest.approx(2 * 44_100, abs=100)
    content[18:26] = struct.pack(">II", rate_and_more, 10 * 3600 * 44_100)
    assert refusal(read, bytes(content), FLAC) == (
        f"This recording is longer than {HOURS_MAX} hours. Split it into shorter ones and upload "
        "them one by one."
    )


def test_recording_that_hides_its_length_is_stopped_at_the_limit(monkeypatch):
    monkeypatch.setattr(sound, "SECONDS_MAX", 60)
    recording = open_recording(encode(quiet(70), "mp3", write_xing="0"))
    assert recording.declared_seconds is None
    with pytest.raises(UnreadableFile, match="longer than 4 hours"):
        sum(map(len, recording.samples()))
    assert recording.heard_seconds < 62


# --- What is damaged on the way -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "content_type"), [("wav", WAV), ("mp3", MP3), ("flac", FLAC), ("webm", WEBM)]
)
def test_of_a_truncated_recording_the_beginning_is_transcribed(
    read: Read, kind: str, content_type: str
):
    content = encode(hum(20), kind)
    document = read(content[: len(content) // 2], content_type)
    assert document.blocks == (Block(SAID, location="00:00:00"),)
    assert re.fullmatch(
        r"The recording is damaged or incomplete from 00:00:(09|10|11) on: what could be heard was "
        r"transcribed\.",
        document.outcome,
    )


def test_missing_packets_do_not_move_what_follows():
    """Half a minute of zeros in the middle of an Opus stream, as in a WebM that was damaged."""
    content = bytearray(encode(hum(90), "webm"))
    third = len(content) // 3
    content[third : 2 * third] = bytes(third)
    recording = open_recording(bytes(content))
    assert sum(map(len, recording.samples())) / SAMPLE_RATE == pytest.approx(90, abs=1)


# --- Stretches ----------------------------------------------------------------------------------


def stretches(*pieces, max_seconds: float = 300) -> list[tuple[float, float]]:
    """(start, length) of each, in seconds; a margin of 0.2 s of silence belongs to it."""
    found = iter_stretches(pieces, max_seconds=max_seconds)
    return [(round(each.start_seconds, 1), len(each.samples) / SAMPLE_RATE) for each in found]


def test_silence_ends_a_stretch_and_is_not_transcribed():
    assert stretches(quiet(10), hum(2), quiet(5), hum(3), quiet(20)) == [(9.8, 2.4), (16.8, 3.4)]


def test_short_pause_stays_within_its_stretch():
    assert stretches(hum(2), quiet(2), hum(2)) == [(0.0, 6.0)]


def test_click_is_no_speech():
    assert stretches(quiet(5), hum(0.1), quiet(5)) == []


def test_long_stretch_is_cut_where_it_is_quietest():
    found = stretches(hum(18.0), quiet(0.4), hum(11.6), max_seconds=20)
    assert [start for start, _ in found] == [0.0, 18.1]
    assert sum(length for _, length in found) == pytest.approx(30.0)


def test_pieces_of_any_size_give_the_same_stretches():
    whole = np.concatenate([hum(3), quiet(4), hum(3)])
    assert stretches(*np.array_split(whole, 997)) == stretches(whole)


# --- Blocks -------------------------------------------------------------------------------------


def said(*utterances: tuple[float, float, str]) -> list[tuple[str, str]]:
    blocks = blocks_of(Utterance(*each) for each in utterances)
    return [(block.location, block.text) for block in blocks]


def test_sentences_are_joined_to_a_block_of_half_a_minute_or_more():
    times = [
        (10.0 * number, 10.0 * number + 9, f"Sentence number {number}.") for number in range(8)
    ]
    assert said(*times) == [
        ("00:00:00", " ".join(f"Sentence number {number}." for number in range(4))),
        ("00:00:40", " ".join(f"Sentence number {number}." for number in range(4, 8))),
    ]


def test_block_ends_with_a_sentence():
    assert said((0, 25, "One"), (25, 35, "two."), (35, 45, "Three " * 9)) == [
        ("00:00:00", "One two."),
        ("00:00:35", ("Three " * 9).strip()),
    ]


def test_block_has_at_most_80_words_and_a_minute():
    assert [when for when, _ in said((0, 5, "a " * 50), (5, 9, "b " * 31))] == [
        "00:00:00",
        "00:00:05",
    ]
    assert [when for when, _ in said((0, 29, "a " * 9), (29, 61, "b " * 9))] == [
        "00:00:00",
        "00:00:29",
    ]


def test_pause_ends_a_block():
    assert said((3700.9, 3702, "Good morning."), (3706, 3707, "Next.")) == [
        ("01:01:40", "Good morning."),
        ("01:01:46", "Next."),
    ]


def test_last_words_join_the_block_before_them():
    assert said((0, 30, "a " * 80), (30, 31, "Thank you.")) == [
        ("00:00:00", "a " * 80 + "Thank you.")
    ]


def test_music_notes_are_no_words():
    assert said((0, 2, "♪♪"), (2, 4, "...")) == []
