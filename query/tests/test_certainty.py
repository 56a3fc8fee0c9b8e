"""Passages about the question that do not answer it: nothing is asserted, in both languages; and
what the decision is made of."""

import math

import pytest

from language.message import read_message
from query.answering.certainty import certainty, is_answer
from query.answering.extraction import extract_answer
from query.answering.weighing import AHEAD_MAX, read_passages
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts, judging_by, make_chunk, make_question
from reading.passages import ChunkLevel

FERRY = (
    "The Morvane ferry line was founded in 1931 by Ilse Brandt, a shipbuilder's daughter who had "
    "bought two fishing boats at an auction in Bergen. At first they carried milk, mail and a few "
    "passengers between the islands. In 1954 the company ordered its first steel ship, the "
    "Solveig, which could take twelve cars and ran until 1979. When a bridge to the largest island "
    "was opened in 1988, the winter service ended, and since then the boats have sailed from April "
    "to October only. The captain of the Solveig wrote a book about those years, and the line's "
    "old ticket office is now a small museum that is run by volunteers of the village."
)
TRANSBORDADOR = (
    "La naviera Morvane fue fundada en 1931 por Ilse Brandt, hija de un constructor de barcos que "
    "había comprado dos barcas de pesca en una subasta de Bergen. Al principio llevaban leche, "
    "correo y unos pocos pasajeros entre las islas. En 1954 la compañía encargó su primer barco "
    "de acero, el Solveig, en el que cabían doce coches y que navegó hasta 1979. Cuando en 1988 "
    "se abrió un puente a la isla mayor, terminó el servicio de invierno, y desde entonces los "
    "barcos navegan solo de abril a octubre. El capitán del Solveig escribió un libro sobre "
    "aquellos años, y la antigua taquilla de la naviera es hoy un pequeño museo que llevan "
    "voluntarios del pueblo."
)
ROWS = (
    "Item: Buoy Petrel; Colour: orange; Price: 31.50 EUR; Stock: 4",
    "Item: Buoy Gannet; Colour: yellow; Price: 44.00 EUR; Stock: 9",
    "Item: Anchor Petrel; Colour: black; Price: 120.00 EUR; Stock: 2",
)


def write(tenant, text):
    question, chunks = retrieve_chunks(tenant, read_question(read_message(text)), top_k=5)
    writer = extract_answer(question, chunks, marks_sources=True)
    drafts = []

    def follow():
        drafts.append((yield from writer))

    text = "".join(follow())
    assert text == drafts[0].text
    return drafts[0]


def told_by(draft):
    """Asserted, or quoted as the closest."""
    return draft.text or " ".join(quote.text for quote in draft.closest)


class TestLongText:
    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("Who founded the Morvane ferry line?", "Ilse Brandt"),
            ("What was the first steel ship that the company ordered in 1954?", "Solveig"),
            ("How many cars could the Solveig take?", "twelve cars"),
        ],
    )
    def test_what_it_says_is_told_in_english(self, tenant, question, told):
        index_texts(tenant, FERRY)
        assert told in told_by(write(tenant, question))

    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("¿Quién fundó la naviera Morvane?", "Ilse Brandt"),
            ("¿Qué primer barco de acero encargó la compañía en 1954?", "Solveig"),
            ("¿Cuántos coches cabían en el primer barco de acero, el Solveig?", "doce coches"),
        ],
    )
    def test_what_it_says_is_told_in_spanish(self, tenant, question, told):
        index_texts(tenant, TRANSBORDADOR)
        assert told in told_by(write(tenant, question))

    @pytest.mark.parametrize(
        ("text", "questions"),
        [
            (
                FERRY,
                (
                    "Who founded the Kestrel ferry line?",
                    "Which ship did the ferry line order in 1962?",
                    "Who never captained the Solveig?",
                    "How much does a ticket for the ferry cost?",
                    "What is the name of the ferry line's youngest captain?",
                ),
            ),
            (
                TRANSBORDADOR,
                (
                    "¿Quién fundó la naviera Albatros?",
                    "¿Qué barco encargó la naviera en 1962?",
                    "¿Quién no fue nunca capitán del Solveig?",
                    "¿Cuánto cuesta un billete de la naviera?",
                    "¿Cómo se llama el capitán más joven de la naviera?",
                ),
            ),
        ],
        ids=["English text", "Spanish text"],
    )
    def test_of_what_it_does_not_say_hardly_anything_is_asserted(self, tenant, text, questions):
        """The model cannot read: one of five is what it takes for an answer."""
        index_texts(tenant, text)
        asserted = [question for question in questions if write(tenant, question).text]
        assert len(asserted) <= 1, asserted

    def test_in_doubt_the_closest_sentence_is_kept_apart_from_the_text(self, tenant):
        index_texts(tenant, FERRY)
        draft = write(tenant, "Who founded the Kestrel ferry line?")
        assert (draft.text, draft.sources) == ("", (0,))
        assert "[1]" in draft.closest[0].text

    def test_a_question_in_the_other_language_is_answered(self, tenant):
        index_texts(tenant, FERRY)
        assert "Ilse Brandt" in write(tenant, "¿Quién fundó la naviera Morvane?").text


class TestRows:
    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("What is the price of the Buoy Gannet?", "Buoy Gannet: price 44.00 EUR."),
            ("How much does the Anchor Petrel cost?", "Anchor Petrel: price 120.00 EUR."),
            ("¿Cuánto cuesta la boya Gannet?", "Buoy Gannet: price 44.00 EUR."),
        ],
    )
    def test_the_price_of_an_item_is_told_of_its_row(self, tenant, question, told):
        index_texts(tenant, *ROWS, level=ChunkLevel.ROW)
        assert write(tenant, question).text == f"{told} [1]"

    @pytest.mark.parametrize(
        "question",
        ["What is the price of the Buoy Wexmoor?", "¿Cuánto cuesta la boya Wexmoor?"],
    )
    def test_the_price_of_an_item_that_is_not_there_is_not_asserted(self, tenant, question):
        index_texts(tenant, *ROWS, level=ChunkLevel.ROW)
        assert write(tenant, question).text == ""


# --- What is known of the best sentence -----------------------------------------------------------


def reading_of(question, *chunks, language="en"):
    """With the words alone, and sentences chosen by them."""
    with judging_by(sentences={"coverage": 6.0}):
        return read_passages(make_question(question, language=language), chunks)


def certainty_of(question, *chunks, language="en"):
    return reading_of(question, *chunks, language=language).certainty


SHIP = "In 1954 the company ordered the Solveig. It took twelve cars."


class TestWhatIsMissing:
    @pytest.mark.parametrize(
        ("question", "lacks"),
        [("Which ship was ordered in 1962?", 1.0), ("Which ship was ordered in 1954?", 0.0)],
    )
    def test_a_number_of_the_question(self, question, lacks):
        assert certainty_of(question, make_chunk(text=SHIP)).lacks_number == lacks

    def test_a_rare_name_that_no_passage_holds(self):
        chunks = [make_chunk(chunk_id=n, text=text) for n, text in enumerate((SHIP, FERRY))]
        assert certainty_of("When was the Kestrel ordered?", *chunks).lacks_rare_name > 0.5
        assert certainty_of("When was the Solveig ordered?", *chunks).lacks_rare_name == 0.0

    def test_a_name_may_stand_in_another_passage_or_in_the_title(self):
        other = make_chunk(chunk_id=2, text="The Kestrel is a ferry.")
        assert certainty_of("Kestrel cars?", make_chunk(text=SHIP), other).lacks_rare_name == 0.0
        titled = make_chunk(text=SHIP, document_title="The Kestrel")
        assert certainty_of("Is the Kestrel for cars?", titled).lacks_rare_name == 0.0

    def test_the_negation_of_the_question(self):
        chunk = make_chunk(text="The ticket includes cars.")
        assert certainty_of("What does the ticket not include?", chunk).lacks_negation == 1.0
        assert certainty_of("What does the ticket include?", chunk).lacks_negation == 0.0
        negated = make_chunk(text="The ticket does not include cars.")
        assert certainty_of("What does the ticket not include?", negated).lacks_negation == 0.0

    def test_the_kind_of_thing_that_is_asked_for(self):
        priced = make_chunk(text="The Solveig cost 9 euros.")
        assert certainty_of("How much did the Solveig cost?", priced).has_kind == 1.0
        unpriced = make_chunk(text="The Solveig cost a lot.")
        assert certainty_of("How much did the Solveig cost?", unpriced).has_kind == 0.0


class TestWhatSpeaksForIt:
    def test_the_lead_of_the_best_sentence_over_the_next_and_over_other_passages(self):
        first = make_chunk(chunk_id=1, text="Solveig cars. Cars are many.")
        second = make_chunk(chunk_id=2, text="Bread is baked.")
        known = certainty_of("solveig cars", first, second)
        assert 0 < known.ahead < known.ahead_of_others == AHEAD_MAX

    def test_alone_it_is_as_far_ahead_as_can_be(self):
        known = certainty_of("solveig", make_chunk(text="The Solveig."))
        assert (known.ahead, known.ahead_of_others) == (AHEAD_MAX, AHEAD_MAX)

    def test_the_neighbours_of_the_sentence_count_beside_it(self):
        known = certainty_of("Solveig cars", make_chunk(text=SHIP))
        assert known.coverage < known.near_coverage == known.passage_coverage == 1.0

    def test_in_another_language_what_matters_counts_once_more(self):
        chunk = make_chunk(text=SHIP, similarity=0.3)
        known = certainty_of("¿Solveig?", chunk, language="es")
        assert known.crosses_languages == 1.0
        assert known.standing_across == known.standing == pytest.approx(3.0)
        assert certainty_of("Solveig?", chunk).standing_across == 0.0


class TestDecision:
    reading = reading_of("Solveig cars", make_chunk(text=SHIP))

    @pytest.mark.parametrize(("threshold", "is_sure"), [(0.74, True), (0.76, False)])
    def test_it_is_an_answer_from_the_threshold_on(self, threshold, is_sure):
        weights = {"bias": math.log(3) - 1, "near_coverage": 1.0, "threshold_en_en": threshold}
        with judging_by(certainty=weights):
            assert certainty(self.reading) == pytest.approx(0.75)
            assert is_answer(self.reading) == is_sure
