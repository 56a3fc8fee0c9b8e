"""Has settings: says what it was prepared with, once for each time; or cannot be prepared."""

from collections.abc import Mapping

from reading.extractors.interface import Extraction

prepared: list[str] = []


def prepare(options: Mapping[str, str]) -> None:
    if options.get("model") == "missing":
        raise FileNotFoundError("missing")
    prepared.append(options.get("model", "none"))


def extract(data: bytes) -> Extraction:
    return Extraction(blocks=(), facts={"prepared": prepared})
