"""Every path that a comment, a docstring or a document names leads to a file of the repository."""

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

import pytest
from django.conf import settings

ROOT = settings.BASE_DIR
RECORDS = ("CHANGELOG.md", "bench/results/")  # of what was, as it was
DATA = ("bench/companies/", "bench/companies_held_out/", "bench/reader/texts/", "demo/files/")
COMMENTED = (".toml", ".txt", ".ini", ".cfg", ".yml", ".yaml", "Dockerfile", "ignore")
# Not of this repository: what a running copy writes, what is handed to us, and what others wrote.
OUTSIDE = re.compile(
    r"(var|DATA_DIR|node_modules|celery|whisper|ctranslate2|odoo\.com)/.+"
    r"|interface\.md|score\.py"
    r"|docs/decisions/NNNN-title\.md"  # CONTRIBUTING.md's pattern
)
ENDING = r"\.(?:py|md|toml|sql|html|m?js|css|jsonl?|tsv|csv|ya?ml|txt|sh|po|ini|png|webp)"
NAMED = re.compile(
    r"(?<![\w./:@~$}>{*%-])((?:\.\./)*(?:[\w.-]+/)+[\w.-]*)(?![\w/*{<…-])"
    r"|(?<![\w./:@*-])([\w-]+\.(?:py|md|toml))(?![\w/])"
)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
COMMENT = re.compile(r"(?:^|\s)#\s(.*)")
QUOTED = re.compile(r'^(?P<before>[^"\n]*)"""(?P<text>.*?)"""', re.DOTALL | re.MULTILINE)
DECISION = re.compile(r"(.*docs/decisions/\d{4})")


@cache
def files() -> tuple[str, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file())


@cache
def known_paths() -> frozenset[str]:
    """Files and folders, and each by every end of its path: a document may begin at an app."""
    known = set()
    for file in files():
        for path in (PurePosixPath(file), *PurePosixPath(file).parents):
            known |= {"/".join(path.parts[start:]) for start in range(len(path.parts))}
        known |= {found[1] for found in [DECISION.match(file)] if found}
    return frozenset(known)


@cache
def top_folders() -> frozenset[str]:
    return frozenset(file.partition("/")[0] for file in files() if "/" in file)


def docstrings_of(code: str) -> list[str]:
    """Docstrings, found by a pattern: a parser would take ten times as long. It finds other strings
    of several lines too: those that begin with their variable are left out."""
    return [found["text"] for found in QUOTED.finditer(code) if not found["before"].strip()]


def texts_of(file: str) -> list[str]:
    """What people read of a file: a document, or the comments and docstrings of code."""
    content = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".md"):
        return [content]
    comments = [found[1] for found in map(COMMENT.search, content.splitlines()) if found]
    return comments + (docstrings_of(content) if file.endswith(".py") else [])


def named_in(text: str) -> Iterator[str]:
    """A path of folders counts when it begins with one of ours, or ends as a file does."""
    for path, name in NAMED.findall(text):
        path = path.rstrip("./")
        if name or path.partition("/")[0] in top_folders() or re.search(rf"{ENDING}$", path):
            yield name or path


def is_there(path: str, file: str) -> bool:
    beside = os.path.normpath(PurePosixPath(file).parent / path)
    return not {path, beside}.isdisjoint(known_paths())


def missing(texts: list[str], file: str) -> set[str]:
    named = {path for text in texts for path in named_in(text)}
    if file.endswith(".md"):
        links = {link for text in texts for link in LINK.findall(text)}
        named |= {link.rstrip("/") for link in links if "//" not in link}
    return {path for path in named if not is_there(path, file) and not OUTSIDE.fullmatch(path)}


def read_files() -> list[str]:
    """Those with comments or documents of ours."""
    return [
        file
        for file in files()
        if not file.startswith((*RECORDS, *DATA))
        and (file.startswith("bin/") or file.endswith((".py", ".md", *COMMENTED)))
    ]


def test_every_path_that_a_comment_or_a_document_names_is_there() -> None:
    found = {file: missing(texts_of(file), file) for file in read_files()}
    assert len(found) > 1000
    assert {file: sorted(paths) for file, paths in found.items() if paths} == {}


@pytest.mark.parametrize(
    "text",
    ["see query/nowhere.py", "`sources/no_room/`", "(gone.md)", "[a](nowhere.html)", "# gone.py:"],
)
def test_a_path_that_leads_nowhere_is_found(text: str) -> None:
    assert missing([text], "docs/architecture.md")


@pytest.mark.parametrize(
    "text",
    [
        "`config/http/client.py:206`, and config/http/client.py.",
        "`reading/extractors/`",  # from an app on
        "[a](decisions/README.md#decisions)",  # beside the document
        "docs/decisions/0009, 24/7 and/or text/html",
        "https://example.com/query/nowhere.py",
    ],
)
def test_a_path_that_leads_somewhere_and_what_is_none_are_not(text: str) -> None:
    assert missing([text], "docs/architecture.md") == set()
