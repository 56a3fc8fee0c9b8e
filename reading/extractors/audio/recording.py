"""Sound to text with its times: WAV, MP3, OGG, M4A, FLAC, WebM, through Whisper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reading.errors import UnreadableFile
from reading.extractors.audio.sound import Recording, open_recording
from reading.extractors.audio.stretches import iter_stretches
from reading.extractors.audio.transcript import Utterance, blocks_of, clock
from reading.extractors.audio.whisper_speech import WhisperRecogniser
from reading.extractors.interface import Extraction

DOUBTFUL_MAX = 5  # places that a warning names

NO_SPEECH = "No speech was heard in this recording, so it has no text that can be indexed."
NOT_UNDERSTOOD = (
    "The speech in this recording could not be understood. Upload a recording with less noise, "
    "or its text."
)

# What `prepare` made; one for all files of a warm parent.
recognisers: list[WhisperRecogniser] = []


def prepare(options: Mapping[str, str]) -> tuple[Path, ...]:
    """`folder` with a model as faster-whisper reads it, and `threads`."""
    folder = Path(options["folder"])
    recognisers[:] = [WhisperRecogniser(folder, threads=int(options["threads"]))]
    return (folder,)


def extract(data: bytes) -> Extraction:
    (recogniser,) = recognisers
    recording = open_recording(data)
    heard = listen(recording, recogniser)
    blocks = blocks_of(utterance for utterance in heard if not utterance.is_doubtful)
    doubtful = [utterance for utterance in heard if utterance.is_doubtful]
    if not blocks:
        raise UnreadableFile(NOT_UNDERSTOOD if doubtful else NO_SPEECH)
    return Extraction(blocks, warnings=[*damage_of(recording), *left_out(doubtful)])


def listen(recording: Recording, recogniser: WhisperRecogniser) -> list[Utterance]:
    stretches = iter_stretches(recording.samples(), max_seconds=recogniser.stretch_seconds)
    return [
        utterance.later(stretch.start_seconds)
        for stretch in stretches
        for utterance in recogniser.transcribe(stretch.samples)
    ]


def damage_of(recording: Recording) -> list[str]:
    if recording.damaged_at is None:
        return []
    return [
        f"The recording is damaged or incomplete from {clock(recording.damaged_at)} on: what could "
        "be heard was transcribed."
    ]


def left_out(doubtful: list[Utterance]) -> list[str]:
    if not doubtful:
        return []
    places = ", ".join(clock(utterance.start_seconds) for utterance in doubtful[:DOUBTFUL_MAX])
    more = " and other places" if len(doubtful) > DOUBTFUL_MAX else ""
    return [f"What was said at {places}{more} could not be understood and was left out."]
