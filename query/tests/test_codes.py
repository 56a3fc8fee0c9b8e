"""Codes that are asked for in another spelling than the sources have them in."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest

from accounts.models import Tenant
from language.codes import respell_codes
from language.message import read_message
from language.terms import term_number
from language.tests.processor_time import processor_seconds
from language.words import tokenize
from query.models import Outcome
from query.tests.factories import ask, index_texts
from query.understanding.spelling import correct_question

SPARES = (
    "The drive belt of the Brisa mower is TX-3310-D and costs 24 EUR.",
    "The drive belt of the Calma mower is TX-3340-F and costs 31 EUR.",
    "The spark plug of the Brisa mower is RU-3310-D and costs 9 EUR.",
    "The fuel cap of the Calma mower is GM704K and costs 7 EUR.",
    "The blade of the Brisa mower is QZ 58 and costs 40 EUR.",
    "The collecting bag of the Calma mower is MV_91_XL and costs 55 EUR.",
)
RECAMBIOS = (
    "La correa del cortacésped Brisa es la TX-3310-D y cuesta 24 €.",
    "La correa del cortacésped Calma es la TX-3340-F y cuesta 31 €.",
    "La bujía del cortacésped Brisa es la RU-3310-D y cuesta 9 €.",
    "El tapón del cortacésped Calma es el GM704K y cuesta 7 €.",
    "La cuchilla del cortacésped Brisa es la QZ 58 y cuesta 40 €.",
    "La bolsa del cortacésped Calma es la MV_91_XL y cuesta 55 €.",
)
SPELT = [
    ("tx3310d", "24"),
    ("TX 3310 D", "24"),
    ("tx-3310d", "24"),
    ("TX.3310.D", "24"),
    ("TX–3340–F", "31"),
    ("ru3310d", "9"),
    ("GM-704-K", "7"),
    ("gm 704k", "7"),
    ("qz58", "40"),
    ("QZ-58", "40"),
    ("mv-91-xl", "55"),
    ("MV91XL", "55"),
]


@pytest.mark.parametrize(("code", "price"), SPELT)
def test_a_code_is_found_however_its_parts_are_joined(
    tenant: Tenant, code: str, price: str
) -> None:
    index_texts(tenant, *SPARES)

    answer = ask(tenant, f"How much does {code} cost?")

    assert answer.outcome == Outcome.ANSWERED
    assert f"costs {price} EUR" in answer.text
    assert answer.text.count("EUR") == 1


@pytest.mark.parametrize(("code", "price"), SPELT)
def test_a_code_is_found_in_spanish_too(tenant: Tenant, code: str, price: str) -> None:
    index_texts(tenant, *RECAMBIOS)

    answer = ask(tenant, f"¿Cuánto cuesta la pieza {code}?")

    assert f"cuesta {price} €" in answer.text
    assert answer.text.count("€") == 1


def respelt(text: str, *passages: str, apart: bool = False) -> str:
    held = {term_number(f"={word}") for passage in passages for word in tokenize(passage)}
    return respell_codes(
        text, lambda terms: {term: 1 for term in terms if term in held}, lambda pattern: apart
    )


@pytest.mark.parametrize(
    ("text", "passage", "meant"),
    [
        ("precio de tx3310d?", "TX-3310-D", "precio de tx-3310-d?"),
        ("tx3310d", "TX3310-D", "tx3310d"),  # is indexed as one word too
        ("mxabc12", "MX-ABC-12", "mx-abc-12"),
        ("2041of3", "ref. 2041-OF-3", "2041of3"),
        ("JB 02 or KL 7", "JB-02, KL7", "jb-02 or kl7"),
        # What the sources hold as it is typed, and what they do not hold at all
        ("OF-2041-B", "OF-2041-B, of2041b", "OF-2041-B"),
        ("of2042b", "OF-2041-B", "of2042b"),
        # Words beside figures
        ("de 2 a 4 personas", "folios A4", "de 2 a 4 personas"),
        ("¿abrís a las 10 o a 12?", "A-12 y las-10", "¿abrís a las 10 o a 12?"),
        ("24h, 10 kg, 3/12/2027", "24-h, 10-kg, 3-12-2027", "24h, 10 kg, 3/12/2027"),
    ],
)
def test_what_is_searched_is_the_code_as_it_is_written(text: str, passage: str, meant: str) -> None:
    assert respelt(text, passage) == meant


def test_parts_that_stand_apart_are_a_code_only_where_a_passage_has_them_in_a_row() -> None:
    passages = "QZ 40, page 58"

    assert respelt("qz58", passages) == "qz58"
    assert respelt("qz58", passages, apart=True) == "qz 58"


def corrected_in(tenant: Tenant, text: str, source_ids: Sequence[uuid.UUID] | None) -> str:
    return correct_question(tenant, read_message(text), source_ids).text


def test_only_what_is_searched_is_looked_at(
    tenant: Tenant, other_tenant: Tenant, django_assert_num_queries: Any
) -> None:
    spares = index_texts(tenant, *SPARES)
    notes = index_texts(tenant, "We open at nine.", name="hours.txt")

    with django_assert_num_queries(1):
        assert corrected_in(tenant, "price of tx3310d", None) == "price of tx-3310-d"
    with django_assert_num_queries(2):
        assert corrected_in(tenant, "price of qz58", [spares.pk]) == "price of qz 58"
    assert corrected_in(tenant, "price of tx3310d", [notes.pk]) == "price of tx3310d"
    assert corrected_in(tenant, "price of qz58", [notes.pk]) == "price of qz58"
    assert corrected_in(other_tenant, "price of qz58", None) == "price of qz58"
    with django_assert_num_queries(0):
        corrected_in(tenant, "do you open at 10 for 2 people?", None)


def test_a_long_message_of_codes_takes_no_longer_than_its_length() -> None:
    texts = ("a1" * 5_000, "ab-1 " * 2_000, "x 1 " * 2_500, "1-" * 5_000)

    assert processor_seconds(lambda: [respelt(text) for text in texts]) < 1


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("what is tx3340f?", "The drive belt of the Calma mower is TX-3340-F"),
        ("which mower needs ru3310d", "The spark plug of the Brisa mower is RU-3310-D"),
        ("gm-704k?", "The fuel cap of the Calma mower is GM704K"),
        ("is qz58 the blade of the Brisa?", "The blade of the Brisa mower is QZ 58"),
    ],
)
def test_one_code_among_several_in_a_passage_is_told(
    tenant: Tenant, question: str, told: str
) -> None:
    index_texts(tenant, " ".join(SPARES))

    answer = ask(tenant, question)

    assert told in answer.text
    assert "I found nothing" not in answer.text
