"""The companies of bench/reader/texts that the reader has not learned from, as corpora: each
passage a section of its document, in Markdown. Their questions are answered by whole lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.evaluation.datasets import COMPANY_PREFIX, EvalCorpus, EvalFile, EvalQuestion
from bench.reader.texts import WrittenCompany, WrittenPassage, WrittenQuestion, read_companies

WRITTEN_SET = "written"
UNSEEN = ("u", "v")  # what their names begin with


def load_written() -> list[EvalCorpus]:
    return [to_corpus(company) for company in read_companies() if company.name[0] in UNSEEN]


def to_corpus(company: WrittenCompany) -> EvalCorpus:
    documents: dict[str, list[str]] = {}
    for passage in company.passages:
        document, _, heading = passage.title.partition(" > ")
        section = "\n\n".join([f"## {heading}", "\n\n".join(passage.lines)])
        documents.setdefault(document, [f"# {document}"]).append(section)
    files = tuple(
        EvalFile(file_of(document), "\n\n".join(parts).encode())
        for document, parts in documents.items()
    )
    questions = tuple(questions_of(company))
    return EvalCorpus(f"{COMPANY_PREFIX}{company.name}", company.name, files, questions)


def questions_of(company: WrittenCompany) -> Iterator[EvalQuestion]:
    written = (
        (passage, question) for passage in company.passages for question in passage.questions
    )
    for number, (passage, question) in enumerate(written, start=1):
        yield to_question(f"{company.name}-{number}", company, passage, question)


def to_question(
    qid: str, company: WrittenCompany, passage: WrittenPassage, question: WrittenQuestion
) -> EvalQuestion:
    across = question.language != company.language
    group = "cross-language" if across else "same language"
    return EvalQuestion(
        qid=qid,
        language=question.language,
        group=group if question.lines else "near_topic",
        kind="answerable" if question.lines else "near_topic",
        expect="answer" if question.lines else "no_invention",
        text=question.text,
        gold_files=(file_of(passage.title.partition(" > ")[0]),) if question.lines else (),
        answers=tuple(passage.lines[at] for at in question.lines),
    )


def file_of(document: str) -> str:
    return f"{document.replace('/', '-')}.md"
