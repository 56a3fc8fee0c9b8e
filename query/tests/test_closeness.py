"""How near a question's words are to those of a passage: by hand-made vectors, and by the model."""

import numpy as np
import pytest

from language.message import read_message
from query.search.candidates import NO_WORDS, AskedWords, Closeness
from query.search.closeness import asked_words, measure_closeness
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts
from sources.embedding.close_reading import CloseReading, pack_signs
from sources.embedding.onnx_model import ReadQuestion

# Three words that have nothing to do with each other: the cosine of any two is 0.
ANCHOR = [1, 1, 1, 1, 1, 1, 1, 1]
BREAD = [1, 1, 1, 1, -1, -1, -1, -1]
CLOUD = [1, 1, -1, -1, 1, 1, -1, -1]
NEARLY_ANCHOR = [1, 1, 1, 1, 1, 1, 1, -1]  # 0.75 to ANCHOR

Word = list[int]


def read(heading: list[Word], *sentences: list[Word]) -> CloseReading:
    words = [word for part in (heading, *sentences) for word in part]
    vectors = np.array(words, np.float32).reshape(-1, 8)
    counts = tuple(len(part) for part in (heading, *sentences))
    spans = tuple((number, number + 1) for number in range(len(sentences)))
    return CloseReading(spans, counts, pack_signs(vectors, np.zeros(8, np.float32)))


def ask_for(*words: tuple[Word, float]) -> AskedWords:
    vectors = np.array([word for word, _ in words], np.float32) / np.float32(np.sqrt(8))
    return AskedWords(np.array([weight for _, weight in words], np.float32), vectors)


def measure(reading: CloseReading | None, words: AskedWords) -> Closeness:
    """One alone."""
    (measured,) = measure_closeness([reading], words)
    return measured


class TestASentence:
    def test_its_closeness_is_the_mean_over_the_questions_words_by_their_information(self) -> None:
        measured = measure(read([], [ANCHOR]), ask_for((ANCHOR, 6.0), (BREAD, 2.0)))
        assert measured.sentences[0].mean == pytest.approx(0.75)

    def test_of_its_words_the_nearest_counts(self) -> None:
        reading = read([], [CLOUD, NEARLY_ANCHOR, BREAD])
        measured = measure(reading, ask_for((ANCHOR, 5.0)))
        assert measured.sentences[0].mean == pytest.approx(0.75)

    def test_the_weakest_is_the_least_near_of_the_words_that_tell_something(self) -> None:
        asked = ask_for((ANCHOR, 6.0), (BREAD, 5.0), (CLOUD, 1.0))
        (sentence,) = measure(read([], [ANCHOR, BREAD]), asked).sentences
        assert sentence.weakest == pytest.approx(1.0)  # CLOUD is a word like "do"
        (sentence,) = measure(read([], [ANCHOR, CLOUD]), asked).sentences
        assert sentence.weakest == pytest.approx(0.0, abs=1e-6)

    def test_where_no_word_tells_much_all_of_them_count(self) -> None:
        asked = ask_for((ANCHOR, 1.0), (CLOUD, 1.0))
        (sentence,) = measure(read([], [ANCHOR]), asked).sentences
        assert sentence.weakest == pytest.approx(0.0, abs=1e-6)

    def test_the_heading_stands_above_it_but_is_not_its_own(self) -> None:
        asked = ask_for((ANCHOR, 5.0), (BREAD, 5.0))
        (sentence,) = measure(read([BREAD], [ANCHOR]), asked).sentences
        assert sentence.mean == pytest.approx(0.5)
        assert (sentence.weakest, sentence.window) == pytest.approx((1.0, 1.0))

    def test_its_window_reaches_one_sentence_before_and_one_behind(self) -> None:
        asked = ask_for((ANCHOR, 5.0), (BREAD, 5.0))
        reading = read([], [ANCHOR], [CLOUD], [BREAD], [CLOUD], [CLOUD])
        windows = [sentence.window for sentence in measure(reading, asked).sentences]
        assert windows == pytest.approx([0.5, 1.0, 0.5, 0.5, 0.0], abs=1e-6)

    def test_one_without_words_is_far_from_everything(self) -> None:
        reading = read([], [ANCHOR], [])
        assert measure(reading, ask_for((ANCHOR, 5.0))).sentences[1].mean == 0.0


class TestAPassage:
    def test_each_word_may_be_near_to_another_part_of_it(self) -> None:
        asked = ask_for((ANCHOR, 4.0), (BREAD, 4.0), (CLOUD, 4.0))
        measured = measure(read([BREAD], [ANCHOR], [CLOUD]), asked)
        assert (measured.mean, measured.weakest) == pytest.approx((1.0, 1.0))
        assert measured.nearest_sentence == pytest.approx(1 / 3)
        assert measured.nearest_window == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("reading", "asked"),
        [
            (read([], [ANCHOR], [BREAD]), NO_WORDS),
            (read([], [], []), ask_for((ANCHOR, 5.0))),
        ],
        ids=["nothing asked", "nothing read"],
    )
    def test_where_nothing_can_be_compared_every_sentence_is_there_and_far(
        self, reading: CloseReading, asked: AskedWords
    ) -> None:
        measured = measure(reading, asked)
        assert [sentence.mean for sentence in measured.sentences] == [0.0, 0.0]
        assert (measured.mean, measured.nearest_window) == (0.0, 0.0)

    def test_one_that_was_not_read_has_no_sentences(self) -> None:
        assert measure(None, ask_for((ANCHOR, 5.0))).sentences == ()


def test_what_stands_beside_others_is_measured_as_alone() -> None:
    asked = ask_for((ANCHOR, 6.0), (BREAD, 2.0))
    readings = [
        read([BREAD], [ANCHOR], [CLOUD]),
        None,
        read([], [], []),
        read([], [BREAD], [], [NEARLY_ANCHOR]),
        read([CLOUD]),
    ]
    alone = [measure(reading, asked) for reading in readings]
    together = measure_closeness(readings, asked)
    assert [len(one.sentences) for one in together] == [2, 0, 2, 3, 0]
    for one, other in zip(together, alone, strict=True):
        assert (one.mean, one.weakest) == pytest.approx((other.mean, other.weakest))
        assert np.array(one.sentences) == pytest.approx(np.array(other.sentences))


class TestTheQuestionsWords:
    """`read_as` stands for the model: pieces of words, with where they stand."""

    def read_as(self, *pieces: tuple[Word, tuple[int, int]]) -> ReadQuestion:
        tokens = np.array([vector for vector, _ in pieces], np.float32).reshape(-1, 8)
        return ReadQuestion(np.zeros(8, np.float32), tokens, tuple(span for _, span in pieces))

    def test_those_that_ask_or_join_are_left_out(self) -> None:
        text = "What is the anchor?"
        read = self.read_as((CLOUD, (0, 4)), (CLOUD, (5, 7)), (CLOUD, (8, 11)), (ANCHOR, (12, 18)))
        words = asked_words(text, "en", read)
        assert lengths_and_directions(words) == (1, [1.0], [ANCHOR])

    def test_one_of_several_pieces_is_their_mean(self) -> None:
        read = self.read_as((ANCHOR, (0, 3)), (BREAD, (3, 6)))
        (vector,) = asked_words("anchor", "en", read).vectors
        assert vector == pytest.approx([0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0])

    def test_the_space_before_a_word_is_its_own(self) -> None:
        """As tokenizers of SentencePiece have it."""
        read = self.read_as((ANCHOR, (0, 6)), (BREAD, (6, 12)))
        words = asked_words("anchor bread", "en", read)
        assert lengths_and_directions(words) == (2, [1.0, 1.0], [ANCHOR, BREAD])

    def test_one_behind_the_end_of_what_the_model_reads_is_left_out(self) -> None:
        words = asked_words("anchor bread", "en", self.read_as((ANCHOR, (0, 6))))
        assert lengths_and_directions(words) == (1, [1.0], [ANCHOR])

    def test_rare_ones_weigh_more(self) -> None:
        read = self.read_as((ANCHOR, (0, 6)), (BREAD, (7, 10)))
        anchor, day = asked_words("anchor day", "en", read).weights
        assert anchor > day > 0

    @pytest.mark.parametrize("text", ["", "?", "what is the"])
    def test_where_none_counts_nothing_is_compared(self, text: str) -> None:
        assert asked_words(text, "en", self.read_as((CLOUD, (0, 4)))) is NO_WORDS


def lengths_and_directions(words: AskedWords) -> tuple[int, list[float], list[Word]]:
    lengths = np.linalg.norm(words.vectors, axis=1).round(5).tolist()
    return len(words.weights), lengths, np.sign(words.vectors).astype(int).tolist()


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Is there a guarantee?", "The warranty lasts two years.", "The boat sails at eight."),
        ("¿Hay garantía?", "The warranty lasts two years.", "The boat sails at eight."),
        ("Is there a warranty?", "La garantía es de dos años.", "El barco sale a las ocho."),
    ],
)
def test_a_synonym_and_the_other_language_are_nearer_than_another_subject(
    tenant, question, near, far
):
    index_texts(tenant, near, far)
    _, chunks = retrieve_chunks(tenant, read_question(read_message(question)), top_k=2)
    closeness = {chunk.text: chunk.closeness.mean for chunk in chunks}
    assert closeness[near] > closeness[far]
