"""Cuts a recording into stretches that a speech model takes at once, and leaves silence out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from reading.extractors.audio.sound import SAMPLE_RATE, Samples

WINDOW_SAMPLES = SAMPLE_RATE // 10  # loudness is judged by the tenth of a second
SILENCE_LEVEL = 0.001  # RMS, -60 dB: the quietest room that a microphone hears is louder
PAUSE_WINDOWS = 30  # silence that ends a stretch
MARGIN_WINDOWS = 2  # silence that is kept before and after sound
SOUND_MIN_WINDOWS = 3  # less is a click
CUT_SHARE = 0.2  # a stretch that gets too long is cut where its last part of this size is quietest


@dataclass(frozen=True)
class Stretch:
    """`samples` begin `start_seconds` after the recording's begin."""

    start_seconds: float
    samples: Samples


class Growing:
    """A stretch under way: windows from the number `first` of the recording on."""

    def __init__(self, first: int, windows: list[Samples], levels: list[float]) -> None:
        self._first = first
        self._windows = windows
        self._levels = levels
        loud = [index for index, level in enumerate(levels) if level >= SILENCE_LEVEL]
        self._loud_windows = len(loud)
        self.trailing_silence = len(levels) - (loud[-1] + 1 if loud else 0)

    def __len__(self) -> int:
        return len(self._windows)

    @property
    def is_silent(self) -> bool:
        return self._loud_windows == 0

    def add(self, window: Samples) -> None:
        level = float(np.sqrt(np.mean(np.square(window))))
        self._windows.append(window)
        self._levels.append(level)
        is_loud = level >= SILENCE_LEVEL
        self._loud_windows += is_loud
        self.trailing_silence = 0 if is_loud else self.trailing_silence + 1

    def part(self, start: int, end: int) -> Growing:
        start = max(start, 0)
        return Growing(self._first + start, self._windows[start:end], self._levels[start:end])

    def last(self, windows: int) -> Growing:
        return self.part(len(self) - windows, len(self))

    def quietest(self) -> int:
        """The place to cut: the quietest of the last windows, smoothed over three."""
        begin = round(len(self) * (1 - CUT_SHARE))
        levels = np.convolve(self._levels[begin:], np.ones(3), mode="valid")
        return begin + 1 + int(np.argmin(levels))

    def finish(self) -> Iterator[Stretch]:
        """The stretch without the silence at its end; none when there was hardly a sound."""
        if self._loud_windows < SOUND_MIN_WINDOWS:
            return
        end = len(self) - max(self.trailing_silence - MARGIN_WINDOWS, 0)
        start_seconds = self._first * WINDOW_SAMPLES / SAMPLE_RATE
        yield Stretch(start_seconds, np.concatenate(self._windows[:end]))


def iter_stretches(pieces: Iterable[Samples], *, max_seconds: float) -> Iterator[Stretch]:
    """Lazy: holds `max_seconds` of sound at a time. `pieces` follow each other without a gap."""
    limit = round(max_seconds * SAMPLE_RATE / WINDOW_SAMPLES)
    growing = Growing(0, [], [])
    for window in iter_windows(pieces):
        growing.add(window)
        if growing.is_silent:
            growing = growing.last(MARGIN_WINDOWS)
        elif growing.trailing_silence >= PAUSE_WINDOWS:
            yield from growing.finish()
            growing = growing.last(MARGIN_WINDOWS)
        elif len(growing) >= limit:
            cut = growing.quietest()
            yield from growing.part(0, cut).finish()
            growing = growing.part(cut, len(growing))
    yield from growing.finish()


def iter_windows(pieces: Iterable[Samples]) -> Iterator[Samples]:
    """Yields windows of WINDOW_SAMPLES; the last one is filled up with silence."""
    rest = np.zeros(0, np.float32)
    for piece in pieces:
        joined = np.concatenate([rest, piece])
        whole = len(joined) // WINDOW_SAMPLES * WINDOW_SAMPLES
        yield from joined[:whole].reshape(-1, WINDOW_SAMPLES)
        rest = joined[whole:]
    if len(rest):
        yield np.pad(rest, (0, WINDOW_SAMPLES - len(rest)))
