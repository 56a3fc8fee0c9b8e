"""Sentence-transformers models of a few kilobytes with random weights: no hub, and exported in a
second. They know no meaning; equal texts have equal vectors."""

from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase, digits

TINY_DIMENSION = 32
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CHARACTERS = ascii_lowercase + digits + "áéíóúüñ.,:;?!¿¡'-"


def make_model(
    folder: Path,
    *,
    pooling: str = "mean",
    prompts: Mapping[str, str] | None = None,
    dense: bool = False,
    seed: int = 0,
) -> str:
    """What EMBEDDING_MODEL may name."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Dense, Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    parts = folder.with_name(f"{folder.name}-parts")
    parts.mkdir(parents=True)
    vocabulary = [*SPECIAL, *CHARACTERS, *(f"##{char}" for char in CHARACTERS)]
    (parts / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizerFast(str(parts / "vocab.txt"), strip_accents=False).save_pretrained(parts)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=TINY_DIMENSION,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(parts)
    modules = [Transformer(str(parts), max_seq_length=64), Pooling(TINY_DIMENSION, pooling)]
    if dense:
        modules.append(Dense(TINY_DIMENSION, 16))
    model = SentenceTransformer(modules=modules, prompts=dict(prompts or {}), device="cpu")
    model.save(str(folder))
    return str(folder)
