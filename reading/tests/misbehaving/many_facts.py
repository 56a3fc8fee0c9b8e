"""Says more of its file than fits into a record."""

from reading.confinement.messages import RECORD_MAX_BYTES
from reading.extractors.interface import Extraction


def extract(data: bytes) -> Extraction:
    return Extraction(blocks=(), facts={"links": ["x" * RECORD_MAX_BYTES]})
