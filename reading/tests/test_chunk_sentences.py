"""Where a sentence ends in Spanish and in English."""

import pytest

from reading.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Abrimos a las diez.", "Cerramos a las ocho."],
        ["¿Abren hoy?", "¡Sí!", "Hasta las ocho."],
        ["«Vuelvo mañana.»", "Eso dijo."],
        ['"Come back tomorrow."', "So he said."],
        ["Wait…", "What?!", "Fine."],
        ["Son 3.5 bares.", "La otra, 2,5."],
        ["La Sra. Gómez atiende de 9 a 14.", "El Dr. Ruiz, por la tarde."],
        ["Calle Mayor, n.º 5, 2.º izda. y siguientes.", "Junto a la Avda. Real."],
        ["Véase la pág. 12 y el art. 3 de la ley.", "No hay más."],
        ["Tráigalo, p. ej. en una caja.", "Gracias."],
        ["Mr. J. R. Smith of Acme Inc. was paid.", "He left."],
        ["It costs approx. 20 euros, e.g. for a tyre.", "No. 5 is closed."],
        ["See Fig. 3 for the U.S. market.", "It grew."],
        ["Mide 20 cm, 30 cm, etc. según la talla.", "Elija la suya."],
        ["Vendemos cascos, luces, etc.", "También arreglamos."],
        ["It was founded by Acme Inc.", "The rest is history."],
        ["primera línea", "segunda línea"],
    ],
)
def test_sentences_are_told_apart(sentences: list[str]):
    separator = "\n" if sentences[0].islower() else " "
    assert split_sentences(separator.join(sentences)) == sentences


def test_text_without_an_end_is_one_sentence():
    assert split_sentences("  sin punto final ") == ["sin punto final"]


def test_nothing_has_no_sentences():
    assert split_sentences(" \n ") == []


def test_time_grows_with_the_text_only():
    assert len(split_sentences("a. " * 200_000)) == 1  # initials and list letters, never an end
    assert len(split_sentences("." * 1_000_000)) == 1
    assert len(split_sentences("Bien. " * 100_000)) == 100_000
