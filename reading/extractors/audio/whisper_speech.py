"""Speech through faster-whisper: Whisper by CTranslate2, where Silero's model hears a voice."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

# Read when onnxruntime is imported, which would report to its makers otherwise
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import ctranslate2
import numpy as np
import onnxruntime  # noqa: F401 - faster_whisper.vad imports it late, for each file anew
from faster_whisper import WhisperModel
from faster_whisper.transcribe import Segment, TranscriptionInfo
from faster_whisper.vad import VadOptions, get_speech_timestamps, get_vad_model

from reading.extractors.audio.sound import SAMPLE_RATE, Samples
from reading.extractors.audio.transcript import Utterance

STRETCH_SECONDS = 300.0
# Speech after a longer pause is heard by itself: it may be in another language. Music and noise
# between is not heard at all: Whisper, asked what it says, makes something up.
PAUSE_MILLISECONDS = 3000
COMPUTED_IN = "int8"
# Below, the languages of our customers come first, and that of what was said before.
LANGUAGE_MIN_PROBABILITY = 0.5
LANGUAGES = ("es", "en")
# Whisper's own limits (whisper/transcribe.py, v20250625): beyond, a text is a loop, or a guess. But
# for the first, which is 2.4 there: announcements that do repeat themselves reach 2.5, loops 4.
COMPRESSION_MAX = 3.0
LOG_PROBABILITY_MIN = -1.0
NO_SPEECH_MAX = 0.6
TEMPERATURES = (0.0, 0.4, 0.8)  # tried in turn until a text keeps to the limits above
SEED = 0  # the same recording gives the same text, so that its chunks stay known


class WhisperRecogniser:
    """Made in the warm parent, used in the process of one recording: it remembers its language."""

    stretch_seconds = STRETCH_SECONDS  # the longest stretch that it takes

    def __init__(self, folder: Path, *, threads: int) -> None:
        self._folder = folder
        self._threads = threads
        self._model: RememberingModel | None = None
        self._language: str | None = None
        get_vad_model()  # kept: it has one thread, the caller's

    def transcribe(self, samples: Samples) -> Sequence[Utterance]:
        """The utterances in order; times count from the first sample."""
        return [
            utterance_of(segment).later(start_seconds)
            for start_seconds, speech in parts_with_speech(samples)
            for segment in self._hear(speech)
            if segment.text.strip()
        ]

    def _hear(self, speech: Samples) -> list[Segment]:
        segments, found = self._run(speech, language=None)
        if found.language_probability < LANGUAGE_MIN_PROBABILITY:
            self._language = self._language or most_likely(found)
            segments, _ = self._run(speech, language=self._language)
        else:
            self._language = found.language
        return list(segments)

    def _run(
        self, speech: Samples, *, language: str | None
    ) -> tuple[Iterator[Segment], TranscriptionInfo]:
        """Transcribes. The segments are lazy: without iterating, only telling the language costs
        time."""
        ctranslate2.set_random_seed(SEED)
        segments, found = self._loaded_model().transcribe(
            speech,
            language=language,
            beam_size=1,
            best_of=1,
            temperature=TEMPERATURES,
            compression_ratio_threshold=COMPRESSION_MAX,
            log_prob_threshold=LOG_PROBABILITY_MIN,
            no_speech_threshold=NO_SPEECH_MAX,
            condition_on_previous_text=False,  # one wrong window would spoil all that follow
        )
        return iter(segments), found

    def _loaded_model(self) -> RememberingModel:
        """Loaded in the process of the recording (0.4 s): a model's threads begin with it, and
        would not survive the fork.
        """
        if self._model is None:
            self._model = RememberingModel(
                str(self._folder),
                device="cpu",
                compute_type=COMPUTED_IN,
                cpu_threads=self._threads,
                local_files_only=True,
            )
        return self._model


class RememberingModel(WhisperModel):  # type: ignore[misc]  # without types
    """Encodes a window once, which is a third of the work for a short recording: WhisperModel does
    it to tell the language, and again to transcribe.
    """

    _last: tuple[Samples, Any] | None = None

    def encode(self, features: Samples) -> Any:
        """`features`: (bands, frames)."""
        if self._last is None or not is_same_window(self._last[0], features):
            self._last = (features, super().encode(features))
        return self._last[1]


def is_same_window(one: Samples, other: Samples) -> bool:
    """True if the windows are equal but for one frame (10 ms), which WhisperModel adds to tell the
    language."""
    return bool(np.count_nonzero((one != other).any(axis=0)) <= 1)


def parts_with_speech(samples: Samples) -> Iterator[tuple[float, Samples]]:
    """(start in seconds, samples): where somebody speaks, with pauses of up to three seconds."""
    options = VadOptions(min_silence_duration_ms=PAUSE_MILLISECONDS)
    for part in get_speech_timestamps(samples, options, SAMPLE_RATE):
        yield part["start"] / SAMPLE_RATE, samples[part["start"] : part["end"]]


def most_likely(found: TranscriptionInfo) -> str:
    """The most likely one of LANGUAGES."""
    probabilities = dict(found.all_language_probs or ())
    return max(LANGUAGES, key=lambda language: probabilities.get(language, 0.0))


def utterance_of(segment: Segment) -> Utterance:
    return Utterance(
        start_seconds=segment.start,
        end_seconds=segment.end,
        text=segment.text.strip(),
        is_doubtful=segment.compression_ratio > COMPRESSION_MAX
        or segment.avg_logprob < LOG_PROBABILITY_MIN,
    )
