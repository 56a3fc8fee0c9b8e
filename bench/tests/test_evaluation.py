"""`bin/manage evaluate` on a small data set of our own, in the format of the evaluation data."""

import json
import shutil
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from bench.calibration.fit import fit, ordinary_levels, unfitted
from bench.evaluation.comparison import Change, bootstrap, compare_values
from bench.evaluation.datasets import EvalQuestion, load_corpora, load_set, set_name
from bench.evaluation.report import answerable_figures, unanswerable_figures
from bench.evaluation.requirements import Requirement, Verdict, show
from bench.evaluation.rows import to_row
from bench.evaluation.run import Asked
from bench.evaluation.site import index_site
from bench.evaluation.written import load_written, to_corpus
from bench.reader.texts import WrittenCompany, WrittenPassage, WrittenQuestion
from query.models import Outcome
from query.search.calibration import CERTAINTY_THRESHOLDS, trying
from query.search.evidence import (
    CertaintyEvidence,
    OrderEvidence,
    RelevanceEvidence,
    SentenceEvidence,
)
from query.tests.factories import FARO, LIGHTHOUSE
from query.tests.small_companies import COMPANIES, QUESTIONS, SCORER, write_companies, write_rows
from sources.models import Chunk, Document

pytestmark = pytest.mark.slow

# By words alone, so that what is fitted and shipped does not decide these tests
BY_WORDS = replace(
    unfitted("by words", ordinary_levels([])),
    ordering=dict.fromkeys(OrderEvidence.names(), 0.0) | {"lexical": 1.0, "standing": 1.0},
    relevance=dict.fromkeys(RelevanceEvidence.names(), 0.0)
    | {"bias": -4.0, "coverage": 8.0, "answer_threshold": 0.5, "source_threshold": 0.3},
    sentences=dict.fromkeys(SentenceEvidence.names(), 0.0) | {"coverage": 4.0, "standing": 1.0},
    certainty=dict.fromkeys(CertaintyEvidence.names(), 0.0)
    | {
        "bias": -4.0,
        "coverage": 8.0,
        "lacks_number": -8.0,
        **dict.fromkeys(CERTAINTY_THRESHOLDS, 0.5),
    },
)


@pytest.fixture(autouse=True)
def _by_words():
    with trying(BY_WORDS):
        yield


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


def evaluate(**options):
    output = StringIO()
    call_command("evaluate", **options, verbosity=0, stdout=output, stderr=output)
    return output.getvalue()


def test_figures_are_reported_by_set_and_language(data, db):
    report = json.loads(evaluate(set="wiki", data=data, json=True))
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
        assert (core["with_sources"], core["gold_among_sources"]) == (1.0, 1.0)
        assert (core["told"], core["answered"], core["right"]) == (1.0, 1.0, 1.0)
    silent = [row for row in report["unanswerable"] if row["kind"] == "customer"]
    assert [(row["language"], row["with_sources"]) for row in silent] == [("en", 0.0), ("es", 0.0)]


def test_nothing_is_left_behind(data, db):
    evaluate(set="wiki", data=data)
    assert not Tenant.objects.filter(slug__startswith="eval-").exists()


@pytest.fixture
def companies(monkeypatch, tmp_path, settings):
    """A folder with a scorer; the companies of bench/ are four small ones."""
    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "score.py").write_text(SCORER)
    folder = write_companies(tmp_path / "companies")
    monkeypatch.setattr("bench.evaluation.datasets.COMPANIES", folder)
    return tmp_path


ASKED = QUESTIONS * len(COMPANIES)


def test_the_companies_are_a_set_of_their_own(companies):
    corpora = load_corpora(companies, "companies")
    assert [(corpus.name, corpus.fold) for corpus in corpora] == [
        ("co-bread", "bread"),
        ("co-clay", "clay"),
        ("co-coast", "coast"),
        ("co-wheels", "wheels"),
    ]
    assert {len(corpus.questions) for corpus in corpora} == {QUESTIONS}
    assert {set_name(corpus.name) for corpus in corpora} == {"companies"}
    assert (set_name("company"), set_name("wiki-harbour-en")) == ("company", "wiki")


def test_all_sets_are_those_of_the_data_and_the_companies(companies, data):
    for name in ("company", "nq", "filings"):
        folder = data / name
        folder.mkdir()
        for file in ("questions", "corpus.en", "questions.en", "unanswerable.en"):
            (folder / f"{file}.jsonl").write_text("")
    sets = [set_name(corpus.name) for corpus in load_corpora(data, "all")]
    assert sets == ["company", *["wiki"] * 4, "nq", "filings", *["companies"] * 4]


@pytest.fixture
def results(companies, db, tmp_path):
    """The folder of a report that was written, and of a dump."""
    folder = tmp_path / "results"
    dump = tmp_path / "asked.jsonl"
    evaluate(set="companies", data=companies, report="first", results=folder, dump=dump)
    return folder


def test_a_report_is_a_page_pictures_and_rows_to_compare(results):
    names = sorted(path.name for path in results.iterdir())
    pictures = ["first-certainty.png", "first-speed.png"]
    assert names == [*pictures, "first.json", "first.md"]
    assert all((results / name).stat().st_size < 100_000 for name in pictures)

    page, data = (results / "first.md").read_text(), (results / "first.json").read_text()
    assert "| companies: gold file among sources, en | 8 | ≥ 0.95 |  | 1.000 |" in page
    assert "| sources of another tenant, anywhere | 28 | ≤ 0 | ≤ 0 | 0 |  | aim reached |" in page
    assert "![certainty](first-certainty.png)" in page

    texts = [text for company in COMPANIES for text in company.texts.values()]
    texts += [asked[1] for company in COMPANIES for asked in (*company.answerable, *company.near)]
    assert not any(text in page + data for text in texts)  # the data has a licence of its own

    output = StringIO()
    path = str(results / "first.json")
    call_command("evaluate", "--compare", path, path, stdout=output)
    lines = output.getvalue().splitlines()[1:]
    assert lines
    assert all(line.rstrip().endswith("no difference") for line in lines)


def test_the_same_questions_are_asked_again_by_what_was_fitted_on_the_others(results):
    report = json.loads((results / "first.json").read_text())
    served, left_out = (
        [dict(zip(report["columns"], row, strict=True)) for row in report[name]]
        for name in ("rows", "left_out_rows")
    )
    assert len(served) == ASKED
    assert [row["qid"] for row in served] == [row["qid"] for row in left_out]
    assert [row["certainty"] for row in served] != [row["certainty"] for row in left_out]
    answerable = [row for row in left_out if row["kind"] == "answerable"]
    assert all(row["has_gold_source"] and row["has_gold_answer"] for row in answerable)


def test_a_dump_holds_a_line_a_question_and_answer_as_served_and_left_out(results):
    lines = (results.parent / "asked.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["is_left_out"] for row in rows] == [False] * ASKED + [True] * ASKED
    oven = next(row for row in rows if row["question"]["text"] == "When is the oven lit?")
    assert (oven["outcome"], oven["rank"], oven["has_gold_answer"]) == ("answered", 1, True)
    assert "four in the morning" in oven["answer"]
    assert 0.5 < oven["relevance"] <= 1


def test_one_tenant_alone_leaves_none_to_fit_on(companies, db, tmp_path):
    for name in ("clay", "coast", "wheels"):
        shutil.rmtree(companies / "companies" / name)
    told = evaluate(set="companies", data=companies, report="one", results=tmp_path / "results")
    assert "not fitted on the other tenants: one tenant alone leaves none to fit on." in told
    assert json.loads((tmp_path / "results" / "one.json").read_text())["left_out_rows"] == []


def test_a_file_that_cannot_be_read_teaches_nothing(companies, db, tmp_path, monkeypatch):
    (companies / "companies" / "clay" / "kiln.txt").write_bytes(b"\x00\x01\x02" * 500)
    taught: list[str] = []

    def listening(found, *rest):
        taught.extend(row.question.text for row in found)
        return fit(found, *rest)

    monkeypatch.setattr("bench.evaluation.left_out.fit", listening)
    evaluate(set="companies", data=companies, report="x", results=tmp_path / "results")
    assert len(taught) == ASKED - 1
    assert "How hot is the kiln?" not in taught


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
    def asked(self, rank, *, kind="answerable", sources=("a",), indexed=True, **over):
        expect = "answer" if kind == "answerable" else "no_sources"
        question = EvalQuestion("q", "en", "core", kind, expect, "?")
        fields = {
            "corpus": "wiki-x-en",
            "fold": "x",
            "question": question,
            "is_indexed": indexed,
            "rank": rank,
            "relevance": 0.5,
            "certainty": None,
            "source_files": sources,
            "has_gold_source": bool(sources),
            "has_gold_answer": False,
            "answer": "",
            "seconds": 0.1,
            "outcome": Outcome.REDIRECTED,
        }
        return Asked(**(fields | over))

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

    def test_what_is_told_is_answered_rightly_wrongly_or_quoted_in_doubt(self):
        asked = [
            self.asked(1, outcome=outcome, has_gold_answer=gold, corpus="co-x")
            for outcome, gold in (
                (Outcome.ANSWERED, True),
                (Outcome.ANSWERED, False),
                (Outcome.UNSURE, True),
                (Outcome.UNSURE, False),
            )
        ]
        (row,) = answerable_figures(asked)
        assert (row.dataset, row.told, row.answered, row.right) == ("companies", 0.5, 0.5, 0.25)
        shown = {item.requirement.name: item.figure for item in show(list(map(to_row, asked)))}
        assert shown["companies: gold string, answered or unsure, en"] == 0.5
        assert shown["companies: gold string, answered, en"] == 0.25
        assert shown["companies: answered and wrong, en"] == 0.25

    def test_small_talk_is_told_before_anything_is_judged(self):
        row = to_row(self.asked(None, outcome=Outcome.SMALL_TALK))
        assert (row.relevance, row.certainty) == (0.0, -1.0)


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


class TestWrittenCompanies:
    company = WrittenCompany(
        "u-99-kayaks",
        "en",
        (
            WrittenPassage(
                "Prices / 2026 > Hire",
                ["A kayak costs £20.", "A wetsuit is lent."],
                [WrittenQuestion("how much for one", "en", (0,))],
            ),
            WrittenPassage(
                "Prices / 2026 > Lessons",
                ["A lesson costs £30."],
                [
                    WrittenQuestion("¿y una clase?", "es", (0,)),
                    WrittenQuestion("is lunch included", "en", ()),
                ],
            ),
        ),
    )

    def test_passages_become_sections_of_their_document(self) -> None:
        corpus = to_corpus(self.company)

        (file,) = corpus.files
        assert file.name == "Prices - 2026.md"
        assert file.content.decode() == (
            "# Prices / 2026\n\n## Hire\n\nA kayak costs £20.\n\nA wetsuit is lent.\n\n"
            "## Lessons\n\nA lesson costs £30."
        )

    def test_a_question_is_answered_by_its_lines_or_by_nothing(self) -> None:
        first, across, near = to_corpus(self.company).questions

        assert (first.answers, first.gold_files) == (("A kayak costs £20.",), ("Prices - 2026.md",))
        assert (first.group, across.group) == ("same language", "cross-language")
        assert (near.kind, near.expect, near.gold_files) == ("near_topic", "no_invention", ())

    def test_only_those_that_the_reader_has_not_learned_from(self) -> None:
        folds = {corpus.fold for corpus in load_written()}

        assert len(folds) == 70
        assert {fold[0] for fold in folds} == {"u", "v"}
