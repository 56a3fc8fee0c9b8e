"""Audio to text with its times, through the confined process: by the model that comes with the
service where the model is the point, else by checkpoints made here.
"""

import shutil
import struct
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from faster_whisper.transcribe import Segment

from reading.confinement.sandbox import sandbox
from reading.errors import UnreadableFile
from reading.extractors.audio import sound
from reading.extractors.audio.recording import NO_SPEECH
from reading.extractors.audio.sound import HOURS_MAX, SAMPLE_RATE, Samples, open_recording
from reading.extractors.audio.stretches import iter_stretches
from reading.extractors.audio.transcript import Utterance, blocks_of, clock
from reading.extractors.audio.whisper_speech import WhisperRecogniser
from reading.extractors.interface import DAMAGED
from reading.file_types import FLAC, M4A, MP3, OGG, WAV, WEBM
from reading.passages import Block, ChunkLevel, ExtractedDocument
from reading.speech import EMBEDDED_MODEL, model_folder, prepare_model
from reasons import Reason
from sources.documents import chunk_document, extract_document, read_request, reading_settings
from sources.errors import FileProcessingFailed
from sources.tests.recordings import beeps, encode, film, hum, noise, quiet, spoken, tone
from sources.tests.speech_models import make_guessing_checkpoint, make_speaking_checkpoint

pytestmark = pytest.mark.slow

SOUNDS = {"noise": noise, "tone": tone, "beeps": beeps}
SAID = "Devolución en treinta días, ¿verdad? Sí."
Read = Callable[..., ExtractedDocument]
needs_a_voice = pytest.mark.skipif(
    not shutil.which("espeak-ng"), reason="espeak-ng is not installed"
)


@cache
def talk(seconds: float) -> Samples:
    """Somebody talks on and on, so that there is speech to be heard; what is said counts only for a
    model that listens.
    """
    sentence = spoken("The workshop is open every morning, and the side gate is never locked.")
    whole = np.tile(sentence, int(seconds * SAMPLE_RATE / len(sentence)) + 1)
    return whole[: round(seconds * SAMPLE_RATE)]


@pytest.fixture(scope="module")
def speaking(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("whisper") / "speaking.pt"
    return make_speaking_checkpoint(path, (0.0, SAID, 2.0), language="es")


@pytest.fixture
def read(tmp_path: Path, settings, speaking: Path) -> Read:
    """`read(content, content_type)` with the checkpoint that says SAID, or another model."""

    def run(content: bytes, content_type: str = WAV, model: str = str(speaking)):
        settings.WHISPER_MODEL = model
        prepare_model(reading_settings())
        path = tmp_path / "stored"
        path.write_bytes(content)
        return extract_document(path, read_request(content_type=content_type, title="Nota de voz"))

    return run


def refusal(read: Read, content: bytes, content_type: str = WAV, **model: str) -> Reason:
    with pytest.raises(FileProcessingFailed) as caught:
        read(content, content_type, **model)
    return caught.value.reason


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
@needs_a_voice
def test_every_format_is_transcribed_with_its_time(read: Read, kind: str, content_type: str):
    document = read(encode(talk(3), kind, channels=2), content_type)
    assert document.blocks == (Block(SAID, location="00:00:00", is_recognised=True),)
    assert document.level == ChunkLevel.PARAGRAPH
    assert document.warnings == ()


@needs_a_voice
@pytest.mark.parametrize("channels", [1, 6])
def test_channels_are_heard_as_one(read: Read, channels: int):
    assert read(encode(talk(2), "wav", channels=channels)).blocks[0].text == SAID


@needs_a_voice
def test_sound_of_a_film_is_transcribed(read: Read):
    document = read(film(talk(3)), WEBM)
    assert (document.blocks, document.warnings) == (
        (Block(SAID, location="00:00:00", is_recognised=True),),
        (),
    )


@needs_a_voice
def test_locators_are_the_times_at_which_it_is_said(read: Read):
    """70 s of speech are three windows of 30 s; after 40 s of silence, another begins."""
    samples = np.concatenate([quiet(5), talk(70), quiet(40), talk(3)])
    document = read(encode(samples, "wav"))
    locations = ["00:00:04", "00:00:34", "00:01:04", "00:01:54"]
    assert document.blocks == tuple(
        Block(SAID, location=each, is_recognised=True) for each in locations
    )
    assert [passage.location for passage in chunk_document(document)] == locations


@needs_a_voice
@pytest.mark.canary
def test_what_is_said_is_heard_in_each_language_where_it_is_said(read: Read):
    spanish = spoken("Buenos días. El camión de Barcelona llega el jueves.", "es")
    english = spoken("Good morning. The truck from Barcelona arrives on Thursday.")
    document = read(
        encode(np.concatenate([spanish, quiet(40), english]), "mp3"), MP3, model=EMBEDDED_MODEL
    )
    first, second = document.blocks
    assert "camión de barcelona llega el jueves" in first.text.lower()
    assert "truck from barcelona arrives on thursday" in second.text.lower()
    assert first.location == "00:00:00"
    start = (len(spanish) + len(quiet(40))) / SAMPLE_RATE
    assert second.location in {clock(start - 1), clock(start), clock(start + 1)}


@needs_a_voice
def test_same_recording_gives_the_same_text(settings, tmp_path: Path):
    """Also where the model draws lots, for it believes none of its words."""
    settings.WHISPER_MODEL = str(make_guessing_checkpoint(tmp_path / "guessing.pt"))
    prepare_model(reading_settings())
    folder = model_folder(reading_settings())
    first, second = (WhisperRecogniser(folder, threads=1).transcribe(talk(2)) for _ in range(2))
    assert first[0].is_doubtful
    assert first == second


@needs_a_voice
def test_warm_parent_has_no_thread_that_a_fork_would_lose(read: Read):
    read(encode(talk(2), "wav"))
    assert len(list(Path(f"/proc/{sandbox.process_id}/task").iterdir())) == 1


# --- What is refused ----------------------------------------------------------------------------


def test_silence_is_no_speech(read: Read):
    assert refusal(read, encode(quiet(60), "flac"), FLAC) == NO_SPEECH
    assert (Reason("no_speech_in_recording")) == NO_SPEECH


@pytest.mark.parametrize("sound", ["noise", "tone", "beeps"])
def test_sound_without_words_is_no_speech(read: Read, sound: str):
    """Whisper alone writes "you" of such sounds, or "Thanks for watching"."""
    content = encode(SOUNDS[sound](30), "flac")
    assert refusal(read, content, FLAC, model=EMBEDDED_MODEL) == NO_SPEECH


@needs_a_voice
def test_what_the_model_itself_does_not_believe_is_left_out(read: Read, tmp_path: Path):
    guessing = make_guessing_checkpoint(tmp_path / "guessing.pt")
    assert refusal(read, encode(talk(2), "wav"), model=str(guessing)) == (
        Reason("speech_not_understood")
    )


def test_film_without_sound(read: Read):
    assert refusal(read, film(), WEBM) == (Reason("no_sound_in_file"))


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
    assert refusal(read, bytes(content), FLAC) == Reason("recording_too_long", limit=HOURS_MAX)


def test_recording_that_hides_its_length_is_stopped_at_the_limit(monkeypatch):
    monkeypatch.setattr(sound, "SECONDS_MAX", 60)
    recording = open_recording(encode(quiet(70), "mp3", write_xing="0"))
    assert recording.declared_seconds is None
    with pytest.raises(UnreadableFile, match="longer than 4 hours"):
        sum(map(len, recording.samples()))
    assert recording.heard_seconds < 62


# --- What is damaged on the way -----------------------------------------------------------------


@needs_a_voice
@pytest.mark.parametrize(
    ("kind", "content_type"), [("wav", WAV), ("mp3", MP3), ("flac", FLAC), ("webm", WEBM)]
)
def test_of_a_truncated_recording_the_beginning_is_transcribed(
    read: Read, kind: str, content_type: str
):
    content = encode(talk(20), kind)
    document = read(content[: len(content) // 2], content_type)
    assert document.blocks == (Block(SAID, location="00:00:00", is_recognised=True),)
    (warning,) = document.warnings
    times = ("00:00:09", "00:00:10", "00:00:11")
    assert warning in [Reason("recording_damaged", time=time) for time in times]


def test_missing_packets_do_not_move_what_follows():
    """Half a minute of zeros in the middle of an Opus stream, as in a WebM that was damaged."""
    content = bytearray(encode(hum(90), "webm"))
    third = len(content) // 3
    content[third : 2 * third] = bytes(third)
    recording = open_recording(bytes(content))
    assert sum(map(len, recording.samples())) / SAMPLE_RATE == pytest.approx(90, abs=1)


# --- Language -----------------------------------------------------------------------------------


class ListeningModel:
    """Hears what it is told: languages with their probabilities. Remembers which it wrote."""

    def __init__(self, *heard: dict[str, float]) -> None:
        self.heard = list(heard)
        self.written: list[str] = []

    def transcribe(self, speech: Samples, *, language: str | None, **options: object):
        """Writes nothing before it is iterated, as WhisperModel."""
        if language is not None:
            return self.write(language), None
        probabilities = self.heard.pop(0)
        likeliest = max(probabilities, key=lambda each: probabilities[each])
        found = SimpleNamespace(
            language=likeliest,
            language_probability=probabilities[likeliest],
            all_language_probs=list(probabilities.items()),
        )
        return self.write(likeliest), found

    def write(self, language: str) -> Iterator[Segment]:
        self.written.append(language)
        yield from ()


def written_in(monkeypatch: pytest.MonkeyPatch, *heard: dict[str, float]) -> list[str]:
    """The languages in which parts of one recording are written down."""
    model = ListeningModel(*heard)
    monkeypatch.setattr(WhisperRecogniser, "_loaded_model", lambda self: model)
    recogniser = WhisperRecogniser(Path("nowhere"), threads=1)
    for _ in heard:
        recogniser._hear(quiet(1))
    return model.written


def test_each_part_is_written_in_its_own_language(monkeypatch):
    written = written_in(monkeypatch, {"es": 0.9}, {"ca": 0.6}, {"en": 0.8})
    assert written == ["es", "ca", "en"]


def test_language_that_is_hardly_heard_is_that_of_the_part_before(monkeypatch):
    assert written_in(monkeypatch, {"ca": 0.9}, {"pt": 0.4, "es": 0.3}) == ["ca", "ca"]


def test_language_that_is_hardly_heard_at_first_is_spanish_or_english(monkeypatch):
    assert written_in(monkeypatch, {"pt": 0.4, "en": 0.1, "es": 0.3}, {"it": 0.3}) == ["es", "es"]


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
