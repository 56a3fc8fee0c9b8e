"""The default model's files are loaded as this version knows them, or not at all."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from sources.embedding import embedding_model
from sources.embedding.embedding_model import ENGLISH_MODEL, bundled_files, files_of

NAMES = {
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    "model.safetensors",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As it is installed, for a test to change."""
    installed, folder = bundled_files(ENGLISH_MODEL), tmp_path / "package"
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(installed / name)
    monkeypatch.setattr(embedding_model, "bundled_files", lambda name: folder)
    return folder


def test_the_files_of_the_package_are_those_that_this_version_knows(
    package: Path, tmp_path: Path
) -> None:
    (package / "modeling.py").write_text("raise SystemExit")
    (package / "onnx").mkdir()
    (package / "onnx" / "model.onnx").write_bytes(b"another model")

    folder = Path(files_of(ENGLISH_MODEL, tmp_path / "scratch"))

    copied = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert copied == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_that_was_changed_is_not_loaded(package: Path, tmp_path: Path, name: str) -> None:
    content = bytearray((package / name).read_bytes())
    content[-1] ^= 1
    (package / name).unlink()
    (package / name).write_bytes(content)

    with pytest.raises(ImproperlyConfigured, match="is not the file that this version knows"):
        files_of(ENGLISH_MODEL, tmp_path / "scratch")


def test_a_file_that_is_missing_is_named(package: Path, tmp_path: Path) -> None:
    (package / "tokenizer.json").unlink()

    with pytest.raises(ImproperlyConfigured, match=r"tokenizer\.json cannot be read"):
        files_of(ENGLISH_MODEL, tmp_path / "scratch")
