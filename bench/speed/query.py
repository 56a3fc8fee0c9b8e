"""How long a question takes and how many are answered in a second, beside the least that an answer
costs and, with --other, beside an older checkout."""

from __future__ import annotations

import statistics
import tempfile
import time
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from django.conf import settings

from bench.service import MODELS, running_service
from bench.speed.bare import BareModel, bare_server
from bench.speed.checkouts import BEFORE, OURS, add_other, notes_on_other, roots
from bench.speed.corpus import SpeedCorpus, SpeedQuestion, read_corpus
from bench.speed.load import Served, send
from bench.speed.measurement import Figure, Measurement, Picture
from bench.speed.options import add_data
from bench.speed.processes import cpu_seconds
from bench.speed.product import EMPTY_PATH, Hit, Product, product_hits
from sources.embedding.embedding_model import folder_name

HELP = "time of a question and questions a second, beside bare embedding"
CLIENTS = 8
UPLOADING = 4
WARM_UP_QUESTIONS = 3 * CLIENTS
SETTLED_SECONDS = 2.0  # after the last answer: what was put off until then is counted too
LEAST = "embedding + round trip + empty authenticated endpoint"
CPU = "processor time of 1,000 answered questions"


@dataclass(frozen=True)
class Contestant:
    """A checkout of ours that runs."""

    name: str
    product: Product


def add_arguments(parser: ArgumentParser) -> None:
    add_data(parser)
    add_other(parser)
    parser.add_argument(
        "--questions", type=int, default=100, help="of one client in a round; eight ask double"
    )


def measure(options: dict[str, Any]) -> Measurement:
    corpus = read_corpus(options["data"]).first(options["documents"])
    with ExitStack() as stack:
        contestants = enter_all(stack, corpus, options)
        everything = 3 * options["questions"] * options["rounds"]
        questions = corpus.questions[:everything]
        found = {item.name: find(item, questions) for item in contestants}
        race = Race(
            contestants,
            BareModel(MODELS / folder_name(settings.EMBEDDING_MODEL)),
            stack.enter_context(bare_server()),
            [
                question.text
                for place, question in enumerate(questions)
                if all(found[item.name][place] for item in contestants)
            ],
            off_topic(contestants, corpus),
        )
        for number in range(options["rounds"]):
            race.run_round(number, options["questions"])
    figures = [*time_figures(race), *quality_figures(questions, found, contestants)]
    return Measurement(
        "The time of a question",
        figures,
        [*notes(race, corpus), *notes_on_other(options)],
        pictures(race),
    )


# --- Contestants ----------------------------------------------------------------------------------


def enter_all(stack: ExitStack, corpus: SpeedCorpus, options: dict[str, Any]) -> list[Contestant]:
    """Running, with the corpus read: ours first."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-corpus-")))
    paths = corpus.write(folder)
    contestants = []
    for name, root in roots(options).items():
        product = Product(stack.enter_context(running_service(root=root)), "speed")
        product.upload(paths, clients=UPLOADING)
        contestants.append(Contestant(name, product))
    return contestants


def find(contestant: Contestant, questions: Sequence[SpeedQuestion]) -> list[list[Hit]]:
    served = ask(contestant, [question.text for question in questions], clients=CLIENTS)
    return [product_hits(body) for body in served.bodies]


def off_topic(contestants: Sequence[Contestant], corpus: SpeedCorpus) -> list[str]:
    """Return the questions for which no checkout finds anything."""
    served = [ask(item, corpus.off_topic, clients=CLIENTS).bodies for item in contestants]
    return [
        text
        for place, text in enumerate(corpus.off_topic)
        if not any(bodies[place]["sources"] for bodies in served)
    ]


def ask(contestant: Contestant, texts: Sequence[str], *, clients: int) -> Served:
    requests = [contestant.product.search(text) for text in texts]
    return send(contestant.product.port, requests, clients=clients)


# --- Rounds ---------------------------------------------------------------------------------------


class Race:
    """Everybody's turns. `values`: contestant and what → one of each round."""

    def __init__(
        self,
        contestants: Sequence[Contestant],
        model: BareModel,
        bare_port: int,
        answered: Sequence[str],
        silent: Sequence[str],
    ) -> None:
        self.contestants, self.model, self.bare_port = contestants, model, bare_port
        self.answered, self.silent = answered, silent
        self.values: dict[tuple[str, str], list[float]] = defaultdict(list)
        self._answered, self._silent = cycle(answered), cycle(silent)

    def run_round(self, number: int, questions: int) -> None:
        """Each time another one begins. No question comes twice in a round."""
        alone, crowd = self._next(questions), self._next(2 * questions)
        silent = list(islice(self._silent, questions))
        start = number % len(self.contestants)
        for contestant in [*self.contestants[start:], *self.contestants[:start]]:
            ask(contestant, crowd[:WARM_UP_QUESTIONS], clients=CLIENTS)
            self.ask_alone(contestant, alone)
            self.ask_in_crowd(contestant, crowd)
            self.note(contestant.name, "silent", ask(contestant, silent, clients=1))
            product = contestant.product
            empty = send(product.port, [product.empty()] * questions, clients=1)
            self.note(contestant.name, "empty", empty)
        bare = [self.contestants[0].product.search(text) for text in alone]
        self.note("bare", "round trip", send(self.bare_port, bare, clients=1))
        for what, texts in (("embedding", alone), ("embedding silent", silent)):
            median = statistics.median(self.model.milliseconds(texts))
            self.values["bare", what].append(median)

    def ask_alone(self, contestant: Contestant, texts: Sequence[str]) -> None:
        served = ask(contestant, texts, clients=1)
        self.note(contestant.name, "alone", served)
        slowest = sorted(served.milliseconds)[int(len(texts) * 0.95)]
        self.values[contestant.name, "alone p95"].append(slowest)

    def ask_in_crowd(self, contestant: Contestant, texts: Sequence[str]) -> None:
        before = cpu_seconds(contestant.product.pid)
        served = ask(contestant, texts, clients=CLIENTS)
        time.sleep(SETTLED_SECONDS)
        used = (cpu_seconds(contestant.product.pid) - before) * 1000 / len(texts)
        self.values[contestant.name, "a second"].append(served.per_second)
        self.values[contestant.name, "cpu"].append(used)

    def note(self, name: str, what: str, served: Served) -> None:
        self.values[name, what].append(statistics.median(served.milliseconds))

    def _next(self, count: int) -> list[str]:
        return list(islice(self._answered, count))

    # --- What was seen ----------------------------------------------------------------------------

    def least(self, name: str, embedding: str) -> list[float]:
        """Milliseconds of each round that an answer cannot do without."""
        parts = (("bare", embedding), ("bare", "round trip"), (name, "empty"))
        return [sum(found) for found in zip(*(self.values[part] for part in parts), strict=True)]


# --- The table ------------------------------------------------------------------------------------


def time_figures(race: Race) -> Iterator[Figure]:
    ours = {what: race.values[OURS, what] for name, what in race.values if name == OURS}
    least, silent_least = race.least(OURS, "embedding"), race.least(OURS, "embedding silent")
    yield Figure("answered question, p50", "ms", ours["alone"], LEAST, least, goal=2)
    yield Figure("answered question, p95", "ms", ours["alone p95"])
    yield Figure("found nothing, p50", "ms", ours["silent"], LEAST, silent_least, goal=1.5)
    yield Figure(f"answered questions, {CLIENTS} clients", "a second", ours["a second"])
    if (BEFORE, "cpu") in race.values:
        for what, unit, key, goal in (
            (CPU, "s", "cpu", 0.5),
            ("answered question, p50", "ms", "alone", None),
            ("found nothing, p50", "ms", "silent", None),
            (f"answered questions, {CLIENTS} clients", "a second", "a second", None),
        ):
            before = race.values[BEFORE, key]
            yield Figure(what, unit, ours[key], "ours before", before, goal=goal)
    else:
        yield Figure(CPU, "s", ours["cpu"])
    for name, what in (("bare", "embedding"), ("bare", "round trip"), (OURS, "empty")):
        label = f"GET {EMPTY_PATH}, p50" if what == "empty" else f"bare {what}, p50"
        yield Figure(label, "ms", race.values[name, what])


def quality_figures(
    questions: Sequence[SpeedQuestion],
    found: dict[str, list[list[Hit]]],
    contestants: Sequence[Contestant],
) -> Iterator[Figure]:
    """Of one asking: it does not hang on the time."""
    for contestant in contestants:
        hits = found[contestant.name]
        for count in (1, 5):
            share = statistics.mean(
                any(file in question.files for file, _ in named[:count])
                for question, named in zip(questions, hits, strict=True)
            )
            yield Figure(f"right document among the first {count}, {contestant.name}", "", [share])
    for contestant in contestants:
        pages = [
            question.page in named[:5]
            for question, named in zip(questions, found[contestant.name], strict=True)
            if question.page
        ]
        goal = 0.95 if contestant.name == OURS else None
        what = f"right page of a PDF among the first 5, {contestant.name}"
        yield Figure(what, "", [statistics.mean(pages)], goal=goal, at_least=True)


def notes(race: Race, corpus: SpeedCorpus) -> list[str]:
    return [
        f"{len(corpus.files)} documents, a quarter TXT, Markdown, DOCX and PDF each, half English"
        f" and half Spanish. Of {len(race.answered)} questions that have an answer, each round asks"
        " others, over HTTP on loopback.",
        f"The least: the model alone on one thread, a server that sends fixed bytes, and"
        f" GET {EMPTY_PATH}, which authenticates and reads nothing else; medians of the same"
        " round, one client.",
        "Processor time is of all processes, PostgreSQL and Redis too, from the first question of"
        f" {CLIENTS} clients until {SETTLED_SECONDS:.0f} s after the last.",
    ]


def pictures(race: Race) -> list[Picture]:
    names = [item.name for item in race.contestants]
    alone = {name: race.values[name, "alone"] for name in names}
    alone |= {"ours, found nothing": race.values[OURS, "silent"]}
    alone |= {"the least of an answer": race.least(OURS, "embedding")}
    return [
        Picture("One client, half of the questions within", "ms", alone),
        *(
            Picture(title, unit, {name: race.values[name, what] for name in names})
            for title, unit, what in (
                (f"Questions a second, {CLIENTS} clients", "a second", "a second"),
                (CPU, "s", "cpu"),
            )
        ),
    ]
