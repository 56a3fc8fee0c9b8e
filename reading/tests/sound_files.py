"""Sound files in every container, by FFmpeg."""

import io

import av
import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.int16]
# container → codec and rate, as FFmpeg names them
CODECS = {
    "wav": ("pcm_s16le", 16_000),
    "mp3": ("libmp3lame", 16_000),
    "ogg": ("libopus", 48_000),
    "ipod": ("aac", 16_000),
    "flac": ("flac", 16_000),
    "webm": ("libopus", 48_000),
}


def encode(samples: Samples, rate: int, *, container: str) -> bytes:
    """Mono; `container` is a key of CODECS ("ipod" is M4A)."""
    codec, codec_rate = CODECS[container]
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream = output.add_stream(codec, rate=codec_rate, layout="mono")
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame.from_ndarray(samples[np.newaxis], format="s16", layout="mono")
        frame.sample_rate = rate
        resampler = av.AudioResampler(stream.format, "mono", codec_rate)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            output.mux(stream.encode(part))
        output.mux(stream.encode(None))
    return buffer.getvalue()
