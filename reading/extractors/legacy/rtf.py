"""Rich text (RTF 1.9.1): headings, paragraphs, lists, tables by row, footnotes, comments, text
boxes; headers and footers once.

Left out: hidden and deleted text, the codes of fields, pictures, embedded objects. The reader is
our own: striprtf keeps what is deleted or hidden, breaks characters beyond U+FFFF, and knows
neither headings nor columns.
"""

from collections.abc import Iterator

from reading.errors import UnreadableFile
from reading.extractors.headings import HeadingTrail
from reading.extractors.interface import DAMAGED, Extraction
from reading.extractors.legacy.rtf_reader import Reader
from reading.extractors.prose import clean
from reading.passages import Block

OPENING = b"{\\rtf"


def extract(data: bytes) -> Extraction:
    start = data.find(OPENING, 0, 1024)
    if start < 0:
        raise UnreadableFile(DAMAGED)
    reader = Reader(data[start:])
    return Extraction(blocks=read_blocks(reader), warnings=reader.warnings)


def read_blocks(reader: Reader) -> Iterator[Block]:
    trail = HeadingTrail(is_location=True)
    for line in reader.read():
        if line.depth:
            yield trail.enter(clean(line.text), line.depth)
        else:
            yield Block(line.text) if line.is_margin else trail.block(line.text)
