"""The data file of multilingual-e5-small in a few kilobytes: random weights, and some words."""

import struct
from collections.abc import Mapping

import numpy as np

from sources.embedding.e5_file import BLOCK, BLOCKS, E5File, Floats, Shape, SpecialPieces

PIECES = {
    "<s>": 0.0,
    "<pad>": 0.0,
    "</s>": 0.0,
    "<unk>": 0.0,
    "▁": -4.0,
    "▁niño": -5.0,
    "▁ni": -5.5,
    "▁boat": -6.0,
    "▁жар": -6.5,  # a word of another script, and a character
    "ж": -7.0,
    "s": -7.5,
    "1º%": -8.0,
}
SHAPE = Shape(
    hidden=32,
    layers=2,
    heads=2,
    intermediate=64,
    vocabulary=len(PIECES) + 3,  # the real one too has words without a piece
    positions=64,
    token_types=2,
    layer_norm_epsilon=2.0**-40,
    block_weights=32,
)
SCALE = 2.0**-4  # of every block
NORMALISED = struct.pack("<IBI", ord("ﬁ"), 1, ord("f"))  # the table of characters


def tiny_content(*, seed: int = 0, shape: Shape = SHAPE) -> E5File:
    random = np.random.default_rng(seed)
    hidden, intermediate = shape.hidden, shape.intermediate
    sizes = {
        "emb.word": shape.vocabulary * hidden,
        "emb.pos": shape.positions * hidden,
        "emb.type": shape.token_types * hidden,
        "emb.ln.w": hidden,
        "emb.ln.b": hidden,
    }
    for layer in range(shape.layers):
        for part in ("q", "k", "v", "ao", "aln", "fi", "fo", "oln"):
            inputs = {"aln": 1, "oln": 1, "fo": intermediate}.get(part, hidden)
            outputs = intermediate if part == "fi" else hidden
            sizes[f"l{layer}.{part}.w"] = inputs * outputs
            sizes[f"l{layer}.{part}.b"] = outputs
    return E5File(
        shape=shape,
        pieces=list(PIECES.items()),
        special=SpecialPieces(begin=0, end=2, padding=1, unknown=3),
        tensors={
            name: random.integers(-8, 8, size).astype(np.float32) * np.float32(SCALE)
            for name, size in sizes.items()
        },
    )


def file_of(content: E5File) -> bytes:
    texts = [piece.encode() for piece, _ in content.pieces]
    head = b"".join(
        [
            struct.pack("<4sI7ifi", b"E5S1", 1, *content.shape),
            struct.pack("<i4iQ", len(texts), *content.special, len(b"".join(texts))),
            np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes(),
            np.array([score for _, score in content.pieces], "<f4").tobytes(),
            b"".join(texts),
            struct.pack("<iI", 1, len(NORMALISED)) + NORMALISED,
        ]
    )
    data_at = len(head) + len(directory(content.tensors, data_at=0))
    stored = [stored_tensor(name, weights) for name, weights in content.tensors.items()]
    return head + directory(content.tensors, data_at=data_at) + b"".join(stored)


def directory(tensors: Mapping[str, Floats], *, data_at: int) -> bytes:
    entries = [struct.pack("<i", len(tensors))]
    for name, weights in tensors.items():
        size = len(stored_tensor(name, weights))
        kind = BLOCKS if is_in_blocks(name) else 0
        entries.append(struct.pack("<H", len(name)) + name.encode())
        entries.append(struct.pack("<BIQQ", kind, weights.size, data_at, size))
        data_at += size
    return b"".join(entries)


def is_in_blocks(name: str) -> bool:
    return name == "emb.word" or (name.endswith(".w") and "ln" not in name)


def stored_tensor(name: str, weights: Floats) -> bytes:
    if not is_in_blocks(name):
        return weights.astype("<f4").tobytes()
    nibbles = (weights / SCALE + 8).astype(np.uint8).reshape(-1, 2, 16)
    blocks = np.empty(len(nibbles), BLOCK)
    blocks["scale"] = SCALE
    blocks["nibbles"] = nibbles[:, 0] | nibbles[:, 1] << 4
    return blocks.tobytes()
