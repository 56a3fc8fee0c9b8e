"""The order of the best candidates: a weighted mean of six shares, 0 … 1."""

import pytest

from query.calibration import Ordering
from query.matching import Match
from query.ordering import (
    CANDIDATES_ORDERED,
    LONG_PASSAGE_WORDS,
    Evidence,
    evidence_of,
    gather_evidence,
    order_chunks,
    weigh,
)
from query.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts, make_chunk, make_question

SIMILARITY_ALONE = Ordering(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
SENTENCE_ALONE = Ordering(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def test_cosine_and_bm25_are_shares_of_the_best_candidates():
    chunks = [make_chunk(similarity=0.2, lexical=3.0), make_chunk(similarity=0.8, lexical=12.0)]
    first, second = gather_evidence(chunks, chunks)
    assert (first.similarity, first.lexical) == (0.25, 0.25)
    assert (second.similarity, second.lexical) == (1.0, 1.0)


def test_the_length_is_a_logarithm_that_ends_at_1():
    lengths = [
        evidence_of(Match(words=words), similarity=0, lexical=0).length
        for words in (0, 20, LONG_PASSAGE_WORDS, 5000)
    ]
    assert lengths == [0.0, pytest.approx(0.508, abs=0.001), 1.0, 1.0]


def test_the_score_is_the_weighted_mean():
    evidence = Evidence(1.0, 0.5, 0.0, 0.0, 1.0, 0.0)
    assert weigh(evidence, Ordering(0.5, 0.2, 0.1, 0.1, 0.1, 0.0)) == pytest.approx(0.7)


def test_the_best_by_the_weights_is_first_and_has_their_score():
    near = make_chunk(chunk_id=1, similarity=0.9, text="Boats rest here.")
    telling = make_chunk(chunk_id=2, similarity=0.3, text="A winter berth costs 90 euros.")
    question = make_question("winter berth")
    assert ids(order_chunks(question, [near, telling], SENTENCE_ALONE)) == [(2, 1.0), (1, 0.0)]
    assert ids(order_chunks(question, [telling, near], SIMILARITY_ALONE)) == [
        (1, 1.0),
        (2, pytest.approx(1 / 3)),
    ]


def test_equal_scores_are_ordered_by_id():
    chunks = [make_chunk(chunk_id=2), make_chunk(chunk_id=1)]
    assert ids(order_chunks(make_question("boats"), chunks, SIMILARITY_ALONE)) == [(1, 1), (2, 1)]


def test_what_is_behind_the_first_candidates_stays_behind_in_its_order():
    chunks = [
        make_chunk(chunk_id=number, similarity=0.5, score=1 - number / 20)
        for number in range(CANDIDATES_ORDERED + 2)
    ]
    ordered = order_chunks(make_question("boats"), chunks, SIMILARITY_ALONE)
    assert [chunk.chunk_id for chunk in ordered[-2:]] == [10, 11]
    assert [chunk.score for chunk in ordered[-2:]] == [1.0, pytest.approx(0.45 / 0.5)]
    assert ordered[-1].match is None


def test_no_candidates_no_order():
    assert order_chunks(make_question("boats"), [], SIMILARITY_ALONE) == []


def ids(chunks):
    return [(chunk.chunk_id, chunk.score) for chunk in chunks]


# Invented: several passages share the question's words, one says it.
HARBOUR = (
    "In winter the harbour is quiet. The office closes at three.",
    "A berth for the winter costs 90 euros a month, electricity included.",
    "Boats may leave their berth at any hour. The harbour master lives in town.",
    "The winter festival brings music to the harbour, and 90 stalls.",
    "Electricity and water are at each pontoon. Bring a cable of your own.",
)
PUERTO = (
    "En invierno el puerto está tranquilo. La oficina cierra a las tres.",
    "Un amarre para el invierno cuesta 90 euros al mes, con electricidad.",
    "Los barcos pueden dejar su amarre a cualquier hora. El capitán del puerto vive en la villa.",
    "El festival de invierno trae música al puerto, y 90 puestos.",
    "Hay electricidad y agua en cada pantalán. Trae tu propio cable.",
)


@pytest.mark.parametrize("passages", [HARBOUR, PUERTO], ids=["English text", "Spanish text"])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much does a berth cost in winter?", 1),
        ("When does the harbour office close in winter?", 0),
        ("Where is there electricity and water?", 4),
        ("¿Cuánto cuesta un amarre en invierno?", 1),
        ("¿A qué hora cierra la oficina del puerto en invierno?", 0),
        ("¿Qué trae el festival de invierno?", 3),
    ],
)
def test_among_passages_with_the_same_words_the_one_that_says_it_is_first(
    tenant, passages, question, expected
):
    index_texts(tenant, *passages)
    found = retrieve_chunks(tenant, read_question(question), top_k=5)
    assert found[0].text == passages[expected]
    assert all(0 <= chunk.score <= 1 for chunk in found)
