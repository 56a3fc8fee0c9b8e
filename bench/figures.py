"""Counts the house: what issue 36 wanted to hold, measured in the source, each beside its goal.

    python -m bench.figures                  # the table
    python -m bench.figures --list reading   # functions with one caller: file, line, statements

The product is every top-level package but `bench`, without tests and migrations. A module's
function has one caller when its name stands once in the product outside its own body; an import
counts, so it is called where it is written. A word table is an assignment of a module, in
`language` or `query`, that holds WORDS_MIN or more plain words, and little else, as strings. A
comment is a line of its own.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.service import ROOT

FRAGMENTS = re.compile(
    r"(After|Also|And|As|At|Before|Beside|Between|But|By|For|From|How|If|In|Into|Of|On|Only|Or|Over"
    r"|Since|That|Those|To|Under|Until|What|When|Where|Whether|Which|While|Who|Whoever|Whose|Why"
    r"|With|Within|Without)\b"
)
WORDS_MIN = 8
PLAIN_WORDS = re.compile(r"[a-záéíóúüñç' |-]+")
SENTENCE = re.compile(r"(?:\S+\s+){3,}\S+\.")
BENCH = re.compile(r"^\s*(from|import) bench\b", re.MULTILINE)
OPEN_TO_PAGES = re.compile(r"\.(services|visitor_services|models|errors)\b")
APPS = {"accounts", "agents", "channels", "connectors", "query", "sources", "webhooks"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def folder(self) -> str:
        return self.path.partition("/")[0]

    @property
    def is_product(self) -> bool:
        return self.folder != "bench" and not {"tests", "migrations"} & set(Path(self.path).parts)

    @property
    def docstrings(self) -> list[str]:
        documented = (Function, ast.ClassDef, ast.Module)
        found = (ast.get_docstring(node) for node in self.nodes if isinstance(node, documented))
        return [text for text in found if text]

    @property
    def sentences(self) -> set[str]:
        """Return the literals that are a sentence, docstrings apart."""
        documents = {id(node.value) for node in self.nodes if isinstance(node, ast.Expr)}
        literals = (node for node in self.nodes if isinstance(node, ast.Constant))
        texts = (node.value for node in literals if id(node) not in documents)
        return {text for text in texts if isinstance(text, str) and SENTENCE.fullmatch(text)}

    @property
    def word_tables(self) -> list[ast.Assign | ast.AnnAssign]:
        assigned = (node for node in self.tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
        return [node for node in assigned if is_word_table(node)]

    @property
    def past_services(self) -> int:
        """Return how many imports of apps go past services, models and errors."""
        imports = (node for node in self.nodes if isinstance(node, ast.ImportFrom))
        named = (f"{node.module}.{alias.name}" for node in imports for alias in node.names)
        rooms = {tuple(name.split(".")[:-1]) for name in named if not OPEN_TO_PAGES.search(name)}
        return sum(room[0] in APPS for room in rooms)


def is_word_table(assignment: ast.AST) -> bool:
    literals = (node for node in ast.walk(assignment) if isinstance(node, ast.Constant))
    texts = [node.value for node in literals if isinstance(node.value, str)]
    plain = [text for text in texts if PLAIN_WORDS.fullmatch(text)]
    return sum(len(text.split()) for text in plain) >= WORDS_MIN and 2 * len(plain) > len(texts)


def read_modules() -> list[Module]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*/*.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = (path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file())
    return [Module(path, (ROOT / path).read_text()) for path in paths]


def with_one_caller(modules: Sequence[Module]) -> list[tuple[Module, Function]]:
    named = Counter(name for module in modules for name in names_below(module.tree))
    every = ((module, function) for module in modules for function in functions_of(module))
    return [
        (module, each)
        for module, each in every
        if named[each.name] - list(names_below(each)).count(each.name) == 1
    ]


def functions_of(module: Module) -> list[Function]:
    return [node for node in module.tree.body if isinstance(node, Function)]


def names_below(root: ast.AST) -> Iterator[str]:
    for node in ast.walk(root):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names)


def statements_of(function: Function) -> int:
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
    return len(nodes) - 1 - bool(ast.get_docstring(function))


def height(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def list_figures(modules: Sequence[Module]) -> Iterator[tuple[str, str, str]]:
    """Yield each figure with its value today and its goal."""
    product = [module for module in modules if module.is_product]
    lines = sum(module.text.count("\n") for module in product)
    folders: Counter[str] = Counter()
    for module in product:
        folders[module.folder] += module.text.count("\n")
    ((largest, most),) = folders.most_common(1)
    yield (
        f"largest top-level folder (`{largest}`), of {lines:,} lines",
        share(most, lines),
        "≤ 21 %",
    )
    functions = sum(len(functions_of(module)) for module in product)
    alone = share(len(with_one_caller(product)), functions)
    yield f"functions of a module with one caller, of {functions:,}", alone, "≤ 25 %"
    speaking = (module for module in product if module.folder in ("language", "query"))
    tables = sum(height(table) for module in speaking for table in module.word_tables)
    yield "lines of word tables in Python", str(tables), "≤ 100"
    docstrings = [text for module in product for text in module.docstrings]
    fragments = sum(bool(FRAGMENTS.match(text)) for text in docstrings)
    yield "docstrings that begin with a fragment", share(fragments, len(docstrings)), "≤ 8 %"
    denying = sum(bool(re.search(r"\b(is|are) no ", text)) for text in docstrings)
    yield "docstrings with “is no”, “are no”", str(denying), "≤ 5"
    comments = sum(line.lstrip().startswith("#") for m in product for line in m.text.splitlines())
    yield "lines that are a comment", share(comments, lines), "4 – 5 %"
    bench = (m for m in modules if m.folder == "bench" and "/tests/" not in m.path)
    laboratory = sum(m.text.count("\n") for m in bench)
    yield "lines of bench without tests", f"{laboratory:,}", "≤ 15,000"
    importing = sum(bool(BENCH.search(m.text)) for m in modules if m.folder != "bench")
    yield "files outside bench that import it", str(importing), "0"
    past = sum(module.past_services for module in product if module.folder == "dashboard")
    yield "the dashboard's imports past services", str(past), "≤ 20"
    places: defaultdict[str, set[str]] = defaultdict(set)
    for module in product:
        for sentence in module.sentences:
            places[sentence].add(module.path)
    twice = sum(len(paths) > 1 for paths in places.values())
    yield "sentences that stand in two modules", str(twice), "0"
    nodes = (node for module in product for node in module.nodes if isinstance(node, Function))
    yield "functions over 50 lines", str(sum(height(node) > 50 for node in nodes)), "0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", metavar="FOLDER", help="its functions with one caller")
    folder = parser.parse_args().list
    modules = read_modules()
    if folder is None:
        print("| figure | today | goal |\n|---|---|---|")
        for row in list_figures(modules):
            print(f"| {' | '.join(row)} |")
        return
    scope = [m for m in modules if m.is_product or m.folder == folder == "bench"]
    for module, function in with_one_caller(scope):
        if module.path.startswith(f"{folder.rstrip('/')}/"):
            print(f"{module.path}:{function.lineno} {function.name} {statements_of(function)}")


if __name__ == "__main__":
    main()
