"""Whose address, number and name stands in a message."""

import pytest

from query.leads.contacts import Contact, read_contact

ES, EN = ("ES",), ("GB", "US")


@pytest.mark.parametrize(
    "text",
    [
        "eva@example.org",
        "Mi correo es eva@example.org.",
        "eva@example.org, gracias",
        "Me llamo Eva, eva@example.org",
        "escríbeme a (eva@example.org)",
        "<eva@example.org>",
        "eva@Example.ORG",
        "eva arroba example punto org",
        "eva [at] example [dot] org",
        "eva at example dot org",
        "eva@example.org.Gracias por todo",
        "ｅｖａ＠ｅｘａｍｐｌｅ．ｏｒｇ",  # full-width letters
    ],
)
def test_an_email_address_is_read(text):
    assert read_contact(text, ES).email == "eva@example.org"


def test_a_question_mark_in_a_web_address_makes_no_question():
    text = "I want this one, mail me: eva@example.org https://example.org/?id=1"
    assert read_contact(text, EN).email == "eva@example.org"


@pytest.mark.parametrize(
    "text",
    [
        "trabajo en example.com",
        "I work at example.com",
        "@eva",
        "eva@localhost",
        "eva@@example.org",
        "joséluis@example.org",
        f"{'a' * 65}@example.org",
        f"eva@{'a' * 63}.{'b' * 63}.{'c' * 63}.{'d' * 63}.org",
        "https://example.org/?to=eva@example.org",
    ],
)
def test_what_is_no_email_address_is_not(text):
    assert read_contact(text, ES).email == ""


@pytest.mark.parametrize(
    ("text", "regions", "phone"),
    [
        ("612 345 678", ES, "+34612345678"),
        ("mi móvil: 612-34-56-78", ES, "+34612345678"),
        ("(+34) 612.345.678", EN, "+34612345678"),
        ("+44 20 7946 0958", ES, "+442079460958"),
        ("55 1234 5678", ("MX",), "+525512345678"),
        ("020 7946 0958", EN, "+442079460958"),
        ("call me on 212-555-0123", EN, "+12125550123"),
    ],
)
def test_a_phone_number_is_read_as_its_country_writes_it(text, regions, phone):
    assert read_contact(text, regions).phone == phone


@pytest.mark.parametrize(
    "text",
    [
        "pedido 612345678",
        "el pedido nº 612 345 678",
        "my order number is 612345678",
        "cuesta 612 345 678 euros",
        "€612345678",
        "el 12/04/2026 a las 17:30",
        "ES91 2100 0418 4502 0005 1332",
        "4111 1111 1111 1111",
        "08024 Barcelona",
        "12345",
    ],
)
def test_what_is_no_phone_number_is_not(text):
    assert read_contact(text, ES).phone == ""


@pytest.mark.parametrize(
    "text",
    [
        "El correo de vuestra tienda es info@example.com",
        "¿Es info@example.com?",
        "Escribid a mi jefe, jefe@example.com",
        "Ayer escribí a info@example.com",
        "Your address is info@example.com, right?",
        "Write to my boss at boss@example.com",
        "¿Es este vuestro teléfono, 912 345 678?",
        "He llamado al 912 345 678",
        "El 900 123 456 no responde",
        "My dentist, dentist@example.com, told me so",
        "¿Puedo escribir a info@example.com?",
        "Me llamó vuestro comercial desde el 912 345 678",
    ],
)
def test_other_peoples_contact_data_is_left_alone(text):
    assert read_contact(text, ES) == Contact()


@pytest.mark.parametrize(
    "text",
    [
        "Escribí a info@example.com y nadie contesta. El mío es eva@example.org",
        "Mi correo es eva@example.org, el de mi jefe es jefe@example.com",
        "Your colleague wrote from info@example.com; my e-mail is eva@example.org",
    ],
)
def test_the_writers_own_is_told_from_others(text):
    assert read_contact(text, ES).email == "eva@example.org"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Soy Eva, eva@example.org", "Eva"),
        ("me llamo eva, eva@example.org", "eva"),
        ("My name is Eva O'Neill and my e-mail is eva@example.org", "Eva O'Neill"),
        ("I'm Eva Soto-Díaz. eva@example.org", "Eva Soto-Díaz"),
        ("Eva de la Torre, eva@example.org", "Eva de la Torre"),
        ("eva@example.org. Un saludo, Eva", "Eva"),
        ("eva@example.org", ""),
        ("Gracias, eva@example.org", ""),
        ("I'm interested, eva@example.org", ""),
        ("I'm Spanish, eva@example.org", ""),
        ("Soy de Soria, eva@example.org", ""),
        ("Soy https://example.org, eva@example.org", ""),
        (f"Soy E{'v' * 70}, eva@example.org", ""),
    ],
)
def test_a_name_is_read_where_it_is_sure(text, name):
    assert read_contact(text, ES).name == name


@pytest.mark.parametrize(
    ("text", "is_all"),
    [
        ("Hola, soy Eva y mi correo es eva@example.org, gracias", True),
        ("Sure, my e-mail is eva@example.org. Thanks!", True),
        ("Soy Eva", True),
        ("Mi correo es eva@example.org, ¿hacéis envíos a Melilla?", False),
        ("eva@example.org and tell me when you open", False),
        ("Gracias", False),
    ],
)
def test_contact_data_and_politeness_are_told_from_a_question(text, is_all):
    assert read_contact(text, ES).is_all is is_all


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("soy ana, ana@example.org", "ana"),
        ("i'm eva: eva.soto@example.org", "eva"),
        ("soy fontanero, luis@example.org", ""),
        ("soy ana, eva@example.org", ""),
    ],
)
def test_a_small_name_counts_where_its_address_says_it_too(text, name):
    assert read_contact(text, ES).name == name
