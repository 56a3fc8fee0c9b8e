"""Hybrid search: the right passage first, in both languages, of one tenant only, in one query."""

import pytest

from query.retrieval import CANDIDATES_PER_SEARCH, fuse, read_question, retrieve_chunks
from query.tests.factories import FARO, LIGHTHOUSE, index_texts
from sources.language.terms import idf, passage_weights, question_terms


def best(tenant, text, **options):
    return retrieve_chunks(tenant, read_question(text), top_k=5, **options)


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


class TestFusion:
    row = {
        "source_id": None,
        "external_id": "f",
        "title": "t",
        "text": "x",
        "location": "",
        "section_title": "",
        "level": "paragraph",
        "language": "en",
        "synced_at": None,
    }

    def order(self, *scores):
        rows = [
            {**self.row, "chunk_id": number, "cosine": cosine, "lexical": lexical}
            for number, (cosine, lexical) in enumerate(scores)
        ]
        return [(chunk.chunk_id, round(chunk.score, 2)) for chunk in fuse(rows)]

    def test_both_scores_count_as_shares_of_the_best(self):
        assert self.order((0.4, 10.0), (0.8, 5.0)) == [(0, 0.8), (1, 0.7)]

    def test_without_lexical_hits_the_cosine_orders(self):
        assert self.order((0.2, 0.0), (0.4, 0.0)) == [(1, 0.4), (0, 0.2)]

    def test_equal_scores_keep_a_stable_order(self):
        assert self.order((0.5, 1.0), (0.5, 1.0)) == [(0, 1.0), (1, 1.0)]

    def test_a_negative_cosine_counts_nothing_and_is_shown_as_0(self):
        assert self.order((-0.1, 0.0)) == [(0, 0.0)]

    def test_no_candidates_no_chunks(self):
        assert fuse([]) == []


def test_no_more_candidates_than_asked(tenant):
    index_texts(tenant, *[f"Boat number {number} sails." for number in range(80)])
    found = retrieve_chunks(tenant, read_question("Which boat sails?"), top_k=1000)
    assert CANDIDATES_PER_SEARCH <= len(found) <= 2 * CANDIDATES_PER_SEARCH
