"""Reads the evaluation data (its README tells the format) into corpora to index and questions to
ask."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

SET_NAMES = ("company", "wiki", "nq", "filings")
COMPANIES_SET = "companies"  # ours: a folder a company, each like the set "company"
HELD_OUT_SET = "held-out"  # ours too: companies that nothing is ever fitted on
EVERY_SET = "all"
COMPANY_PREFIX = "co-"  # of the corpora of COMPANIES_SET
COMPANIES = Path(__file__).resolve().parents[1] / "companies"
HELD_OUT = COMPANIES.with_name("companies_held_out")
COMPANY_FILES_LEFT_OUT = {"questions.jsonl"}
TEXTS_REMEMBERED = 5_000
RECORDING_SUFFIXES = (".mp3", ".wav")


@dataclass(frozen=True)
class EvalFile:
    """A file to upload."""

    name: str
    content: bytes


@dataclass(frozen=True)
class EvalQuestion:
    """A question to put to a corpus.

    `kind` is "answerable" or a kind of unanswerable question; `expect` is "answer", "no_sources" or
    "no_invention". `group` is what figures are reported by: the set ("core", "extra", …),
    "cross-language", or the company's kinds.
    """

    qid: str
    language: str
    group: str
    kind: str
    expect: str
    text: str
    gold_paragraph: str = ""
    gold_files: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    wrong_answers: tuple[str, ...] = ()  # what an invented answer would likely say
    is_gold_whole: bool = False  # all of a gold file is right: which passage is not known

    @property
    def is_on_recording(self) -> bool:
        """What was heard decides, before any search."""
        return any(name.endswith(RECORDING_SUFFIXES) for name in self.gold_files)


@dataclass(frozen=True)
class EvalCorpus:
    """One fresh tenant: what it holds and what it is asked. `fold` groups corpora that are left out
    together in fits. `site`: the folder of a website to crawl."""

    name: str
    fold: str
    files: tuple[EvalFile, ...]
    questions: tuple[EvalQuestion, ...]
    site: Path | None = None


def load_corpora(root: Path, name: str) -> list[EvalCorpus]:
    """Of a set in `root`, of COMPANIES_SET, of HELD_OUT_SET, or of EVERY_SET: all but what is held
    out."""
    if name == EVERY_SET:
        names = (*SET_NAMES, COMPANIES_SET)
        return [corpus for name in names for corpus in load_corpora(root, name)]
    if name == HELD_OUT_SET:
        return load_companies(HELD_OUT)
    return load_companies() if name == COMPANIES_SET else load_set(root, name)


def load_set(root: Path, name: str) -> list[EvalCorpus]:
    return LOADERS[name](root / name)


def set_name(corpus: str) -> str:
    """The set that a corpus is of, by its name."""
    if corpus.startswith(COMPANY_PREFIX):
        return COMPANIES_SET
    return corpus.split("-", maxsplit=1)[0]


def load_scorer(root: Path) -> ModuleType:
    """score.py, the reference for every figure. A text is cut into shingles once."""
    spec = importlib.util.spec_from_file_location("eval_score", root / "score.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(root / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "shingles"):
        vars(module)["shingles"] = lru_cache(maxsize=TEXTS_REMEMBERED)(module.shingles)
    return module


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def load_wiki(folder: Path) -> list[EvalCorpus]:
    """A corpus a tenant and language; each is asked its own language's questions and the other's
    `core` ones."""
    corpora = []
    for language, other in (("en", "es"), ("es", "en")):
        documents = list(read_rows(folder / f"corpus.{language}.jsonl"))
        texts = paragraph_texts(documents)
        own = list(read_rows(folder / f"questions.{language}.jsonl"))
        own += read_rows(folder / f"unanswerable.{language}.jsonl")
        across = [
            row for row in read_rows(folder / f"questions.{other}.jsonl") if row["set"] == "core"
        ]
        for tenant in sorted({document["tenant"] for document in documents}):
            questions = [to_question(row, texts) for row in own if row["tenant"] == tenant]
            questions += [
                to_question(row, texts, group="cross-language")
                for row in across
                if row["tenant"] == tenant
            ]
            files = tuple(
                text_file(document) for document in documents if document["tenant"] == tenant
            )
            corpora.append(EvalCorpus(f"wiki-{tenant}-{language}", tenant, files, tuple(questions)))
    return corpora


def load_nq(folder: Path) -> list[EvalCorpus]:
    documents = list(read_rows(folder / "corpus.en.jsonl"))
    rows = [*read_rows(folder / "questions.en.jsonl"), *read_rows(folder / "unanswerable.en.jsonl")]
    texts = paragraph_texts(documents)
    questions = tuple(to_question(row, texts) for row in rows)
    return [EvalCorpus("nq", "nq", tuple(map(text_file, documents)), questions)]


def load_filings(folder: Path) -> list[EvalCorpus]:
    files = tuple(EvalFile(path.name, path.read_bytes()) for path in sorted(folder.glob("*.pdf")))
    rows = [*read_rows(folder / "questions.en.jsonl"), *read_rows(folder / "unanswerable.en.jsonl")]
    return [EvalCorpus("filings", "filings", files, tuple(to_question(row, {}) for row in rows))]


def load_companies(folder: Path | None = None) -> list[EvalCorpus]:
    """Those of the repository, in `folder`, or else those that may be learned from."""
    folders = sorted(path.parent for path in (folder or COMPANIES).glob("*/questions.jsonl"))
    return [
        replace(corpus, name=f"{COMPANY_PREFIX}{folder.name}", fold=folder.name)
        for folder in folders
        for corpus in load_company(folder)
    ]


def load_company(folder: Path) -> list[EvalCorpus]:
    """Every file is uploaded, the website is crawled."""
    paths = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name not in COMPANY_FILES_LEFT_OUT
    )
    files = tuple(EvalFile(path.name, path.read_bytes()) for path in paths)
    questions = tuple(to_company_question(row) for row in read_rows(folder / "questions.jsonl"))
    site = folder / "site" if (folder / "site").is_dir() else None
    return [EvalCorpus("company", "company", files, questions, site=site)]


LOADERS: dict[str, Callable[[Path], list[EvalCorpus]]] = {
    "company": load_company,
    "wiki": load_wiki,
    "nq": load_nq,
    "filings": load_filings,
}


def paragraph_texts(documents: list[dict[str, Any]]) -> dict[str, str]:
    return {
        item["para_id"]: item["text"] for document in documents for item in document["paragraphs"]
    }


def text_file(document: dict[str, Any]) -> EvalFile:
    parts = [document["title"], *(item["text"] for item in document["paragraphs"])]
    return EvalFile(f"{document['doc_id'].replace('/', '_')}.txt", "\n\n".join(parts).encode())


def to_question(row: dict[str, Any], texts: dict[str, str], group: str = "") -> EvalQuestion:
    kind = row.get("kind", "answerable")
    return EvalQuestion(
        qid=row["qid"],
        language=row["lang"],
        group=group or row.get("set", kind),
        kind=kind,
        expect=row.get("expect", "answer"),
        text=row["question"],
        gold_paragraph=texts.get(row.get("para_id", ""), ""),
        gold_files=(row["gold_file"],) if "gold_file" in row else (),
        answers=tuple(row.get("key_figures") or row.get("answers", ())),
        wrong_answers=tuple(row.get("wrong_answers", ())),
        is_gold_whole="gold_file" in row,
    )


def to_company_question(row: dict[str, Any]) -> EvalQuestion:
    across = row.get("doc_lang", row["lang"]) != row["lang"]
    is_answerable = row["kind"] == "answerable"
    return EvalQuestion(
        qid=row["qid"],
        language=row["lang"],
        group=("cross-language" if across else "same language") if is_answerable else row["kind"],
        kind=row["kind"],
        expect=row.get("expect", "answer"),
        text=row["question"],
        gold_files=tuple(gold["file"] for gold in row["gold"]),
        answers=tuple(row["answers"]),
    )
