"""Sound: hours of nothing in a few kilobytes, headers that lie, pictures without sound."""

import io
import struct
from fractions import Fraction

import av
import numpy as np

from bench.hostile.file import FAILED, SYNCED, HostileFile
from bench.sound_files import Samples, encode

HOURS_10_SECONDS = 10 * 3600
RATE = 16_000


def noise(seconds: int) -> Samples:
    return np.random.default_rng(1).integers(-8000, 8000, RATE * seconds).astype(np.int16)


# --- FLAC (RFC 9639) ------------------------------------------------------------------------------


def checksum(data: bytes, *, polynomial: int, bits: int) -> int:
    value, top = 0, 1 << (bits - 1)
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1) ^ polynomial if value & top else value << 1
        value &= (1 << bits) - 1
    return value


def flac_of_silence(seconds: int) -> bytes:
    """One frame of a dozen bytes for each 65,535 samples."""
    block = 65_535
    count = RATE * seconds // block
    total = count * block
    info = struct.pack(">HH", block, block) + bytes(6)
    info += ((RATE << 44) | (0 << 41) | (15 << 36) | total).to_bytes(8, "big") + bytes(16)
    frames = b"".join(silent_frame(number, block) for number in range(count))
    return b"fLaC\x80" + len(info).to_bytes(3, "big") + info + frames


def silent_frame(number: int, block: int) -> bytes:
    """A block size of 16 bits, the sample rate of the header, mono, 16 bits; one constant, 0."""
    coded = chr(number).encode("utf-8", "surrogatepass")
    head = b"\xff\xf8\x70\x08" + coded + struct.pack(">H", block - 1)
    head += bytes([checksum(head, polynomial=0x07, bits=8)])
    frame = head + b"\0" + b"\0\0"
    return frame + struct.pack(">H", checksum(frame, polynomial=0x8005, bits=16))


# --- Others ---------------------------------------------------------------------------------------


def ogg_of_silence(seconds: int) -> bytes:
    """Opus, whose packet of 60 ms of silence is told again and again."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="ogg") as output:
        stream = output.add_stream("libopus", rate=48_000, layout="mono")
        stream.options = {"frame_duration": "60", "vbr": "on"}
        silence = np.zeros((1, 48_000), np.int16)
        frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
        frame.sample_rate = 48_000
        packet = bytes([*stream.encode(frame), *stream.encode(None)][5])
        for number in range(int(seconds / 0.06)):
            again = av.Packet(packet)
            again.stream, again.time_base = stream, Fraction(1, 48_000)
            again.pts = again.dts = number * 2880
            again.duration = 2880
            output.mux(again)
    return buffer.getvalue()


def wav(seconds: int, *, data_bytes: int | None = None, rate: int = RATE) -> bytes:
    """Of noise; `data_bytes`: what its header says."""
    data = noise(seconds).tobytes()
    said = len(data) if data_bytes is None else data_bytes
    riff = struct.pack("<4sI4s", b"RIFF", min(said + 36, 2**32 - 1), b"WAVE")
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16)
    return riff + form + struct.pack("<4sI", b"data", said) + data


def webm_without_sound() -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="webm") as output:
        stream = output.add_stream("libvpx", rate=10)
        stream.width = stream.height = 64
        stream.pix_fmt = "yuv420p"
        for shade in range(20):
            pixels = np.full((64, 64, 3), shade * 10, np.uint8)
            output.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        output.mux(stream.encode(None))
    return buffer.getvalue()


def cut(content: bytes, share: float = 0.5) -> bytes:
    return content[: int(len(content) * share)]


FILES = (
    HostileFile("WAV that says 4 GB", "dice.wav", lambda: wav(2, data_bytes=2**32 - 1)),
    HostileFile("WAV of 2^31 samples a second", "rapido.wav", lambda: wav(2, rate=2**31 - 1)),
    HostileFile("WAV of 0 samples a second", "quieto.wav", lambda: wav(2, rate=0)),
    HostileFile("WAV without samples", "blanco.wav", lambda: wav(0)),
    HostileFile("WAV, 0 bytes", "nada.wav", bytes),
    HostileFile(
        "FLAC, 10 hours of silence", "horas.flac", lambda: flac_of_silence(HOURS_10_SECONDS)
    ),
    HostileFile("FLAC, 3 hours 50 of silence", "calla.flac", lambda: flac_of_silence(230 * 60)),
    HostileFile("OGG, 10 hours of silence", "horas.ogg", lambda: ogg_of_silence(HOURS_10_SECONDS)),
    HostileFile(
        "MP3, truncated",
        "cortado.mp3",
        lambda: cut(encode(noise(5), RATE, container="mp3")),
        (FAILED, SYNCED),
    ),
    HostileFile(
        "MP3, a tag and nothing else", "solo.mp3", lambda: b"ID3\4\0\0\0\0\0\0" + bytes(5000)
    ),
    HostileFile(
        "M4A, truncated",
        "cortado.m4a",
        lambda: cut(encode(noise(5), RATE, container="ipod")),
    ),
    HostileFile("WebM without sound", "video.webm", webm_without_sound),
)
