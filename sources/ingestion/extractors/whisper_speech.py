"""Speech through openai-whisper. Importing this takes torch, seconds and 300 MB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import whisper
from whisper.audio import mel_filters
from whisper.tokenizer import get_tokenizer

from sources.ingestion.extractors.sound import Samples
from sources.ingestion.extractors.transcript import Utterance

STRETCH_SECONDS = 300.0
LANGUAGE_MIN_PROBABILITY = 0.5  # below, a stretch speaks the language of the one before it
# Whisper's own limits (transcribe.py, v20250625): beyond, a text is a loop, or a guess.
COMPRESSION_MAX = 2.4
LOG_PROBABILITY_MIN = -1.0
NO_SPEECH_MAX = 0.6
TEMPERATURES = (0.0, 0.4, 0.8)  # tried in turn until a text keeps to the limits above
SEED = 0  # the same recording gives the same text, so that its chunks stay known


class WhisperRecogniser:
    """One instance transcribes one recording at a time: it remembers its language."""

    stretch_seconds = STRETCH_SECONDS

    def __init__(self, checkpoint: str, *, threads: int) -> None:
        torch.set_num_threads(1)  # a pool of threads would not survive the fork
        self._threads = threads
        self._model: Any = whisper.load_model(checkpoint, device="cpu")
        self._language: str | None = None
        # Both are read from files once: before the fork
        mel_filters("cpu", self._model.dims.n_mels)
        get_tokenizer(self._model.is_multilingual, num_languages=self._model.num_languages)

    def transcribe(self, samples: Samples) -> Sequence[Utterance]:
        torch.set_num_threads(self._threads)
        torch.manual_seed(SEED)
        with torch.inference_mode():
            self._language = self._language_of(samples)
            said = self._model.transcribe(
                samples,
                language=self._language,
                temperature=TEMPERATURES,
                compression_ratio_threshold=COMPRESSION_MAX,
                logprob_threshold=LOG_PROBABILITY_MIN,
                no_speech_threshold=NO_SPEECH_MAX,
                condition_on_previous_text=False,  # one wrong window would spoil all that follow
                fp16=False,
                verbose=None,
            )
        return [utterance_of(segment) for segment in said["segments"] if segment["text"].strip()]

    def _language_of(self, samples: Samples) -> str:
        """By the first 30 seconds."""
        if not self._model.is_multilingual:
            return "en"
        mel = whisper.log_mel_spectrogram(
            whisper.pad_or_trim(samples), n_mels=self._model.dims.n_mels
        )
        _, probabilities = self._model.detect_language(mel)
        language = max(probabilities, key=probabilities.get)
        if self._language and probabilities[language] < LANGUAGE_MIN_PROBABILITY:
            return self._language
        return str(language)


def utterance_of(segment: dict[str, Any]) -> Utterance:
    return Utterance(
        start_seconds=segment["start"],
        end_seconds=segment["end"],
        text=segment["text"].strip(),
        is_doubtful=segment["compression_ratio"] > COMPRESSION_MAX
        or segment["avg_logprob"] < LOG_PROBABILITY_MIN,
    )
