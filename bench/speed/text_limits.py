"""Every pattern and function of text at the longest text that it is given, made as hard as we can.

    python -m bench.speed.text_limits [--markdown bench/results/text-limits.md]

The list is made from the code. Patterns: whatever a module of the product gives to `re.compile`
while it is imported, and what it writes into a call of `re`; each is asked as the code asks it: for
a match at the beginning, of the whole, or anywhere. Functions: those of `ROOMS` that take one text.
Attacks on a pattern are read out of it: what it can repeat is repeated, and then ends in what does
not fit. Time is the processor's, the best of three. It ends with 1 when one takes longer than
LIMIT_MS.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import os
import pkgutil
import re
import signal
import sys
import time
import typing
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as sre
from re import _parser as parser
from types import FrameType
from typing import Any

PRODUCT = (
    "config",
    "language",
    "reading",
    "accounts",
    "sources",
    "connectors",
    "agents",
    "query",
    "channels",
    "webhooks",
    "dashboard",
)
LEFT_OUT = re.compile(r"\.(tests|migrations|management|settings_test|wsgi)(\.|$)")
# Where functions of one text are called with what strangers write: no files, network or rows.
ROOMS = (
    "query.understanding",
    "query.answering",
    "query.leads",
    "query.search",
    "query.conversations.follow_ups",
    "language",
    "reading.sentences",
    "config.security.client_address",
    "config.rest.accepted_language",
    "config.security.devices",
)
CHARS = 4_000  # of a passage
# Of what reads shorter or longer texts: questions have 1,000 (query.models.TEXT_MAX_CHARS), for the
# others the modules themselves say what they read at most.
CHARS_OF = {
    "query.conversations.follow_ups": 1_000,
    "query.understanding": 1_000,
    "query.leads": 1_000,
    "query.search": 1_000,
    "language.chat": 1_000,
    "language.message": 1_000,
    "language.small_talk": 1_000,
    "language.spelling": 1_000,
    "query.answering.generation": 6_000,
    "query.answering.topics": 300,
    "connectors.odata.keys": 2_000,
}
LIMIT_MS = 50.0
GIVEN_UP_SECONDS = 2.0
ASKING = {"match", "fullmatch", "search", "finditer", "findall", "sub", "subn"}  # no text's own
REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)
MANY = 8  # repetitions: fewer do no harm
TAILS = ("", "\0", "!")
# Beside what is read out of patterns: what people, and attackers, fill a text with.
FILLINGS = (
    "a", " ", "\n", "1", ".", ",", "-", "@", "á", "\u0301", "(", "[1]", "¿", "'", '"', "<b>", "a ",
    "a. ", "a@", "a@b.", "http://", "1.", "1,000 ", "1:", "no ", "A. ", "Ana ", "and ", "y ",
    "de la ", "600 ", "+34 ", "€", "x-", "\u200b", "😀", "ﷺ", "ß", "İ",
)  # fmt: skip


@dataclass(frozen=True)
class HardestText:
    name: str
    ms: float
    halved_ms: float  # of half as long a text
    hardest: str  # how the text begins
    refused: int  # of the texts, those at which it raised

    @property
    def growth(self) -> float:
        """Of a text twice as long: 2 is linear, 4 is quadratic."""
        return self.ms / self.halved_ms if self.halved_ms else 0.0


class GivenUp(Exception):
    """After GIVEN_UP_SECONDS of processor time."""


# --- What there is --------------------------------------------------------------------------------


@dataclass(frozen=True)
class AskedPattern:
    pattern: re.Pattern[str]
    hows: frozenset[str]  # methods of `re.Pattern`; none: not seen

    def __call__(self, text: str) -> None:
        """Asked for a match at the beginning or of the whole alone; else from each position."""
        if self.hows and self.hows <= {"match", "fullmatch"}:
            for how in self.hows:
                getattr(self.pattern, how)(text)
        else:
            for _ in self.pattern.finditer(text):
                pass


def list_patterns() -> dict[str, AskedPattern]:
    """By module and pattern. Imports the product: to be called before anything else does."""
    found: dict[str, re.Pattern[str]] = {}
    compile_ = re.compile

    def note(pattern: Any, flags: Any = 0) -> Any:
        made = compile_(pattern, flags)
        module = str(sys._getframe(1).f_globals.get("__name__", ""))
        if is_product(module) and isinstance(made.pattern, str):
            found[f"{module}: {made.pattern}"] = made
        return made

    re.compile = note
    try:
        modules = list(import_product())
    finally:
        re.compile = compile_
    hows: dict[int, set[str]] = defaultdict(set)
    written: dict[str, AskedPattern] = {}
    for module in modules:
        tree = ast.parse(Path(module.__file__ or "").read_text())
        several = [one for one in vars(module).values() if not isinstance(one, re.Pattern)]
        inside = list(patterns_in(several))
        for name, how in list_asked(tree):
            if name in vars(module) or how in ASKING:  # a loop's variable may be any of several
                for pattern in patterns_in(vars(module).get(name, inside)):
                    hows[id(pattern)].add(how)
        for text, how in list_written(tree):
            asked = AskedPattern(compile_(text), frozenset({how}))
            written[f"{module.__name__}: {text}"] = asked
    named = {
        name: AskedPattern(pattern, frozenset(hows[id(pattern)])) for name, pattern in found.items()
    }
    return written | named


def list_asked(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names of a module and what is called of them: `NAME.match(…)`, `NAMES[key].search(…)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            owner = owner.value if isinstance(owner, ast.Subscript) else owner
            if isinstance(owner, ast.Name):
                yield owner.id, node.func.attr


def patterns_in(value: object) -> Iterator[re.Pattern[str]]:
    """Of a module's variable, which may hold several."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from patterns_in(one)


def list_written(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Patterns in calls such as `re.sub(r"…", …)`, and what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value, ast.unparse(node.func).removeprefix("re.")


def is_product(module: str) -> bool:
    return module.partition(".")[0] in PRODUCT and not LEFT_OUT.search(module)


def import_product() -> Iterator[Any]:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for name in PRODUCT:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if is_product(module.name):
                yield importlib.import_module(module.name)


def list_functions() -> Iterator[tuple[str, Callable[[str], Any]]]:
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(ROOMS) or LEFT_OUT.search(name):
            continue
        for function in vars(module).values():
            if (
                inspect.isfunction(function)
                and function.__module__ == name
                and takes_text(function)
            ):
                yield f"{name}.{function.__name__}", function


def takes_text(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [one for one in parameters if one.default is one.empty]
    if len(needed) != 1 or needed[0].kind is not needed[0].POSITIONAL_OR_KEYWORD:
        return False
    try:
        return bool(typing.get_type_hints(function).get(needed[0].name) is str)
    except NameError:  # imported for types alone
        return bool(needed[0].annotation == "str")


# --- Attacks --------------------------------------------------------------------------------------


def list_attacks(pattern: re.Pattern[str], chars: int) -> Iterator[str]:
    """Texts of `chars` characters: each repetition of the pattern, many times."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    pumps = dict.fromkeys(list_pumps(tree, ""))
    for prefix, pump in pumps:
        for tail in TAILS:
            yield fill(prefix, pump, tail, chars)


def list_pumps(tree: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """What leads to a repetition, and what it repeats."""
    for kind, value in tree:
        if kind in REPEATS:
            _, most, inner = value
            if most >= MANY:
                for pump in {example(inner), *examples_of_branches(inner)} - {""}:
                    yield before, pump
                    yield "", pump
                    yield "", before + pump
            yield from list_pumps(inner, before)
        elif kind is sre.SUBPATTERN:
            yield from list_pumps(value[-1], before)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                yield from list_pumps(branch, before)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            yield from list_pumps(value[1], before)
        before += example([(kind, value)])


def examples_of_branches(tree: Iterable[Any]) -> Iterator[str]:
    for kind, value in tree:
        if kind is sre.BRANCH:
            yield from map(example, value[1])
        elif kind is sre.SUBPATTERN:
            yield from examples_of_branches(value[-1])


def example(tree: Iterable[Any]) -> str:
    """A short text that the tree matches, or nearly."""
    return "".join(example_of(kind, value) for kind, value in tree)


def example_of(kind: Any, value: Any) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind in (sre.NOT_LITERAL, sre.ANY):
        return "a"
    if kind is sre.IN:
        return example_of_set(value)
    if kind in REPEATS or kind is sre.POSSESSIVE_REPEAT:
        return example(value[2]) * max(1, min(int(value[0]), 3))
    if kind is sre.SUBPATTERN:
        return example(value[-1])
    if kind is sre.BRANCH:
        return example(value[1][0])
    return ""


def example_of_set(members: list[Any]) -> str:
    if members[0][0] is sre.NEGATE:
        refused = re.compile(parser_text(members))
        return next((one for one in "a1 .-@\n" if refused.fullmatch(one)), "")
    kind, value = members[0]
    if kind is sre.RANGE:
        return chr(value[0])
    if kind is sre.CATEGORY:
        words = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_NOT_WORD: "-"}
        return words.get(value, "a")
    return chr(value)


def parser_text(members: list[Any]) -> str:
    """A set, written again."""
    names = {
        sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s",
        sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    written = ""
    for kind, value in members:
        if kind is sre.LITERAL:
            written += re.escape(chr(value))
        elif kind is sre.RANGE:
            written += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        elif kind is sre.CATEGORY:
            written += names[value]
    return f"[^{written}]"


def fill(prefix: str, pump: str, tail: str, chars: int) -> str:
    room = chars - len(prefix) - len(tail)
    return prefix + (pump * (room // len(pump) + 1))[:room] + tail


# --- Measuring ------------------------------------------------------------------------------------


def measure(name: str, use: Callable[[str], Any], texts: Iterable[str]) -> HardestText:
    """By the text that takes longest."""
    spent = [(*spend_ms(use, text), text) for text in dict.fromkeys(texts)]
    first_ms, _, text = max(spent)
    half = text[: len(text) // 2 - 1] + text[-1]
    ms = min(first_ms, *(spend_ms(use, text)[0] for _ in range(2)))
    halved = min(spend_ms(use, half)[0] for _ in range(3))
    return HardestText(name, ms, halved, text[:24], sum(raised for _, raised, _ in spent))


def spend_ms(use: Callable[[str], Any], text: str) -> tuple[float, bool]:
    """The processor's time, and whether it raised: a refusal is an answer, and takes time too."""
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVEN_UP_SECONDS)
    started = time.thread_time()
    has_raised = False
    try:
        use(text)
    except GivenUp:
        return GIVEN_UP_SECONDS * 1000, True
    except Exception:  # noqa: BLE001 - counted, and told in the table
        has_raised = True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return (time.thread_time() - started) * 1000, has_raised


def give_up(number: int, frame: FrameType | None) -> None:
    raise GivenUp


def measure_all() -> list[HardestText]:
    signal.signal(signal.SIGVTALRM, give_up)
    measured = []
    for name, asked in list_patterns().items():
        chars = chars_of(name)
        measured.append(
            measure(name, asked, [*list_attacks(asked.pattern, chars), *fill_all(chars)])
        )
    for name, function in list_functions():
        texts = fill_all(chars_of(name))
        measure(name, function, texts[:1])  # loads what it loads once
        measured.append(measure(f"{name}()", function, texts))
    return sorted(measured, key=lambda one: -one.ms)


def chars_of(name: str) -> int:
    return next((chars for where, chars in CHARS_OF.items() if name.startswith(where)), CHARS)


def fill_all(chars: int) -> list[str]:
    return [fill("", one, "\0", chars) for one in FILLINGS]


def write_table(measured: list[HardestText], path: Path) -> None:
    rows = (
        f"| `{plain(one.name)}` | {one.ms:.1f} | {one.growth:.1f} | {one.refused or ''} |"
        f" `{plain(one.hardest)}` |"
        for one in measured
        if one.ms >= 1
    )
    header = (
        f"# Patterns and functions of text at the longest text that they are given\n\n"
        f"`python -m bench.speed.text_limits`: {len(measured)}, found in the code; those that take"
        f" a millisecond or more. {CHARS:,} characters, but 1,000 where questions are read and"
        " 6,000 where a model's answer is. Growth: 2 is linear, 4 quadratic."
        " Refused: texts at which it raised.\n\n"
        "| what | ms | growth | refused | hardest text |\n|---|---|---|---|---|\n"
    )
    path.write_text(header + "\n".join(rows) + "\n")


def plain(text: str) -> str:
    """For a cell of a table."""
    return ascii(text)[1:-1][:110].replace("|", "¦").replace("`", "'")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--markdown", type=Path)
    path = asked.parse_args().markdown
    measured = measure_all()
    if path:
        write_table(measured, path)
    slow = [one for one in measured if one.ms > LIMIT_MS]
    for one in slow or measured[:5]:
        print(f"{one.ms:8.1f} ms  growth {one.growth:4.1f}  {one.name[:120]}  {one.hardest!r}")
    print(f"{len(measured)} measured, {len(slow)} slower than {LIMIT_MS} ms")
    sys.exit(bool(slow))


if __name__ == "__main__":
    main()
