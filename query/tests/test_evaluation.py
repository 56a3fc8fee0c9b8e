"""`bin/manage evaluate` on a small data set of our own, in the format of the evaluation data."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from query.evaluation.datasets import EvalQuestion, load_set
from query.evaluation.report import answerable_figures, unanswerable_figures
from query.evaluation.run import Asked
from query.evaluation.site import index_site
from query.models import Outcome
from query.relevance import IRRELEVANT
from query.tests.factories import FARO, LIGHTHOUSE
from sources.models import Chunk, Document

SCORER = """
def chunk_hits(chunk, gold):
    return gold in chunk
def contains(answer, golds, lang=None):
    return any(gold in answer for gold in golds)
"""


def write_rows(path, rows):
    path.write_text(
        "\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8"
    )


@pytest.fixture
def data(tmp_path, settings):
    """One encyclopedia tenant in both languages, each with a question that has no answer."""
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = tmp_path / "eval" / "wiki"
    folder.mkdir(parents=True)
    (folder.parent / "score.py").write_text(SCORER)
    questions = {
        "en": "How much does a guided visit cost?",
        "es": "¿Cuánto cuesta la visita guiada?",
    }
    for language, texts in (("en", LIGHTHOUSE), ("es", FARO)):
        paragraphs = [
            {"para_id": f"p{n}", "origin": "x", "text": text} for n, text in enumerate(texts)
        ]
        row = {"tenant": "coast", "doc_id": "tower", "lang": language, "title": "The tower"}
        write_rows(folder / f"corpus.{language}.jsonl", [{**row, "paragraphs": paragraphs}])
        asked: dict[str, object] = {
            "qid": f"q-{language}",
            "tenant": "coast",
            "lang": language,
            "para_id": "p1",
        }
        asked |= {"set": "core", "question": questions[language], "answers": ["7 euros"]}
        write_rows(folder / f"questions.{language}.jsonl", [asked])
        lost = {"qid": f"u-{language}", "tenant": "coast", "lang": language, "kind": "customer"}
        lost |= {"expect": "no_sources", "question": "Who painted the Mona Lisa?"}
        write_rows(folder / f"unanswerable.{language}.jsonl", [lost])
    return folder.parent


def test_figures_are_reported_by_set_and_language(data, db):
    output = StringIO()
    call_command("evaluate", set="wiki", data=data, json=True, verbosity=0, stdout=output)
    report = json.loads(output.getvalue())
    rows = {(row["group"], row["language"]): row for row in report["answerable"]}
    assert set(rows) == {
        ("core", "en"),
        ("core", "es"),
        ("cross-language", "en"),
        ("cross-language", "es"),
    }
    for language in ("en", "es"):
        core = rows["core", language]
        assert (core["questions"], core["recall_at_1"], core["mrr"]) == (1, 1.0, 1.0)
        assert (core["with_sources"], core["gold_among_sources"], core["answer_has_gold"]) == (
            1.0,
            1.0,
            1.0,
        )
    assert [(row["language"], row["with_sources"]) for row in report["unanswerable"]] == [
        ("en", 0.0),
        ("es", 0.0),
    ]


def test_nothing_is_left_behind(data, db):
    call_command("evaluate", set="wiki", data=data, json=True, verbosity=0, stdout=StringIO())
    assert not Tenant.objects.filter(slug__startswith="eval-").exists()


def test_a_dump_holds_a_line_a_question(data, db, tmp_path):
    dump = tmp_path / "asked.jsonl"
    call_command("evaluate", set="wiki", data=data, dump=dump, verbosity=0, stdout=StringIO())
    assert len(dump.read_text().splitlines()) == 6


def test_a_folder_without_data_is_named(tmp_path):
    with pytest.raises(CommandError, match=r"no score\.py"):
        call_command("evaluate", f"--data={tmp_path}")


def test_a_company_has_files_to_upload_and_a_site_to_crawl(tmp_path):
    site = tmp_path / "company" / "site"
    site.mkdir(parents=True)
    (tmp_path / "company" / "hours.txt").write_text("Open")
    question: dict[str, object] = {
        "qid": "a",
        "kind": "answerable",
        "lang": "es",
        "doc_lang": "en",
        "question": "¿?",
    }
    question |= {"gold": [{"file": "hours.txt", "page_or_row": ""}], "answers": ["Open"]}
    write_rows(tmp_path / "company" / "questions.jsonl", [question])
    (corpus,) = load_set(tmp_path, "company")
    assert [file.name for file in corpus.files] == ["hours.txt"]
    assert corpus.site == site
    assert corpus.questions[0].group == "cross-language"


def test_a_site_is_crawled_at_the_address_that_its_pages_name(tenant, tmp_path):
    words = " ".join(
        f"Boat {number} leaves at half past ten from the old pier." for number in range(9)
    )
    index = f"<title>Boats</title><main><h1>Boats</h1><p>{words}</p><a href='__BASE__/b.html'>B</a>"
    (tmp_path / "index.html").write_text(index)
    (tmp_path / "b.html").write_text(f"<title>Pier</title><main><p>{words.replace('Boat', 'Ship')}")

    assert index_site(tenant, tmp_path) == Chunk.objects.for_tenant(tenant).count()

    titles = Document.objects.for_tenant(tenant).values_list("title", flat=True)
    assert sorted(titles) == ["Boats", "Pier"]


class TestReport:
    def asked(self, rank, *, kind="answerable", sources=("a",), indexed=True):
        expect = "answer" if kind == "answerable" else "no_sources"
        question = EvalQuestion("q", "en", "core", kind, expect, "?")
        return Asked(
            corpus="wiki-x-en",
            fold="x",
            question=question,
            is_indexed=indexed,
            rank=rank,
            relevance=IRRELEVANT,
            source_files=sources,
            has_gold_source=bool(sources),
            has_gold_answer=False,
            answer="",
            seconds=0.1,
            outcome=Outcome.REDIRECTED,
        )

    def test_recall_and_mean_reciprocal_rank(self):
        (row,) = answerable_figures([self.asked(rank) for rank in (1, 2, 6, None)])
        assert (row.recall_at_1, row.recall_at_5, row.recall_at_10) == (0.25, 0.5, 0.75)
        assert row.mrr == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)

    def test_questions_on_files_that_were_not_indexed_are_told_apart(self):
        rows = answerable_figures([self.asked(1), self.asked(None, indexed=False)])
        assert [(row.group, row.questions) for row in rows] == [
            ("core", 1),
            ("file not indexed", 1),
        ]

    def test_wrong_sources_are_counted(self):
        asked = [self.asked(None, kind="customer", sources=given) for given in ((), ("a",), (), ())]
        (row,) = unanswerable_figures(asked)
        assert (row.kind, row.questions, row.with_sources) == ("customer", 4, 0.25)
