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
from reasons import Reason

DOUBTFUL_MAX = 5  # places that a warning names

NO_SPEECH = Reason("no_speech_in_recording")
NOT_UNDERSTOOD = Reason("speech_not_understood")

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


def damage_of(recording: Recording) -> list[Reason]:
    if recording.damaged_at is None:
        return []
    return [Reason("recording_damaged", time=clock(recording.damaged_at))]


def left_out(doubtful: list[Utterance]) -> list[Reason]:
    if not doubtful:
        return []
    places = ", ".join(clock(utterance.start_seconds) for utterance in doubtful[:DOUBTFUL_MAX])
    is_all = len(doubtful) <= DOUBTFUL_MAX
    return [Reason("speech_left_out" if is_all else "speech_left_out_and_more", places=places)]
