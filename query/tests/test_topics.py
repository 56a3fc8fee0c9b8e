"""What can be asked about, as people would name it."""

from typing import Any

import pytest

from accounts.models import Tenant
from language.words import Language
from query.answering.topics import choose, list_topics, readable
from query.tests.factories import index_texts
from query.understanding.inquiries import Inquiry


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("opening_hours_2025_v2.pdf", "opening hours"),
        ("lista-de-precios.xlsx", "lista de precios"),
        ("PriceList2025.xlsx", "Price List"),
        ("manual_usuario_ES_final.pdf", "manual usuario"),
        ("contrato v3.1 (copia).docx", "contrato"),
        ("Tarifas 2026", "Tarifas"),
        ("1. Ámbito y definiciones", "ámbito y definiciones"),
        ("HOW TO FIND US", "how to find us"),
        ("Condiciones de venta de Acme Faros", "condiciones de venta"),
        ("Envíos | Acme Faros", "Envíos"),
        ("Bakery", "Bakery"),
    ],
)
def test_a_name_is_made_readable(name: str, topic: str) -> None:
    assert readable(name, "Acme Faros") == topic


@pytest.mark.parametrize(
    "name",
    [
        "IMG_2034.jpg",
        "documento1.docx",
        "doc_final_v2.docx",
        "WhatsApp Image 2025-03-04 at 10.22.11.jpeg",
        "RC-2025-118.pdf",
        "faq.md",
        "ACME FAROS",
        "acme.example",
        "www.acme.example/envios",
        "¿Cuánto cuesta el envío?",
        "Preguntas frecuentes de Acme Faros",
        "All that we have written down on lighthouses in forty years of keeping them",
    ],
)
def test_what_names_only_a_file_or_asks_is_no_topic(name: str) -> None:
    assert readable(name, "Acme Faros") == ""


def test_each_source_has_one_before_any_has_two() -> None:
    assert choose([["a", "b", "c"], [], ["A", "d"], ["e"]]) == ["a", "e", "b", "d", "c"]


def topics(tenant: Tenant, language: Language) -> list[str]:
    return list_topics(Inquiry(tenant, "?"), language)


def test_topics_are_of_the_questions_language(tenant: Tenant) -> None:
    index_texts(tenant, "The tower opens at ten.", name="opening_hours.txt")
    index_texts(tenant, "El faro abre a las diez.", name="horarios_2026.txt")

    assert topics(tenant, "en") == ["opening hours"]
    assert topics(tenant, "es") == ["horarios"]


def test_a_heading_names_what_its_files_name_does_not(tenant: Tenant) -> None:
    index_texts(
        tenant,
        "Enviamos en dos días.",
        name="doc_0001.pdf",
        section_title="Preguntas frecuentes > Envíos a domicilio",
    )
    index_texts(tenant, "Nothing is known.", name="scan_12.pdf")

    assert topics(tenant, "es") == ["envíos a domicilio"]
    assert topics(tenant, "en") == []


def test_at_most_five_topics_are_named_in_four_queries(
    tenant: Tenant, django_assert_num_queries: Any
) -> None:
    for name in ("Boats", "Buoys", "Nets", "Ropes", "Lamps", "Anchors", "Sails"):
        index_texts(tenant, "We sell them.", name=name)

    with django_assert_num_queries(3):  # and one for an agent's scope
        assert topics(tenant, "en") == ["Boats", "Buoys", "Nets", "Ropes", "Lamps"]


def test_another_tenants_topics_are_its_own(tenant: Tenant, other_tenant: Tenant) -> None:
    index_texts(other_tenant, "Secret.", name="Merger plans", section_title="Merger details")

    assert topics(tenant, "en") == []
