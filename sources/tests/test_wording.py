"""Texts without words are refused before they are cut; price lists, codes and tables are not."""

import base64
import random
import string
from itertools import cycle, islice

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient
from wordfreq import top_n_list

from accounts.models import Tenant
from reading.passages import Block, ChunkLevel, ExtractedDocument
from reading.wording import NOISE_MIN_CHARS, has_words
from sources.documents import chunk_document
from sources.errors import FileProcessingFailed
from sources.models import Source
from sources.tests.factories import long_paragraph

RANDOM = random.Random(35)  # noqa: S311 - the same ones in every run
LINES = 600
NO_WORDS = (
    "This file contains no words, only random letters, numbers or symbols. Upload text that"
    " people can read."
)


def letters(count: int, alphabet: str = string.ascii_lowercase) -> str:
    return "".join(RANDOM.choices(alphabet, k=count))


def digits(count: int) -> str:
    return letters(count, string.digits)


def price() -> str:
    return f"{RANDOM.randint(1, 999)},{RANDOM.randint(10, 99)} €"


def text_in(language: str) -> str:
    """Its words about as often as they are written: by their rank (Zipf)."""
    words = top_n_list(language, 20_000)
    often = [1 / rank for rank in range(1, len(words) + 1)]
    return " ".join(RANDOM.choices(words, often, k=2000))


def lines(line: str, *words: str) -> list[str]:
    """`line` as a format: {code} of letters and digits, {key} of letters, {price}, {name}."""
    names = islice(cycle(words or ("Tornillo", "Arandela", "Perno")), LINES)
    return [
        line.format(
            code=f"{letters(2, 'BKQXZ')}-{digits(4)}-{letters(1, 'XZ')}",
            key=letters(7, string.ascii_uppercase),
            price=price(),
            name=name,
        )
        for name in names
    ]


WORDLESS = {
    "random letters": [" ".join(letters(RANDOM.randint(3, 12)) for _ in range(2000))],
    "random letters and digits": [
        letters(60, string.ascii_letters + string.digits) for _ in range(200)
    ],
    "lines of a key": [letters(70, string.ascii_letters) for _ in range(100)],
    "an encoded file": base64.encodebytes(RANDOM.randbytes(9000)).decode().splitlines(),
    "one long line": [base64.b64encode(RANDOM.randbytes(9000)).decode()],
    "fingerprints": [RANDOM.randbytes(32).hex() for _ in range(LINES)],
    "a number without end": [digits(5000)],
    "bytes taken for letters": [
        "".join(filter(str.isprintable, RANDOM.randbytes(40_000).decode("latin-1")))
    ],
}
LANGUAGES = (
    *("en", "es", "ca", "fr", "de", "it", "pt", "nl", "sv", "pl", "cs", "sl", "lt", "ro", "fi"),
    *("hu", "tr", "id", "vi", "ru", "el", "ar", "he", "fa", "hi", "ko", "zh", "ja"),
)
WITH_WORDS = {
    "a price list": lines("{name}; {price}"),
    "codes and prices": lines("{code}; {price}"),
    "codes alone": lines("{code}"),
    "keys and prices": lines("{key}  {price}"),
    "keys below a header": lines("Referencia: {key}"),
    "keys with names": lines("{key}; {name}"),
    "sizes": lines("{name}", "M6x20", "DN15", "PN16", '3/4"', '1/2"'),
    "airports": lines("{name}", "BCN", "MAD", "XRY", "LCG", "VGO", "PMI"),
    "telephone numbers": [digits(9) for _ in range(LINES)],
    "bar codes": [digits(13) for _ in range(LINES)],
    "accounts": [f"ES{digits(22)}" for _ in range(LINES)],
    "addresses of pages": [
        f"https://example.com/catalogue/boats-{digits(5)}" for _ in range(LINES)
    ],
    "ids of records": [f"{digits(8)}-{digits(4)}-{digits(4)}" for _ in range(LINES)],
    "a key among the words": [long_paragraph("boats")] * 20 + [letters(60) for _ in range(20)],
}


def blocks(texts: list[str]) -> list[Block]:
    return [Block(text) for text in texts]


@pytest.mark.parametrize("texts", WORDLESS.values(), ids=WORDLESS)
def test_letters_and_signs_at_random_are_no_words(texts: list[str]) -> None:
    assert not has_words(blocks(texts))


@pytest.mark.parametrize("texts", WITH_WORDS.values(), ids=WITH_WORDS)
def test_lists_codes_and_numbers_are_words(texts: list[str]) -> None:
    assert has_words(blocks(texts))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_words(language: str) -> None:
    assert has_words([Block(text_in(language))])


def test_little_is_never_judged() -> None:
    """A password on a note, a licence key: it costs nothing."""
    assert has_words([Block(letters(NOISE_MIN_CHARS - 1))])
    assert not has_words([Block(letters(NOISE_MIN_CHARS))])


def test_a_sentence_that_is_repeated_without_end_is_not_judged() -> None:
    """Its one long word has none of the frequent pairs."""
    assert has_words([Block("Nine boats lie here. " * 4000)])


def test_of_a_long_text_all_parts_are_looked_at() -> None:
    noise = [letters(80) for _ in range(3000)]
    assert not has_words(blocks(noise))
    assert has_words(blocks(noise + [long_paragraph("boats")] * 3000))


@pytest.mark.parametrize("level", ChunkLevel)
def test_a_text_without_words_is_not_cut(level: ChunkLevel) -> None:
    noise = tuple(Block(letters(70)) for _ in range(100))
    with pytest.raises(FileProcessingFailed) as refused:
        chunk_document(ExtractedDocument("noise", noise, level))

    assert refused.value.message == NO_WORDS


@pytest.mark.usefixtures("inline_worker")
def test_an_upload_without_words_is_refused_and_leaves_nothing(
    tenant: Tenant, admin_api: APIClient
) -> None:
    file = SimpleUploadedFile("noise.txt", "\n".join(WORDLESS["an encoded file"]).encode())

    answer = admin_api.post("/ingest/sources/upload", {"file": file}, format="multipart")

    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "FILE_PROCESSING_FAILED")
    assert answer.json()["error"]["message"] == NO_WORDS
    assert not Source.objects.for_tenant(tenant).exists()
