"""Whisper checkpoints for tests, as openai-whisper writes them: of its real shape, with tiny
layers.
"""

import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from whisper.model import ModelDimensions, Whisper
from whisper.tokenizer import get_tokenizer

TINY = ModelDimensions(
    n_mels=80,
    n_audio_ctx=1500,
    n_audio_state=64,
    n_audio_head=1,
    n_audio_layer=1,
    n_vocab=51865,
    n_text_ctx=448,
    n_text_state=64,
    n_text_head=1,
    n_text_layer=1,
)
STATED = 100.0  # what the position says, so loud that nothing else counts
HEARD = 5.0


def make_guessing_checkpoint(path: Path) -> Path:
    """Random weights: whatever it hears, it says anything, and believes none of it."""
    torch.manual_seed(0)
    model = Whisper(TINY)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.02)
    return save(model, path)


def make_speaking_checkpoint(path: Path, said: Sequence[str | float], language: str) -> Path:
    """Says the same at every window of 30 seconds, surely: texts between times (seconds in the
    window), as Whisper's tokens go. The decoder's layers add nothing, so that the position alone
    decides the next token.
    """
    with warnings.catch_warnings(category=ResourceWarning, action="ignore"):  # a file of whisper's
        tokenizer = get_tokenizer(multilingual=True, num_languages=99)
    tokens = [tokenizer.to_language_token(language), tokenizer.transcribe]
    for part in said:
        if isinstance(part, str):
            tokens += tokenizer.encode(part)
        else:
            tokens.append(tokenizer.timestamp_begin + round(part / 0.02))
    model = Whisper(TINY)
    with torch.no_grad():
        for parameter in model.decoder.parameters():
            parameter.zero_()
        model.decoder.ln.weight.fill_(1.0)
        known = list(dict.fromkeys([*tokens, tokenizer.eot]))
        for axis, token in enumerate(known):
            model.decoder.token_embedding.weight[token, axis] = HEARD
        for position, token in enumerate([*tokens, tokenizer.eot]):
            model.decoder.positional_embedding[position, known.index(token)] = STATED
    return save(model, path)


def save(model: Whisper, path: Path) -> Path:
    torch.save({"dims": asdict(model.dims), "model_state_dict": model.state_dict()}, path)
    return path
