"""Words of two languages: what is folded, told apart, brought together."""

import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import pytest

from language import TERM_DIMENSIONS
from language.detection import (
    detect_language,
    detect_main_language,
    detect_message_language,
)
from language.glossary import gloss, to_english
from language.terms import (
    AVERAGE_CONTENT_WORDS,
    MAX_TERMS_PER_PASSAGE,
    idf,
    passage_weights,
    question_terms,
    term_number,
)
from language.words import fold, information, stem, tokenize, with_accents

ENDINGS = ("ar", "ando", "ados", "aciones", "amente", "ito", "arlas", "aremos", "able", "ismo")
WORDS = [f"{root}{ending}" for root in ("cant", "visit", "organiz", "entreg") for ending in ENDINGS]


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class TestWords:
    def test_accents_are_folded_but_not_the_ene(self):
        assert fold("El AÑO de la Garantía, Überzug") == "el año de la garantia, uberzug"

    @pytest.mark.usefixtures("restless_threads")
    def test_threads_that_stem_at_once_do_not_mix_their_words(self):
        uncached = stem.__wrapped__
        alone = [uncached(word, "es") for word in WORDS]
        with ThreadPoolExecutor(8) as threads:
            together = list(threads.map(uncached, WORDS * 50, repeat("es")))
        assert together == alone * 50

    def test_a_code_is_a_word_beside_its_parts(self):
        assert tokenize("Ref. AB-2041, 3.4") == ["ref", "ab", "2041", "3", "4", "ab2041", "34"]

    def test_a_hyphenated_word_without_digits_is_only_its_parts(self):
        assert tokenize("after-sales") == ["after", "sales"]

    def test_rare_words_say_more_than_common_ones(self):
        assert information("de", "es") < information("garantia", "es") < information("xqzt", "es")
        assert information("xqzt", "es") == 7.0

    @pytest.mark.parametrize(
        ("language", "form", "basic"),
        [
            ("es", "alquiláis", "alquilar"),
            ("es", "alquilais", "alquilar"),
            ("es", "devolvéis", "devolver"),
            ("es", "aceptáis", "aceptar"),
            ("es", "devuelven", "devolver"),
            ("es", "reserváis", "reservar"),
            ("es", "entregaríais", "entregar"),
            ("es", "toallas", "toalla"),
            ("es", "garantia", "garantía"),
            ("en", "rents", "rent"),
            ("en", "cancelled", "cancel"),
            ("en", "towels", "towel"),
        ],
    )
    def test_a_form_says_no_more_than_the_word_that_it_is_of(self, language, form, basic):
        assert information(form, language) <= information(basic, language) < 4.5

    def test_a_word_of_its_own_keeps_its_information(self):
        assert information("peces", "es") > 2
        assert information("evening", "en") > information("even", "en")


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("¿Cuánto cuesta el envío a Lugo?", "es"),
            ("cuanto cuesta el envio", "es"),
            ("horario", "es"),
            ("How much is delivery?", "en"),
            ("opening hours", "en"),
            ("Where is the shop of Señor Muñoz?", "en"),
        ],
    )
    def test_spanish_and_english_are_told_apart(self, text, language):
        assert detect_language(text) == language

    def test_names_and_numbers_take_the_default(self):
        assert detect_language("B-1023 17.50", default="es") == "es"
        assert detect_language("B-1023 17.50", default="en") == "en"

    @pytest.mark.parametrize(
        ("text", "language"),
        [("hola", "es"), ("¿Aceptáis PayPal?", "es"), ("hi", "en"), ("parking?", "en")],
    )
    def test_a_short_message_has_the_likelier_language(self, text, language):
        assert detect_message_language(text) == language

    def test_a_message_that_says_nothing_is_taken_for_english(self):
        assert detect_message_language("B-1023 17.50") == "en"

    @pytest.mark.parametrize(
        ("text", "language"),
        [
            ("q hrs abris el sabado", "es"),
            ("wifi gratis?", "es"),
            ("tb", "es"),
            ("desmontais mueblse?", "es"),
            ("hrs sat?", "en"),
            ("thx", "en"),
            ("u", "en"),
        ],
    )
    def test_words_of_chats_tell_a_messages_language(self, text, language):
        assert detect_message_language(text, "en" if language == "es" else "es") == language

    @pytest.mark.parametrize("text", ["ok", "wifi?", "taxi", "bar", "👍"])
    def test_a_word_of_both_languages_does_not_tell(self, text):
        assert detect_message_language(text, "es") == "es"
        assert detect_message_language(text, "en") == "en"

    def test_a_letter_of_a_document_is_no_word(self):
        assert detect_language("u r n", "es") == detect_language("q x k", "es") == "es"
        assert detect_language("q x k", "en") == "en"

    def test_accents_that_were_not_typed_are_put_back(self):
        typed = "devolucion", "sabado", "esta", "envio", "horario"
        meant = ["devolución", "sábado", "esta", "envio", "horario"]
        assert [with_accents(word, "es") for word in typed] == meant

    def test_a_document_has_the_language_of_most_of_its_words(self):
        assert detect_main_language(["Precio: 12", "Envíos y devoluciones", "Total"]) == "es"
        assert detect_main_language(["Price: 12", "Delivery and returns", "Total"]) == "en"


class TestGlossary:
    def test_a_spanish_word_has_english_ones(self):
        assert to_english("garantia") == ("warranty", "guarantee")

    def test_a_form_that_is_not_listed_is_found_by_its_stem(self):
        assert to_english("alquilamos")[0] in ("rent", "rental")

    def test_an_unknown_word_stays(self):
        assert to_english("xqzt") == ("xqzt",)

    def test_numbers_names_and_punctuation_stay_in_a_gloss(self):
        assert gloss("Garantía: 24 xqzt.") == "warranty: 24 xqzt."


class TestTerms:
    def test_term_numbers_are_stable_and_within_the_vector(self):
        assert term_number("=warranty") == term_number("=warranty")
        assert all(1 <= term_number(f"={n}") <= TERM_DIMENSIONS for n in range(1000))

    def test_a_spanish_question_and_an_english_passage_share_terms(self):
        asked = set(question_terms("¿Qué garantía tiene?", "es"))
        assert asked & passage_weights("The warranty lasts two years.", "en").keys()

    def test_function_words_are_no_terms(self):
        assert passage_weights("de la que", "es") == {}
        assert question_terms("what is the", "en") == []

    def test_weights_are_bm25_without_idf(self):
        # One content word in a passage of one: tf 1, length 1 (K1 1.2, B 0.75).
        norm = 1.2 * (0.25 + 0.75 / AVERAGE_CONTENT_WORDS)
        weights = passage_weights("warranty", "en")
        assert weights[term_number("=warranty")] == pytest.approx(2.2 / (1 + norm))

    def test_idf_is_bm25s(self):
        assert idf(100, 1) == pytest.approx(math.log(1 + 99.5 / 1.5))
        assert idf(100, 100) > 0

    def test_a_huge_passage_keeps_its_heaviest_terms_only(self):
        text = " ".join(f"word{n}" for n in range(2000)) + " often often often"
        weights = passage_weights(text, "en")
        assert len(weights) == MAX_TERMS_PER_PASSAGE
        assert term_number("=often") in weights
