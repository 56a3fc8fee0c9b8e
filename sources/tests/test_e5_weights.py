"""The bundled multilingual model's data file: what is read of it, and what it becomes."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import torch
from django.core.exceptions import ImproperlyConfigured
from transformers import AutoTokenizer, BertModel

from sources.embedding import e5_file
from sources.embedding.e5_file import (
    dequantise,
    open_words,
    parse,
    tokenizer_of,
    without_other_scripts,
)
from sources.embedding.e5_weights import encoder_of, write_model
from sources.tests.e5_files import PIECES, SHAPE, file_of, tiny_content

pytestmark = pytest.mark.slow


@pytest.fixture
def data_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "e5.bin"
    path.write_bytes(file_of(tiny_content()))
    monkeypatch.setattr(e5_file, "SHA256", sha256(path.read_bytes()).hexdigest())
    return path


def test_a_block_is_a_scale_and_thirty_two_weights():
    """The low halves of its bytes first, then the high ones; 8 is nothing."""
    half = b"\x00\x38"  # 0.5 as float16
    stored = half + bytes((15 - low) << 4 | low for low in range(16))

    expected = [(nibble - 8) / 2 for nibble in [*range(16), *reversed(range(16))]]
    assert dequantise(stored).tolist() == expected


def test_a_file_is_read_as_it_was_written():
    written = tiny_content()

    content = parse(file_of(written))

    assert (content.shape, content.pieces, content.special) == (
        written.shape,
        written.pieces,
        written.special,
    )
    assert content.tensors.keys() == written.tensors.keys()
    for name, weights in written.tensors.items():
        assert np.array_equal(content.tensors[name], weights), name


def test_words_are_read_from_the_file_as_they_are_asked_for(data_file: Path):
    content = parse(data_file.read_bytes())
    rows = content.tensors["emb.word"].reshape(-1, content.shape.hidden)

    words = open_words(data_file, kept=lambda piece: "ж" not in piece)

    assert [piece for piece, _ in words.pieces] == [
        piece for piece, _ in content.pieces if "ж" not in piece
    ]
    numbers = [piece for piece, _ in words.pieces].index("▁boat"), 0
    assert np.array_equal(
        words.vectors(numbers), rows[[list(PIECES).index("▁boat"), list(PIECES).index("<s>")]]
    )


def test_each_tensor_becomes_the_parameter_of_its_name():
    content = tiny_content()

    encoder = encoder_of(content)

    state = encoder.state_dict()
    query, intermediate = "encoder.layer.1.attention.self.query", "encoder.layer.0.intermediate"
    assert state[f"{query}.weight"].flatten().tolist() == content.tensors["l1.q.w"].tolist()
    assert state[f"{query}.bias"].tolist() == content.tensors["l1.q.b"].tolist()
    assert state[f"{intermediate}.dense.weight"].shape == (SHAPE.intermediate, SHAPE.hidden)
    assert state["embeddings.LayerNorm.bias"].tolist() == content.tensors["emb.ln.b"].tolist()
    assert sum(parameter.numel() for parameter in encoder.parameters()) == sum(
        weights.size for weights in content.tensors.values()
    )


class TestTokenizer:
    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            ("niño boats", ["▁niño", "▁boat", "s"]),
            ("nin\u0303o", ["▁niño"]),  # two characters for one
            ("  niño \n\t boat ", ["▁niño", "▁boat"]),
            ("boat\u200b", ["▁boat"]),  # invisible
        ],
    )
    def test_it_cuts_as_sentencepiece_does(self, text, tokens):
        assert tokenizer_of(tiny_content()).encode(text).tokens == ["<s>", *tokens, "</s>"]

    def test_a_token_stands_where_its_letters_are(self):
        text = "passage: niño  boats"

        encoding = tokenizer_of(tiny_content()).encode(text)

        words = [text[start:end] for start, end in encoding.offsets]
        assert words[-4:] == ["niño", "boat", "s", ""]

    def test_what_has_no_piece_is_unknown(self):
        assert tokenizer_of(tiny_content()).encode("x").ids == [0, 4, 3, 2]


class TestOtherScripts:
    def test_their_words_go_and_their_characters_stay(self):
        content = without_other_scripts(tiny_content())

        kept = [piece for piece, _ in content.pieces]
        assert kept == [piece for piece in PIECES if piece != "▁жар"]
        assert content.shape.vocabulary == len(kept)

    def test_each_piece_keeps_its_weights(self):
        before, after = tiny_content(), without_other_scripts(tiny_content())

        def weights_of(content, piece):
            number = [piece for piece, _ in content.pieces].index(piece)
            return content.tensors["emb.word"].reshape(-1, SHAPE.hidden)[number].tolist()

        assert weights_of(after, "▁boat") == weights_of(before, "▁boat")
        assert weights_of(after, "1º%") == weights_of(before, "1º%")

    def test_latin_text_is_cut_as_before(self):
        before, after = tiny_content(), without_other_scripts(tiny_content())
        text = "niño 1º% boats ж"

        cut = tokenizer_of(after).encode(text).tokens

        assert cut == tokenizer_of(before).encode(text).tokens
        assert "ж" in cut


def test_transformers_reads_what_is_written(data_file, tmp_path):
    write_model(data_file, tmp_path / "model")

    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    encoder = BertModel.from_pretrained(tmp_path / "model", add_pooling_layer=False)
    hidden = encoder(**tokenizer("niño boats", return_tensors="pt")).last_hidden_state
    assert tokenizer.model_max_length == SHAPE.positions
    assert hidden.shape == (1, 5, SHAPE.hidden)
    with torch.no_grad():
        ids = torch.tensor(
            [tokenizer_of(without_other_scripts(tiny_content())).encode("niño boats").ids]
        )
        expected = encoder_of(without_other_scripts(tiny_content())).eval()(ids).last_hidden_state
    assert torch.allclose(hidden, expected, atol=1e-5)


def test_an_altered_file_is_refused(data_file, tmp_path):
    data_file.write_bytes(data_file.read_bytes()[:-1] + b"\x07")

    with pytest.raises(ImproperlyConfigured) as refused:
        write_model(data_file, tmp_path / "model")

    assert str(refused.value) == (
        f"{data_file} is not the file that this version knows: install its package again."
    )
    assert not (tmp_path / "model").exists()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ImproperlyConfigured, match="^.*e5.bin cannot be read: "):
        write_model(tmp_path / "e5.bin", tmp_path / "model")
