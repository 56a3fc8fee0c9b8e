"""Sound for tests: a hum that is loud enough to be listened to, speech of espeak-ng, and files of
every kind.
"""

import io
import subprocess

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.stream import VideoStream

from reading.extractors.audio.sound import SAMPLE_RATE, Samples

# File type → FFmpeg's muxer, encoder, and rate
KINDS = {
    "wav": ("wav", "pcm_s16le", 16_000),
    "mp3": ("mp3", "libmp3lame", 44_100),
    "ogg": ("ogg", "libopus", 48_000),
    "vorbis": ("ogg", "vorbis", 44_100),
    "m4a": ("ipod", "aac", 44_100),
    "flac": ("flac", "flac", 44_100),
    "webm": ("webm", "libopus", 48_000),
}
ENCODER_OPTIONS = {"strict": "experimental"}  # FFmpeg's own Vorbis, of two channels


def hum(seconds: float) -> Samples:
    """Tones of a voice's range whose loudness swells three times a second."""
    times = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    tones = sum(np.sin(2 * np.pi * 150 * number * times) / number for number in range(1, 6))
    return (0.2 * tones * (0.6 + 0.4 * np.sin(6 * np.pi * times))).astype(np.float32)


def quiet(seconds: float) -> Samples:
    return np.zeros(round(seconds * SAMPLE_RATE), np.float32)


def noise(seconds: float) -> Samples:
    """As of rain, or a machine."""
    random = np.random.default_rng(0)
    return (0.1 * random.standard_normal(round(seconds * SAMPLE_RATE))).astype(np.float32)


def tone(seconds: float) -> Samples:
    times = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return (0.3 * np.sin(2 * np.pi * 440 * times)).astype(np.float32)


def beeps(seconds: float) -> Samples:
    """A fifth of every second."""
    is_on = np.arange(round(seconds * SAMPLE_RATE)) % SAMPLE_RATE < SAMPLE_RATE // 5
    return tone(seconds) * is_on


def spoken(text: str, voice: str = "en-us") -> Samples:
    """By espeak-ng, which writes WAV of one channel and 16 bits."""
    command = ["espeak-ng", "-v", voice, "-s", "150", "--stdout", text]
    wav = subprocess.run(command, capture_output=True, check=True).stdout
    with av.open(io.BytesIO(wav), "r", format="wav") as container:
        rate = container.streams.audio[0].rate
        samples = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    times = np.arange(0, len(samples) / rate, 1 / SAMPLE_RATE)
    resampled: Samples = np.interp(times, np.arange(len(samples)) / rate, samples / 2**15)
    return resampled.astype(np.float32)


def encode(samples: Samples, kind: str, *, channels: int = 1, **options: str) -> bytes:
    """A file of one of KINDS. `options` are the muxer's."""
    muxer, codec, rate = KINDS[kind]
    layout = {1: "mono", 2: "stereo", 6: "5.1"}[channels]
    file = io.BytesIO()
    with av.open(file, "w", format=muxer, options=options) as container:
        stream = container.add_stream(codec, rate=rate, layout=layout, options=ENCODER_OPTIONS)
        assert isinstance(stream, AudioStream)
        add_sound(container, stream, np.repeat(samples[np.newaxis], channels, axis=0))
    return file.getvalue()


def add_sound(container: OutputContainer, stream: AudioStream, samples: Samples) -> None:
    """`samples`: (channels, n)."""
    frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout=stream.layout.name)
    frame.sample_rate = SAMPLE_RATE
    resampler = av.AudioResampler(stream.format, stream.layout, stream.rate)
    for converted in [*resampler.resample(frame), *resampler.resample(None)]:
        container.mux(stream.encode(converted))
    container.mux(stream.encode(None))


def film(sound: Samples | None = None) -> bytes:
    """Five seconds of black WebM, with a sound that may be shorter."""
    file = io.BytesIO()
    with av.open(file, "w", format="webm") as container:
        pictures = container.add_stream("libvpx", rate=5, width=64, height=64, pix_fmt="yuv420p")
        track = (
            container.add_stream("libopus", rate=48_000, layout="mono")
            if sound is not None
            else None
        )
        assert isinstance(pictures, VideoStream)
        for _ in range(25):
            picture = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
            container.mux(pictures.encode(picture))
        container.mux(pictures.encode(None))
        if sound is not None and isinstance(track, AudioStream):
            add_sound(container, track, sound[np.newaxis])
    return file.getvalue()
