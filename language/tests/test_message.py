"""A message is read once: its language, its small talk, its words and what they say."""

from language.message import Message, read_message
from language.quantities import Quantity
from language.small_talk import SmallTalk


def words_of(message: Message) -> list[str]:
    return [word.text for word in message.content.words]


def test_the_language_is_told_by_the_words_and_else_by_what_is_likely() -> None:
    assert read_message("¿cuánto cuesta?", "en").language == "es"
    assert read_message("wifi", "es").language == "es"
    assert read_message("wifi", "es").told is None


def test_behind_another_language_only_certain_words_change_it() -> None:
    unsure = read_message("menu?")

    assert unsure.after("es").language == "es"
    assert read_message("thank you for everything").after("es").language == "en"
    assert unsure.after(unsure.language) is unsure


def test_small_talk_is_seen() -> None:
    assert read_message("hola").small_talk is SmallTalk.GREETING
    assert read_message("hola, ¿cuánto cuesta?").small_talk is None


def test_a_reworded_message_keeps_its_language_and_says_something() -> None:
    message = read_message("¿y los domingos?")
    reworded = message.reworded("¿los domingos? abrís")

    assert (reworded.text, reworded.language) == ("¿los domingos? abrís", "es")
    assert reworded.small_talk is None
    assert message.reworded(message.text) is message


def test_its_words_carry_what_they_say_and_where_they_are_found() -> None:
    (price, museum) = read_message("what is the price of the museum?").content.words

    assert (price.text, museum.text) == ("price", "museum")
    assert "=museum" in museum.terms
    assert len(museum.numbers) == len(museum.terms)
    assert museum.information > 0


def test_words_that_only_ask_count_where_there_are_no_others() -> None:
    assert words_of(read_message("¿cuánto tarda el pedido?")) == ["tarda", "pedido"]
    assert words_of(read_message("¿cuántos?")) == ["cuantos"]


def test_quantities_and_times_of_the_year_are_read_with_it() -> None:
    content = read_message("somos 8 personas en agosto").content

    assert content.quantities == (Quantity(8, 8, "person"),)
    assert len(content.periods) == 1


def test_it_is_read_as_a_heading_would_be_written() -> None:
    assert read_message("Hola, ¿dónde está el baño? (dirección)").content.heading == (
        "donde",
        "esta",
        "el",
        "bano",
    )


def test_own_words_are_those_that_are_not_quoted_written_out() -> None:
    assert read_message("Dice «quiero comprar», xq?").own_words == "dice , por que?"


def test_nothing_is_computed_twice() -> None:
    message = read_message("how much is the tour?")

    assert message.content is message.content
