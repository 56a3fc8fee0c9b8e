"""Sound of any container as samples, decoded while it is read: no recording is ever whole in
memory.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED
from reasons import Reason

Samples = NDArray[np.float32]  # (n,), mono, SAMPLE_RATE, -1 to 1

SAMPLE_RATE = 16_000  # what speech models listen to
HOURS_MAX = 4  # of one recording: longer, and no processor here transcribes it in time
SECONDS_MAX = HOURS_MAX * 3600
RATES = range(4_000, 400_001)  # of honest recordings: telephones to studios
GAP_MIN_SECONDS = 0.2  # shorter ones are rounding
GAP_MAX_SECONDS = 3600  # a longer one is a broken clock
GAP_PIECE_SECONDS = 10  # silence is handed out in pieces of this length
LOST_MIN_SECONDS = 1  # what may be missing from a recording that we still call whole
# Which of FFmpeg's demuxers may see the file: those that follow links to other files never do.
DEMUXERS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"RIFF", "wav"),
    (0, b"RF64", "wav"),
    (0, b"OggS", "ogg"),
    (0, b"fLaC", "flac"),
    (4, b"ftyp", "mov"),
    (0, b"\x1aE\xdf\xa3", "matroska"),
)
MP3_LENGTH_MARKS = (b"Xing", b"Info", b"VBRI")  # without one, an MP3's length is FFmpeg's guess
WAV_UNKNOWN_BYTES = 0x7FFF0000  # programs that do not know a length yet write one from here on
MP3_HEAD_BYTES = 4096  # where they stand, behind the tags

TOO_LONG = Reason("recording_too_long", limit=HOURS_MAX)
NO_SOUND = Reason("no_sound_in_file")
UNKNOWN_CODEC = Reason("sound_not_readable")


@dataclass
class Recording:
    """The first audio track of a file. `samples` is read once; what else is said here is complete
    after that.
    """

    container: InputContainer
    stream: AudioStream
    declared_seconds: float | None
    heard_seconds: float = 0.0
    lost_seconds: float = 0.0
    damaged_at: float | None = None  # seconds; None where it is whole

    def samples(self) -> Iterator[Samples]:
        """Pieces of at most some seconds, without gaps between them. Raises UnreadableFile when it
        is too long or nothing can be decoded.
        """
        for piece in self._pieces():
            self.heard_seconds += len(piece) / SAMPLE_RATE
            if self.heard_seconds > SECONDS_MAX:
                raise UnreadableFile(TOO_LONG)
            yield np.nan_to_num(piece, nan=0.0, posinf=1.0, neginf=-1.0).clip(-1.0, 1.0)
        missing = (self.declared_seconds or 0.0) - self.heard_seconds
        if missing > self.lost_seconds:
            self._lose(missing - self.lost_seconds)
        if self.heard_seconds == 0:
            raise UnreadableFile(DAMAGED)

    def _pieces(self) -> Iterator[Samples]:
        """Silence stands where packets are missing (damaged, or never sent in a pause), so that a
        sample's position is its time.
        """
        resampler = Resampler()
        clock: float | None = None
        for frame in self._frames():
            check_rate(frame.sample_rate)
            if clock is not None and frame.time is not None:
                yield from silence(frame.time - clock)
            if frame.time is not None:
                clock = frame.time + frame.samples / frame.sample_rate
            yield from resampler.convert(frame)
        yield from resampler.flush()

    def _frames(self) -> Iterator[AudioFrame]:
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError:
                self._lose(LOST_MIN_SECONDS)
                return
            if packet is None:
                return
            try:
                yield from packet.decode()
            except av.FFmpegError:
                self._lose(float((packet.duration or 0) * (packet.time_base or 0)))

    def _lose(self, seconds: float) -> None:
        self.lost_seconds += seconds
        if self.damaged_at is None and self.lost_seconds >= LOST_MIN_SECONDS:
            self.damaged_at = self.heard_seconds


def open_recording(data: bytes) -> Recording:
    """Opens a recording. Raises UnreadableFile if it has no sound, or declares more than
    SECONDS_MAX."""
    demuxer = demuxer_of(data)
    try:
        container = av.open(io.BytesIO(data), "r", format=demuxer, metadata_errors="ignore")
    except (av.FFmpegError, ValueError) as error:
        raise UnreadableFile(DAMAGED) from error
    if not container.streams.audio:
        raise UnreadableFile(NO_SOUND if container.streams.video else DAMAGED)
    stream = container.streams.audio[0]
    if stream.codec_context is None:
        raise UnreadableFile(UNKNOWN_CODEC)
    stream.codec_context.thread_count = 1
    seconds = declared_seconds(container, demuxer, data)
    if seconds is not None and seconds > SECONDS_MAX:
        raise UnreadableFile(TOO_LONG)
    return Recording(container, stream, seconds)


def demuxer_of(data: bytes) -> str:
    for at, mark, demuxer in DEMUXERS:
        if data[at : at + len(mark)] == mark:
            return demuxer
    return "mp3"


def mp3_head(data: bytes) -> bytes:
    """The first frames, behind an ID3v2 tag (id3.org, ID3v2.4.0 §3.1: a size of 4 × 7 bits)."""
    start = 0
    if data.startswith(b"ID3"):
        start = 10 + sum(byte % 128 << 7 * place for place, byte in enumerate(data[9:5:-1]))
    return data[start : start + MP3_HEAD_BYTES]


def declared_seconds(container: InputContainer, demuxer: str, data: bytes) -> float | None:
    """The declared length in seconds; None where FFmpeg would guess, or the sound has none."""
    stream = container.streams.audio[0]
    if stream.duration and stream.time_base:
        seconds = float(stream.duration * stream.time_base)
    elif container.duration and not container.streams.video:
        seconds = container.duration / av.time_base
    else:
        return None
    if demuxer == "mp3":
        return seconds if any(mark in mp3_head(data) for mark in MP3_LENGTH_MARKS) else None
    return seconds * wav_share(data) if demuxer == "wav" else seconds


def wav_share(data: bytes) -> float:
    """The length that the header declares, divided by the actual one: FFmpeg counts the bytes that
    are there."""
    declared = int.from_bytes(data[4:8], "little") + 8
    return declared / len(data) if len(data) < declared < WAV_UNKNOWN_BYTES else 1.0


def check_rate(rate: int) -> None:
    if rate not in RATES:
        raise UnreadableFile(DAMAGED)


def silence(seconds: float) -> Iterator[Samples]:
    if not GAP_MIN_SECONDS <= seconds <= GAP_MAX_SECONDS:
        return
    left = round(seconds * SAMPLE_RATE)
    while left > 0:
        size = min(left, GAP_PIECE_SECONDS * SAMPLE_RATE)
        yield np.zeros(size, np.float32)
        left -= size


class Resampler:
    """Converts to mono at SAMPLE_RATE; a stream may change its own form on the way."""

    def __init__(self) -> None:
        self._form: tuple[str, str, int] | None = None
        self._resampler: AudioResampler | None = None

    def convert(self, frame: AudioFrame) -> Iterator[Samples]:
        form = (frame.format.name, frame.layout.name, frame.sample_rate)
        if form != self._form:
            yield from self.flush()
            self._form = form
            self._resampler = AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
        yield from self._push(frame)

    def flush(self) -> Iterator[Samples]:
        if self._resampler is not None:
            yield from self._push(None)

    def _push(self, frame: AudioFrame | None) -> Iterator[Samples]:
        assert self._resampler is not None  # noqa: S101 - made by convert
        try:
            converted = self._resampler.resample(frame)
        except av.FFmpegError as error:  # two hundred channels, for example
            raise UnreadableFile(UNKNOWN_CODEC) from error
        for part in converted:
            yield part.to_ndarray().reshape(-1).astype(np.float32, copy=False)
