"""The real reader: which sentence of a passage answers a question, and whether any does."""

import json
import math
import re
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from language.words import Language
from query.search.calibration import CERTAINTY_THRESHOLDS
from query.search.candidates import ReadScores, RetrievedChunk
from query.search.reader.decisions import (
    FILE,
    LOWEST,
    AnswerEvidence,
    PassageEvidence,
    any_answers,
    read_only,
)
from query.search.reader.reader import GRAPH, SEQUENCE_TOKENS, get_reader, title_of
from query.tests.factories import make_chunk

WORKSHOP: dict[Language, str] = {
    "es": (
        "La cancelación es gratuita hasta dos días antes. El taller abre de lunes a viernes de"
        " nueve a dos. Se admiten perros pequeños con correa."
    ),
    "en": (
        "You can cancel free of charge up to two days before. The workshop opens from Monday to"
        " Friday, nine to two. Small dogs on a lead are welcome."
    ),
}
CANCELLING, OPENING, DOGS = range(3)


def read(question: str, text: str = WORKSHOP["en"], **over: str) -> ReadScores:
    (scores,) = get_reader().read(question, [make_chunk(text=text, **over)])
    return scores


def odds(question: str, written: Language) -> float:
    return any_answers(read_only(read(question, WORKSHOP[written])))


def highest(scores: ReadScores) -> int:
    return scores.index(max(read_only(scores)))


@pytest.mark.parametrize("written", ["es", "en"])
@pytest.mark.parametrize(
    ("question", "answering"),
    [
        ("¿Hasta cuándo puedo anular sin pagar?", CANCELLING),
        ("What happens if I call it off the day before?", CANCELLING),
        ("¿A qué hora abrís?", OPENING),
        ("When are you open?", OPENING),
        ("¿Puedo llevar a mi mascota?", DOGS),
        ("Can I bring my pet?", DOGS),
    ],
)
def test_the_sentence_that_answers_is_the_highest_in_whatever_words_and_language(
    question: str, answering: int, written: Language
) -> None:
    assert highest(read(question, WORKSHOP[written])) == answering


@pytest.mark.parametrize("written", ["es", "en"])
@pytest.mark.parametrize(
    ("answered", "unanswered"),
    [
        ("¿Hasta cuándo puedo anular sin pagar?", "¿El taller tiene aparcamiento?"),
        ("When are you open?", "Does the workshop have a car park?"),
        ("¿Puedo llevar a mi mascota?", "¿Quién pintó la Gioconda?"),
    ],
)
def test_a_question_that_nothing_answers_has_far_lower_odds_than_one_that_is_answered(
    answered: str, unanswered: str, written: Language
) -> None:
    assert odds(unanswered, written) < odds(answered, written) - 2


def test_a_passages_scores_are_its_own_whatever_is_read_beside_it() -> None:
    chunks = [make_chunk(text=WORKSHOP[language]) for language in ("es", "en")]

    together = get_reader().read("When are you open?", chunks)

    assert together == [read("When are you open?", chunk.text) for chunk in chunks]
    assert get_reader().read("When are you open?", []) == []


def test_the_title_is_read_too() -> None:
    prices = "Bowl: 30 euros. Plate: 40 euros."
    pottery = read("How much is a pottery class?", prices, document_title="Pottery classes")
    lost = read("How much is a pottery class?", prices, document_title="Lost property")

    assert any_answers(read_only(pottery)) > any_answers(read_only(lost))


@pytest.mark.parametrize(
    ("document", "section", "title"),
    [
        ("Prices 2026", "Classes >\n Children", "Prices 2026 > Classes > Children"),
        ("Prices 2026", "", "Prices 2026"),
        ("", "", ""),
    ],
)
def test_a_title_is_one_line(document: str, section: str, title: str) -> None:
    assert title_of(make_chunk(document_title=document, section_title=section)) == title


@pytest.mark.parametrize(
    "contact", ["My e-mail is eva@example.org.", "Llámame al +34 600 11 22 33.", "Ring 600112233!"]
)
def test_an_address_beside_a_question_is_not_part_of_it(contact: str) -> None:
    asked = "When are you open?"

    assert read(f"{contact} {asked}") == read(f"{asked} {contact}") == read(asked)
    assert read(contact) != read(asked)


class TestLongPassages:
    chunk = make_chunk(
        text=" ".join(f"Boat number {number} is out at sea." for number in range(SEQUENCE_TOKENS))
    )

    def scores(self, chunk: RetrievedChunk) -> ReadScores:
        (scores,) = get_reader().read("Which boat is out?", [chunk])
        return scores

    def test_what_is_beyond_the_sequence_is_none_and_all_before_it_has_a_score(self) -> None:
        scores = self.scores(self.chunk)

        read = len(read_only(scores))
        assert len(scores) == len(self.chunk.sentences)
        assert 10 < read < SEQUENCE_TOKENS / 5
        assert None not in scores[:read]
        assert set(scores[read:]) == {None}

    def test_a_sentence_is_read_as_far_as_there_is_room(self) -> None:
        endless = make_chunk(text="The boat is out " * SEQUENCE_TOKENS + ". It comes back.")

        scores = self.scores(endless)

        assert [score is None for score in scores] == [False, True]


@pytest.mark.parametrize(
    "question",
    [
        "",
        " \n\t ",
        "🐶❓",
        "犬を連れて行ってもいいですか",
        "можно с собакой?",
        "هل يمكنني إحضار كلب؟",
        "Can I\0 bring\ufffe a dog\ud800?".encode(errors="replace").decode(),
        "dogs " * 2_000,
        "d" * 10_000,
    ],
    ids=["empty", "blank", "emoji", "Japanese", "Russian", "Arabic", "NUL", "long", "one word"],
)
def test_whatever_is_asked_each_sentence_gets_a_number(question: str) -> None:
    scores = read_only(read(question))

    assert len(scores) == 3
    assert all(map(math.isfinite, scores))


@pytest.mark.parametrize("text", ["🐶🐶", "犬は歓迎します。", "\0", "x" * 10_000, ""])
def test_whatever_is_written_is_read_or_left_out(text: str) -> None:
    scores = read("Can I bring a dog?", text, document_title=text, section_title=text)

    assert len(scores) == len(make_chunk(text=text).sentences)
    assert all(map(math.isfinite, read_only(scores)))


def test_threads_that_ask_at_once_get_what_they_would_get_alone() -> None:
    questions = ["When are you open?", "¿Puedo llevar a mi mascota?", "🐶", "Can I cancel?"] * 8
    alone = [read(question) for question in questions[:4]] * 8

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(read, questions)) == alone


class TestOdds:
    def test_they_add_up(self) -> None:
        assert any_answers([1.0, 1.0]) == pytest.approx(1 + math.log(2))
        assert any_answers([5.0, -50.0]) == pytest.approx(5.0)

    def test_beyond_the_lowest_it_is_clear(self) -> None:
        assert any_answers([]) == any_answers([-2_000.0, -2_000.0]) == LOWEST
        assert any_answers([2_000.0, 2_000.0]) == pytest.approx(2_000 + math.log(2))

    def test_what_was_not_read_has_no_part_in_them(self) -> None:
        assert read_only((1.0, None, -2.0)) == [1.0, -2.0]
        assert read_only(None) == []


class TestWhatIsShipped:
    def test_the_graph_is_the_one_that_its_card_describes(self) -> None:
        card = GRAPH.with_name("MODEL_CARD.md").read_text(encoding="utf-8")

        named = re.findall(r"^SHA-256 of reader\.onnx: `?([0-9a-f]{64})`?$", card, re.MULTILINE)

        assert named == [sha256(GRAPH.read_bytes()).hexdigest()]

    def test_each_number_that_is_known_has_a_weight_and_no_other_has(self) -> None:
        decisions = json.loads(FILE.read_text(encoding="utf-8"))

        assert decisions["passage"].keys() == {"bias", *PassageEvidence.names()}
        assert decisions["answer"].keys() == {"bias", *AnswerEvidence.names()}
        assert decisions["certainty"].keys() == set(CERTAINTY_THRESHOLDS)
        weights = [*decisions["passage"].values(), *decisions["answer"].values()]
        assert all(map(math.isfinite, weights))

    def test_thresholds_are_probabilities_and_a_source_needs_no_more_than_an_answer(self) -> None:
        decisions = json.loads(FILE.read_text(encoding="utf-8"))

        assert 0 < decisions["source_threshold"] <= decisions["answer_threshold"] < 1
        assert 0 < decisions["unread_threshold"] < 1
        assert all(0 < enough < 1 for enough in decisions["certainty"].values())
        assert decisions["sentence"] > 0
