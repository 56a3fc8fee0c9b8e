"""Hybrid search: the right passage first, in both languages, of one tenant only, in one query."""

import json

import numpy as np
import pytest
from django.db import ProgrammingError, connection

from config.database.acting import as_migrations
from language import TERM_DIMENSIONS
from language.message import read_message
from language.terms import idf, passage_weights, question_terms
from query.search.retrieval import (
    CANDIDATES_PER_LANGUAGE,
    FUNCTION,
    find_candidates,
    halves_text,
    read_question,
    retrieve_chunks,
)
from query.tests.factories import FARO, LIGHTHOUSE, index_texts, judging_by
from reading.passages import ChunkLevel
from sources.embedding.embedder import forget_active_space
from sources.models import ChunkEmbedding, ChunkReading, EmbeddingSpace


def best(tenant, text, **options):
    _, chunks = retrieve_chunks(tenant, read_question(read_message(text)), top_k=5, **options)
    return chunks


@pytest.mark.parametrize("passages", [LIGHTHOUSE, FARO], ids=["English text", "Spanish text"])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When does the lighthouse open?", 0),
        ("How much is a guided visit?", 1),
        ("Who lives in the tower?", 2),
        ("¿Qué días abre el faro?", 0),
        ("¿Cuánto cuesta la visita guiada?", 1),
        ("¿Quién vive en la torre?", 2),
    ],
)
def test_the_passage_that_answers_is_first_whatever_the_languages(
    tenant, passages, question, expected
):
    index_texts(tenant, *passages)
    assert best(tenant, question)[0].text == passages[expected]


def test_an_exact_code_is_found_among_similar_ones(tenant):
    rows = [f"SKU: KX-{number}; Item: buoy; Price: {number - 900}" for number in range(1000, 1040)]
    index_texts(tenant, *rows)
    assert best(tenant, "price of KX-1027")[0].text == "SKU: KX-1027; Item: buoy; Price: 127"


def test_only_the_tenants_own_passages_are_found(tenant, other_tenant):
    index_texts(other_tenant, *LIGHTHOUSE)
    assert best(tenant, "When does the lighthouse open?") == []
    index_texts(tenant, "Bread is baked at night.")
    assert [chunk.text for chunk in best(tenant, "When does the lighthouse open?")] == [
        "Bread is baked at night."
    ]


def test_a_scope_leaves_other_sources_out(tenant):
    lighthouse = index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")
    bakery = index_texts(tenant, "The bakery opens at six.", name="bakery.txt")
    question = "When does it open?"
    assert {chunk.source_id for chunk in best(tenant, question, source_ids=[bakery.pk])} == {
        bakery.pk
    }
    assert {chunk.source_id for chunk in best(tenant, question, source_ids=[lighthouse.pk])} == {
        lighthouse.pk
    }
    assert best(tenant, question, source_ids=[]) == []


def test_another_tenants_source_in_the_scope_finds_nothing(tenant, other_tenant):
    foreign = index_texts(other_tenant, *LIGHTHOUSE)
    assert best(tenant, "When does the lighthouse open?", source_ids=[foreign.pk]) == []


def test_a_question_costs_one_query(tenant, django_assert_num_queries):
    index_texts(tenant, *LIGHTHOUSE)
    with django_assert_num_queries(1):
        best(tenant, "When does the lighthouse open?")


def test_a_long_passage_is_found_once(tenant):
    index_texts(tenant, " ".join([*LIGHTHOUSE] * 20))
    assert len(best(tenant, "When does the lighthouse open?")) == 1


def test_a_question_without_any_known_word_is_answered_by_meaning_alone(tenant):
    index_texts(tenant, *LIGHTHOUSE)
    found = best(tenant, "xqzt")
    assert len(found) == 3
    assert all(chunk.lexical == 0 for chunk in found)


def test_similarity_is_the_cosine_cut_to_0_and_1(tenant):
    index_texts(tenant, LIGHTHOUSE[0])
    (same,) = best(tenant, LIGHTHOUSE[0])
    assert same.similarity == pytest.approx(1.0, abs=0.01)
    (far,) = best(tenant, "xqzt")
    assert 0.0 <= far.similarity < 0.3


def test_a_source_that_synced_again_is_dated_by_its_last_sync(tenant):
    source = index_texts(tenant, LIGHTHOUSE[0])
    assert best(tenant, "lighthouse")[0].synced_at == source.last_synced_at


@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE sources_chunk; --",
        "%s %(tenant)s {}",
        "\\",
        "🐙" * 300,
        "a" * 1000,
        "?",
        "\u202e",
    ],
)
def test_hostile_text_is_only_text(tenant, text):
    index_texts(tenant, *LIGHTHOUSE)
    assert len(best(tenant, text)) == 3


def test_the_lexical_score_is_bm25_with_the_scopes_own_idf(tenant, other_tenant):
    index_texts(tenant, "A warranty lasts long.", "The harbour crane lifts boats.", "Bread, warm.")
    index_texts(other_tenant, *["Another warranty and another crane."] * 9)
    weights = passage_weights("The harbour crane lifts boats.", "en")
    asked = question_terms("Which crane lifts?", "en")
    expected = sum(
        idf(passages=3, with_term=1) * weights[term] for term in asked if term in weights
    )
    (found,) = [chunk for chunk in best(tenant, "Which crane lifts?") if chunk.lexical]
    assert found.text == "The harbour crane lifts boats."
    assert found.lexical == pytest.approx(expected, rel=1e-4)


# --- What is found in each language ---------------------------------------------------------------


class TestCandidates:
    def find(self, tenant, text):
        _, chunks = find_candidates(tenant, read_question(read_message(text)))
        return chunks

    def test_there_are_as_many_of_each_language(self, tenant):
        """However well the passages in the question's own language fit."""
        index_texts(tenant, *[f"Boat number {number} sails at noon." for number in range(40)])
        index_texts(tenant, *[f"El tren número {number} llega tarde." for number in range(40)])
        languages = [chunk.language for chunk in self.find(tenant, "Which boat sails at noon?")]
        assert languages.count("en") == languages.count("es") == CANDIDATES_PER_LANGUAGE

    def test_of_one_language_there_are_no_more_though_all_fit(self, tenant):
        index_texts(tenant, *[f"Boat number {number} sails." for number in range(80)])
        question, found = retrieve_chunks(
            tenant, read_question(read_message("Which boat sails?")), top_k=1000
        )
        assert len(found) == CANDIDATES_PER_LANGUAGE
        assert question.text == "Which boat sails?"

    def test_the_score_adds_half_of_each_share_of_the_best_in_its_language(self, tenant):
        index_texts(tenant, *LIGHTHOUSE, *FARO)
        candidates = self.find(tenant, "How much is a guided visit?")
        assert [chunk.score for chunk in candidates] == pytest.approx(
            [fused(chunk, candidates) for chunk in candidates], abs=1e-3
        )
        best_spanish = max(chunk.score for chunk in candidates if chunk.language == "es")
        assert best_spanish == pytest.approx(1.0, abs=1e-3)

    def test_each_knows_the_level_of_its_languages_cosines(self, tenant):
        source = index_texts(tenant, *LIGHTHOUSE)
        index_texts(tenant, *FARO)
        question = read_question(read_message("When does the lighthouse open?"))
        rows = ChunkEmbedding.objects.for_tenant(tenant).filter(source_id=source.pk)
        cosines = [float(np.dot(row.embedding, question.vector)) for row in rows]
        english = [chunk for chunk in self.find(tenant, question.text) if chunk.language == "en"]
        assert {chunk.neighbours for chunk in english} == {3}
        assert english[0].mean == pytest.approx(np.mean(cosines), abs=1e-3)
        assert english[0].deviation == pytest.approx(np.std(cosines), abs=1e-3)

    def test_the_calibration_orders_them(self, tenant):
        index_texts(tenant, "A guided visit.", "The visit, guided or not, " + "is a visit. " * 30)
        for weight, length in ((1.0, 300), (-1.0, 16)):
            with judging_by(ordering={"length": weight}):
                assert len(best(tenant, "guided visit")[0].text) == pytest.approx(length, rel=0.5)


def fused(chunk, candidates):
    alike = [other for other in candidates if other.language == chunk.language]
    above = max(chunk.similarity - chunk.mean, 0) / max(c.similarity - c.mean for c in alike)
    return 0.5 * above + 0.5 * chunk.lexical / (max(c.lexical for c in alike) or 1.0)


# --- What the model made of them ------------------------------------------------------------------


class TestReadings:
    text = "The tower is old. A visit costs 7 euros. Bring water."

    def test_the_sentences_are_those_that_were_told_apart_when_it_was_indexed(self, tenant):
        index_texts(tenant, self.text)
        (found,) = best(tenant, "How much is a visit?")
        assert found.sentences == (
            "The tower is old.",
            "A visit costs 7 euros.",
            "Bring water.",
        )
        means = [sentence.mean for sentence in found.closeness.sentences]
        assert max(means) == means[1] == found.closeness.nearest_sentence

    def test_a_table_row_is_one_sentence(self, tenant):
        index_texts(tenant, "Berth: 12. Season: winter", level=ChunkLevel.ROW)
        assert best(tenant, "winter berth")[0].sentences == ("Berth: 12. Season: winter",)

    def test_without_one_a_passage_is_found_by_its_vector_and_its_words(self, tenant):
        """A database from before 0.1 may have such passages, until `bin/manage reembed`."""
        index_texts(tenant, self.text)
        ChunkReading.objects.for_tenant(tenant).delete()
        (found,) = best(tenant, "How much is a visit?")
        assert (found.text, found.sentences, found.closeness.sentences) == (
            self.text,
            (self.text,),
            (),
        )


class TestAnotherSpace:
    """Another process has swapped the embedding model: here, by hand, to one of the same model."""

    @pytest.fixture
    def swapped(self, tenant):
        index_texts(tenant, *LIGHTHOUSE)
        question = read_question(read_message("How much is a guided visit?"))
        old = EmbeddingSpace.objects.get(is_active=True)
        name = old.model
        EmbeddingSpace.objects.filter(pk=old.pk).update(is_active=False, model="another")
        new = EmbeddingSpace.objects.create(
            pk=old.pk + 1, model=name, dimension=old.dimension, is_active=True
        )
        for rows in (ChunkEmbedding, ChunkReading):
            rows.objects.for_tenant(tenant).update(space=new.pk)
        yield question, new
        forget_active_space()

    def test_a_question_of_the_old_one_is_read_again_and_finds_the_same(self, tenant, swapped):
        question, new = swapped
        read_again, chunks = retrieve_chunks(tenant, question, top_k=3)
        assert (question.space, read_again.space) == (new.pk - 1, new.pk)
        assert (read_again.text, read_again.language) == (question.text, question.language)
        assert chunks[0].text == LIGHTHOUSE[1]
        assert chunks[0].closeness.mean > 0

    def test_it_costs_two_queries_more_once(self, tenant, swapped, django_assert_num_queries):
        question, _ = swapped
        with django_assert_num_queries(3):
            retrieve_chunks(tenant, question, top_k=3)
        with django_assert_num_queries(1):
            retrieve_chunks(tenant, read_question(read_message(question.text)), top_k=3)


def test_a_vector_is_sent_as_the_halves_that_are_compared():
    vector = np.random.default_rng(3).normal(0, 0.05, 384).astype(np.float32)

    sent = np.array(json.loads(halves_text(vector)))

    assert (sent.astype(np.float16) == vector.astype(np.float16)).all()
    assert np.abs(sent - vector.astype(np.float16)).max() < 1e-5


class TestTheFunction:
    """search_passages.sql, as `migrate` has installed it."""

    @pytest.mark.django_db
    def test_it_runs_as_its_caller_on_one_snapshot_and_nothing_is_granted(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT prosecdef, provolatile, proacl FROM pg_proc WHERE proname = %s",
                [FUNCTION.name],
            )
            assert cursor.fetchall() == [(False, "s", None)]

    def test_it_writes_vectors_of_terms_with_their_dimensions(self):
        assert f"/{TERM_DIMENSIONS}'" in FUNCTION.content

    def test_code_that_is_newer_than_the_database_says_what_is_missing(self, tenant):
        with as_migrations(), connection.cursor() as cursor:
            cursor.execute(f"DROP FUNCTION {FUNCTION.name}")

        with pytest.raises(ProgrammingError, match=rf"{FUNCTION.name}\(.*\) does not exist"):
            best(tenant, "When does the lighthouse open?")
