"""The operator's settings for reading."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ReadingSettings:
    """`ocr_languages`: as Tesseract names them, "spa+eng". `ocr_folder`: where their language data
    is; None when it is not there, and `ocr_advice` says what to install. `whisper_model`: a model's
    name, a path or "none" (speech.py). `whisper_folder`: where the models are that have a name,
    each in a folder of its own; it need not exist. `requires_landlock`: files are read only where
    the kernel has it.
    """

    ocr_languages: str
    ocr_folder: Path | None
    ocr_advice: str
    whisper_model: str
    whisper_folder: Path
    requires_landlock: bool
