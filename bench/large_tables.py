"""How many rows of a workbook are indexed in a second, beside what the bare model would read of
them.

On services of its own:

    python -P -m config.running.launch --scratch var/bench python -m bench.large_tables
    [--rows 2891 7542] [--models all-MiniLM-L6-v2 multilingual-e5-small] [--rounds 1] [--report …]

A catalogue, half in Spanish and half in English, of all ten columns and of its five short ones. In
turns: the product's whole way, from the stored file to the version that answers; and the model
alone, given the rows' tokens in batches of similar length, on all processors. On a busy machine
both are slow: their ratio is what can be compared.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction

from accounts.models import Plan, Tenant
from bench.catalogue import make_workbook
from config.database.acting import over_all_tenants
from sources import services
from sources.embedding.embedder import OnnxEmbedder
from sources.embedding.embedding_model import BUNDLED_MODELS, prepare_model, read_card
from sources.embedding.onnx_model import batches_of
from sources.embedding.spaces import activate, add_space, shut_spaces
from sources.indexing.index import model_text, spans_of
from sources.models import Chunk, SyncEvent

REPORT = Path(__file__).parent / "results" / "large-tables.md"

# --- Measuring ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """Of a workbook: seconds of the product and of the model alone, and what the history says."""

    rows: int
    is_short: bool
    model: str
    megabytes: float
    tokens: float  # a row
    seconds: float
    bare_seconds: float
    steps: dict[str, float]


def take_turn(tenant: Tenant, model: str, rows: int, *, is_short: bool) -> Turn:
    content = make_workbook(rows, is_short=is_short)
    started = time.perf_counter()
    source = services.ingest_file(tenant, file=ContentFile(content), filename="catalogue.xlsx")
    seconds = time.perf_counter() - started
    assert source.chunks_count == rows, source.error_message
    event = SyncEvent.objects.for_tenant(tenant).filter(source=source).latest("created_at")
    tokens, bare_seconds = time_bare_model(tenant, OnnxEmbedder(prepare_model(model)))
    services.delete_source(tenant, source.pk)
    return Turn(
        rows,
        is_short,
        model,
        len(content) / 1e6,
        tokens / rows,
        seconds,
        bare_seconds,
        event.details["seconds"],
    )


def time_bare_model(tenant: Tenant, embedder: OnnxEmbedder) -> tuple[int, float]:
    """The tokens of everything that is indexed, and the seconds that the model takes for them."""
    texts = [
        model_text(chunk, "es" if chunk.language == "es" else "en", spans_of(chunk), embedder)
        for chunk in Chunk.objects.for_tenant(tenant).live()
    ]
    prompts = [embedder.card.passage_prompt + text.whole for text in texts]
    found = embedder._tokenize(prompts, embedder.card.max_tokens)
    windows = [window for part in found for window in part]
    batches = [[windows[index] for index in batch] for batch in batches_of(windows)]
    started = time.perf_counter()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        for _ in threads.map(embedder._hidden, batches):
            pass
    return sum(map(len, windows)), time.perf_counter() - started


@transaction.atomic
def answer_with(model: str) -> None:
    space = add_space(model, read_card(model).dimension)
    shut_spaces()
    activate(space)


# --- The report -----------------------------------------------------------------------------------


def told(turns: Sequence[Turn]) -> str:
    """A line of the table."""
    first = turns[0]
    seconds, bare = mean(t.seconds for t in turns), mean(t.bare_seconds for t in turns)
    steps = ", ".join(
        f"{name} {mean(turn.steps.get(name, 0) for turn in turns):.1f}"
        for name in ("extract", "chunk", "embed", "index")
    )
    cells = (
        first.model,
        f"{first.rows:,} of {5 if first.is_short else 10} columns",
        f"{first.megabytes:.2f}",
        f"{first.tokens:.0f}",
        f"**{first.rows / seconds:.0f}**",
        f"{first.rows / bare:.0f}",
        f"{seconds / bare:.2f}",
        steps,
    )
    return f"| {' | '.join(cells)} |"


def write_report(path: Path, lines: Sequence[str], load: float) -> None:
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    text = "\n".join(
        [
            "# Large tables",
            "",
            f"`python -m bench.large_tables` on {len(os.sched_getaffinity(0))} processors; load"
            f" average before it {load:.1f}.",
            "",
            "| model | rows | MB | tokens a row | rows/s | rows/s, model alone | times its time"
            " | seconds by step |",
            "|---|---|---|---|---|---|---|---|",
            *lines,
            "",
            f"The process that indexed them took {peak_mb} MB at most, all models together.",
            "",
        ]
    )
    path.write_text(text)
    print(text)


@over_all_tenants()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[2891, 7542])
    parser.add_argument("--models", nargs="+", default=sorted(BUNDLED_MODELS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--report", type=Path, default=REPORT)
    options: Any = parser.parse_args()
    load = os.getloadavg()[0]
    call_command("migrate", verbosity=0)
    tenant = Tenant.objects.create(
        name="Tables", slug="large-tables", plan=Plan.objects.get(slug="enterprise")
    )
    lines = []
    for model in options.models:
        answer_with(model)
        for rows in options.rows:
            for is_short in (True, False):
                turns = [
                    take_turn(tenant, model, rows, is_short=is_short) for _ in range(options.rounds)
                ]
                lines.append(told(turns))
                print(lines[-1], flush=True)
    write_report(options.report, lines, load)


if __name__ == "__main__":
    main()
