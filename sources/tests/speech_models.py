"""Whisper checkpoints for tests, as openai-whisper writes them: of its real shape, with tiny
layers.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer

from reading.whisper_models import PACKAGES, data_folder

STATE = 64
TINY = {
    "n_mels": 80,
    "n_audio_ctx": 1500,
    "n_audio_state": STATE,
    "n_audio_head": 1,
    "n_audio_layer": 1,
    "n_vocab": 51865,
    "n_text_ctx": 448,
    "n_text_state": STATE,
    "n_text_head": 1,
    "n_text_layer": 1,
}
STATED = 100.0  # what the position says, so loud that nothing else counts
HEARD = 5.0
Weights = dict[str, torch.Tensor]


def make_guessing_checkpoint(path: Path) -> Path:
    """Random weights: whatever it hears, it says anything, and believes none of it."""
    torch.manual_seed(0)
    weights = {name: torch.randn(shape) * 0.02 for name, shape in shapes()}
    return save(weights, path)


def make_speaking_checkpoint(path: Path, said: Sequence[str | float], language: str) -> Path:
    """Says the same at every window of 30 seconds, surely: texts between times (seconds in the
    window), as Whisper's tokens go. The decoder's layers add nothing, so that the position alone
    decides the next token.
    """
    tokenizer = Tokenizer.from_file(str(data_folder(PACKAGES[0]) / "tokenizer.json"))
    first_time = tokenizer.token_to_id("<|notimestamps|>") + 1
    tokens = [tokenizer.token_to_id(f"<|{each}|>") for each in (language, "transcribe")]
    for part in said:
        if isinstance(part, str):
            tokens += tokenizer.encode(part, add_special_tokens=False).ids
        else:
            tokens.append(first_time + round(part / 0.02))
    tokens.append(tokenizer.token_to_id("<|endoftext|>"))
    weights = {name: torch.zeros(shape) for name, shape in shapes()}
    weights["decoder.ln.weight"].fill_(1.0)
    known = list(dict.fromkeys(tokens))
    for axis, token in enumerate(known):
        weights["decoder.token_embedding.weight"][token, axis] = HEARD
    for position, token in enumerate(tokens):
        weights["decoder.positional_embedding"][position, known.index(token)] = STATED
    return save(weights, path)


def shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    """Of all weights of a model of TINY's dimensions, under openai-whisper's names."""
    yield from linear("encoder.conv1", STATE, TINY["n_mels"], 3)
    yield from linear("encoder.conv2", STATE, STATE, 3)
    yield "encoder.positional_embedding", (TINY["n_audio_ctx"], STATE)
    yield "decoder.positional_embedding", (TINY["n_text_ctx"], STATE)
    yield "decoder.token_embedding.weight", (TINY["n_vocab"], STATE)
    for norm in ("encoder.ln_post", "decoder.ln"):
        yield from linear(norm, STATE)
    for block, attentions in (
        ("encoder.blocks.0", ("attn",)),
        ("decoder.blocks.0", ("attn", "cross_attn")),
    ):
        for attention in attentions:
            yield from linear(f"{block}.{attention}_ln", STATE)
            for part in ("query", "value", "out"):
                yield from linear(f"{block}.{attention}.{part}", STATE, STATE)
            yield f"{block}.{attention}.key.weight", (STATE, STATE)
        yield from linear(f"{block}.mlp_ln", STATE)
        yield from linear(f"{block}.mlp.0", 4 * STATE, STATE)
        yield from linear(f"{block}.mlp.2", STATE, 4 * STATE)


def linear(name: str, *shape: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", shape
    yield f"{name}.bias", shape[:1]


def save(weights: Weights, path: Path, **dims: int) -> Path:
    torch.save({"dims": {**TINY, **dims}, "model_state_dict": weights}, path)
    return path
