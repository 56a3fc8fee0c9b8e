"""`bin/manage evaluate` on a small data set of our own, in the format of the evaluation data."""

import json
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from query.evaluation.comparison import Change, bootstrap, compare_values
from query.evaluation.curves import fused_rank
from query.evaluation.datasets import EvalQuestion, load_set
from query.evaluation.report import answerable_figures, unanswerable_figures
from query.evaluation.requirements import Requirement, Verdict
from query.evaluation.run import Asked, Candidate
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


KILN = (
    "The kiln is fired every second Thursday and reaches 1,240 degrees in eleven hours.",
    "Glazing a bowl costs 9 euros, and the clay for it is included in the price.",
    "The wheel by the window is kept for beginners on weekday mornings.",
)
HORNO = (
    "El horno se enciende un jueves de cada dos y alcanza 1.240 grados en once horas.",
    "Esmaltar un cuenco cuesta 9 euros y el barro está incluido en el precio.",
    "El torno que está junto a la ventana es para principiantes las mañanas de diario.",
)
TENANTS = {
    ("coast", "en"): (LIGHTHOUSE, "How much does a guided visit cost?", "7 euros"),
    ("coast", "es"): (FARO, "¿Cuánto cuesta la visita guiada?", "7 euros"),
    ("clay", "en"): (KILN, "How much does it cost to glaze a bowl?", "9 euros"),
    ("clay", "es"): (HORNO, "¿Cuánto cuesta esmaltar un cuenco?", "9 euros"),
}
LOST = {  # kind: (expect, question)
    ("customer", "en"): ("no_sources", "Who painted the Mona Lisa?"),
    ("customer", "es"): ("no_sources", "¿Quién pintó la Gioconda?"),
    ("on_topic", "en"): ("no_invention", "How much does a visit cost on Mars in 1871?"),
}


@pytest.fixture
def data(tmp_path, settings):
    """Two encyclopedia tenants in both languages, with questions that have an answer or none."""
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = tmp_path / "eval" / "wiki"
    folder.mkdir(parents=True)
    (folder.parent / "score.py").write_text(SCORER)
    for language in ("en", "es"):
        names = [name for name, other in TENANTS if other == language]
        write_rows(
            folder / f"corpus.{language}.jsonl",
            [row for name in names for row in documents(name, language)],
        )
        write_rows(
            folder / f"questions.{language}.jsonl", [answerable(name, language) for name in names]
        )
        write_rows(
            folder / f"unanswerable.{language}.jsonl",
            [
                lost(name, kind, other)
                for name in names
                for kind, other in LOST
                if other == language
            ],
        )
    return folder.parent


def documents(name, language):
    """One a text: short texts of one document would be one passage."""
    return [
        {"tenant": name, "doc_id": f"{name}-{number}-{language}", "lang": language}
        | {"title": f"About {name}"}
        | {"paragraphs": [{"para_id": f"{name}-p{number}", "origin": "x", "text": text}]}
        for number, text in enumerate(TENANTS[name, language][0])
    ]


def answerable(name, language):
    _, question, answer = TENANTS[name, language]
    row = {"qid": f"{name}-q-{language}", "tenant": name, "lang": language}
    row |= {"para_id": f"{name}-p1", "set": "core"}
    return row | {"question": question, "answers": [answer]}


def lost(name, kind, language):
    expect, question = LOST[kind, language]
    row = {"qid": f"{name}-{kind}-{language}", "tenant": name, "lang": language, "kind": kind}
    wrong = {"wrong_answers": ["7 euros"]} if kind == "on_topic" else {}
    return row | {"expect": expect, "question": question} | wrong


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
        assert (core["questions"], core["recall_at_1"], core["mrr"]) == (2, 1.0, 1.0)
        assert (core["with_sources"], core["gold_among_sources"], core["answer_has_gold"]) == (
            1.0,
            1.0,
            1.0,
        )
    silent = [row for row in report["unanswerable"] if row["kind"] == "customer"]
    assert [(row["language"], row["with_sources"]) for row in silent] == [("en", 0.0), ("es", 0.0)]


def test_nothing_is_left_behind(data, db):
    call_command("evaluate", set="wiki", data=data, json=True, verbosity=0, stdout=StringIO())
    assert not Tenant.objects.filter(slug__startswith="eval-").exists()


def test_a_dump_holds_a_line_a_question(data, db, tmp_path):
    dump = tmp_path / "asked.jsonl"
    call_command("evaluate", set="wiki", data=data, dump=dump, verbosity=0, stdout=StringIO())
    rows = [json.loads(line) for line in dump.read_text().splitlines()]
    assert len(rows) == 14
    assert [item["is_gold"] for item in rows[0]["candidates"]].count(True) == 1
    assert rows[0]["outcome"] == "answered"


@pytest.fixture
def results(data, db, tmp_path):
    """The folder of a report that was written."""
    folder = tmp_path / "results"
    options = {"data": data, "report": "first", "results": folder, "verbosity": 0}
    call_command("evaluate", set="wiki", **options, stdout=StringIO(), stderr=StringIO())
    return folder


def test_a_report_is_a_page_pictures_and_rows_to_compare(results):
    names = sorted(path.name for path in results.iterdir())
    pictures = ["first-fusion.png", "first-refusal.png", "first-speed.png"]
    assert names == [*pictures, "first.json", "first.md"]
    assert all((results / name).stat().st_size < 100_000 for name in pictures)

    page, data = (results / "first.md").read_text(), (results / "first.json").read_text()
    assert "| wiki core, recall@5, en | 2 | ≥ 0.98 | ≥ 0.99 | 1.000 |" in page
    assert "| sources of another tenant, anywhere | 14 | ≤ 0 | ≤ 0 | 0 |  | aim reached |" in page
    assert "![fusion](first-fusion.png)" in page

    texts = [text for item in TENANTS.values() for text in (*item[0], item[1])]
    texts += [question for _, question in LOST.values()]
    assert not any(text in page + data for text in texts)  # the data has a licence of its own

    served, left_out = (json.loads(data)[name] for name in ("rows", "left_out_rows"))
    assert len(served) == 14
    assert [row[:2] for row in served] == [row[:2] for row in left_out]

    output, path = StringIO(), str(results / "first.json")
    call_command("evaluate", "--compare", path, path, stdout=output)
    lines = output.getvalue().splitlines()[1:]
    assert lines
    assert all(line.rstrip().endswith("no difference") for line in lines)


def test_what_is_no_report_cannot_be_compared(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"columns": ["qid"]}')
    with pytest.raises(CommandError, match="another version"):
        call_command("evaluate", "--compare", str(path), str(path))


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


def number(value: object) -> float:
    """Stands for a row's measure where only figures matter."""
    raise AssertionError(value)


class TestRequirements:
    def shown(self, figure, **over):
        return Requirement("x", bool, number, **{"floor": 0.9, "aim": 0.95, **over}).verdict(figure)

    def test_a_figure_reaches_its_aim_holds_its_floor_or_misses_both(self):
        assert self.shown(0.95) == Verdict.AIM
        assert self.shown(0.9) == Verdict.FLOOR
        assert self.shown(0.899) == Verdict.MISSED

    def test_of_some_figures_less_is_better(self):
        bounds = {"floor": 0.04, "aim": 0.01, "higher_is_better": False}
        assert self.shown(0.01, **bounds) == Verdict.AIM
        assert self.shown(0.04, **bounds) == Verdict.FLOOR
        assert self.shown(0.05, **bounds) == Verdict.MISSED

    def test_without_a_floor_it_is_only_measured(self):
        assert self.shown(0.1, floor=None) == Verdict.MEASURED


class TestComparison:
    def differ(self, before, after, **over):
        values = np.array(list(zip(before, after, strict=True)), dtype=float)
        return compare_values(Requirement("x", bool, number, **over), values)

    def test_the_same_questions_answered_better(self):
        found = self.differ([0] * 20 + [1] * 20, [1] * 40)
        assert (found.before, found.after, found.change) == (0.5, 1.0, Change.BETTER)
        assert 0 < found.low < 0.5 < found.high < 1

    def test_fewer_of_what_should_not_be_is_better(self):
        found = self.differ([1] * 40, [0] * 20 + [1] * 20, higher_is_better=False)
        assert found.change == Change.BETTER

    def test_one_question_of_forty_is_no_difference(self):
        assert self.differ([0] * 40, [1] + [0] * 39).change == Change.NONE

    def test_the_interval_is_the_same_each_time(self):
        values = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
        assert bootstrap(values) == bootstrap(values)


def test_the_fused_order_at_another_share_of_the_cosine():
    candidates = (Candidate(0.8, 2.0, is_gold=False), Candidate(0.4, 8.0, is_gold=True))
    assert [fused_rank(candidates, dense) for dense in (0.0, 0.4, 1.0)] == [1, 1, 2]
    assert fused_rank(candidates[:1], 0.4) == 0
