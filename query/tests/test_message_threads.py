"""A message that quotes an earlier one is answered from by what it says now."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Tenant
from query.models import Outcome
from query.search.threads import age
from query.tests.factories import ask, index_texts
from reading.extractors.containers.msg import BODY, HTML
from reading.tests.container_files import make_eml, make_msg
from sources.models import Chunk
from sources.services.uploads import ingest_file

HTML_THREAD = (
    "<p>La visita al faro cuesta 11 euros desde mayo.</p><div class=gmail_quote>El lun, 4 ene 2027,"
    " Ana escribió:<blockquote>La visita al faro cuesta 8 euros.</blockquote></div>"
)
OUTLOOK_THREAD = (
    "La visita al faro cuesta 11 euros desde mayo.\n\n-----Mensaje original-----\nDe: Ana\n"
    "Enviado: lunes\nAsunto: Faro\n\nLa visita al faro cuesta 8 euros.\n"
)
SHORT_REPLY = (
    "Desde mayo son 11 euros.\n\n"
    "El 4 ene 2027, Ana escribió:\n> La visita al faro cuesta 8 euros.\n"
)


def ingest(tenant: Tenant, content: bytes, name: str = "faro.eml") -> None:
    ingest_file(tenant, file=SimpleUploadedFile(name, content), filename=name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("faro.eml", make_eml("", subject="Faro", html=HTML_THREAD)),
        ("faro.eml", make_eml(OUTLOOK_THREAD, subject="Faro")),
        ("faro.eml", make_eml(SHORT_REPLY, subject="Precio de la visita al faro")),
        ("faro.msg", make_msg({BODY: ""}, binaries={HTML: HTML_THREAD.encode()})),
        ("faro.msg", make_msg({BODY: OUTLOOK_THREAD})),
    ],
)
def test_a_price_that_the_reply_replaces_is_not_told(tenant: Tenant, name: str, content: bytes):
    ingest(tenant, content, name)

    answer = ask(tenant, "¿Cuánto cuesta la visita al faro?")

    assert "11 euros" in answer.text
    assert "8 euros" not in answer.text
    assert all(word not in answer.text for word in ("From:", "De:", "Asunto", "escribió"))


def test_an_earlier_message_answers_where_the_reply_says_nothing_about_it(tenant: Tenant):
    text = (
        "Gracias, recibido.\n\nEl 4 ene 2027, Ana escribió:\n> La visita al faro cuesta 8 euros.\n"
    )
    ingest(tenant, make_eml(text, subject="Faro"))

    answer = ask(tenant, "¿Cuánto cuesta la visita al faro?")

    assert answer.outcome == Outcome.ANSWERED
    assert answer.text.startswith("La visita al faro cuesta 8 euros.")
    assert "earlier message 1" in [source.location for source in answer.sources]


@pytest.mark.parametrize("question", ["Who is Luis Gil?", "When was the offer 2041 sent?"])
def test_the_headers_are_not_told(tenant: Tenant, question: str):
    ingest(tenant, make_eml("The offer is valid until Friday.", subject="Offer 2041"))

    answer = ask(tenant, question)

    assert "luis@example.com" not in answer.text
    assert "23 Nov 2026" not in answer.text


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("earlier message 1", 1),
        ("earlier message 50", 50),
        ("", 0),
        ("page 3", 0),
        ("earlier messages of the king", 0),  # a chapter's title
        ("earlier message of 2 May", 0),
        ("earlier message 1234567890123", 0),
    ],
)
def test_only_a_quoted_message_is_an_earlier_one(tenant: Tenant, place: str, expected: int):
    index_texts(tenant, "La visita al faro cuesta 8 euros.")
    Chunk.objects.for_tenant(tenant).update(location=place)

    (found,) = ask(tenant, "¿Cuánto cuesta la visita al faro?").sources

    assert age(found) == expected
