"""What a question asks for, and whether a text holds a thing of that kind."""

import pytest

from language.detection import detect_message_language
from language.message import read_message
from language.terms import content_words, terms_of
from query.understanding.asked_for import (
    AnswerKind,
    compare_quantities,
    has_kind,
    lost_names,
    missing_numbers,
    read_asked,
    share_held,
    takes_back,
)


def asked(text):
    return read_asked(read_message(text))


class TestTheKindOfAnswer:
    @pytest.mark.parametrize(
        ("question", "kind"),
        [
            ("What is your phone number?", AnswerKind.PHONE),
            ("¿A qué número llamo si hay una avería?", AnswerKind.PHONE),
            ("teneis whatsapp?", AnswerKind.PHONE),
            ("Which email do I write to?", AnswerKind.EMAIL),
            ("¿Cuál es vuestro correo electrónico?", AnswerKind.EMAIL),
            ("what's the link to book?", AnswerKind.LINK),
            ("¿Tenéis página web?", AnswerKind.LINK),
            ("Where is the clinic?", AnswerKind.ADDRESS),
            ("¿Dónde estáis?", AnswerKind.ADDRESS),
            ("¿Cuál es la dirección del taller?", AnswerKind.ADDRESS),
            ("How much does it cost?", AnswerKind.MONEY),
            ("¿Cuánto cuesta?", AnswerKind.MONEY),
            ("how much is a kiln for a weekend", AnswerKind.MONEY),
            ("how much are the evening lessons?", AnswerKind.MONEY),
            ("how much for two tents?", AnswerKind.MONEY),
            ("How much does the blue raft come to?", AnswerKind.MONEY),
            ("how much do you charge for a late return", AnswerKind.MONEY),
            ("and how much would it be with a driver?", AnswerKind.MONEY),
            ("cuanto me cobrais por afilar tres cuchillos", AnswerKind.MONEY),
            ("¿Cuánto me cobran por la segunda maleta?", AnswerKind.MONEY),
            ("a cuánto está el kilo de lana", AnswerKind.MONEY),
            ("que cuesta la hora de horno", AnswerKind.MONEY),
            ("¿Qué vale un saco de leña?", AnswerKind.MONEY),
            ("cuanto sale la noche con desayuno", AnswerKind.MONEY),
            ("cuánto es por persona", AnswerKind.MONEY),
            ("cuánto hay que dejar de fianza", AnswerKind.MONEY),
            ("What deposit do you ask for?", AnswerKind.MONEY),
            ("que fianza pedis por el horno", AnswerKind.MONEY),
            ("what is the price when it rains?", AnswerKind.MONEY),
            ("How much water does the tank take?", AnswerKind.NUMBER),
            ("how much luggage can I bring", AnswerKind.NUMBER),
            ("How much does the raft hold?", AnswerKind.NUMBER),
            ("how much is the discount for students", AnswerKind.NUMBER),
            ("How much does it weigh?", AnswerKind.WEIGHT),
            ("how much weight does the rack take", AnswerKind.WEIGHT),
            ("cuanto peso aguanta la balsa", AnswerKind.WEIGHT),
            ("a que temperatura se guarda", AnswerKind.TEMPERATURE),
            ("how hot does the kiln get?", AnswerKind.TEMPERATURE),
            ("¿Qué velocidad alcanza la balsa?", AnswerKind.SPEED),
            ("¿Cuánto tarda la cocción?", AnswerKind.DURATION),
            ("¿Cuánto mide la balsa?", AnswerKind.DISTANCE),
            ("a cuánto está del puerto", AnswerKind.NUMBER),
            ("when do I get my deposit back?", AnswerKind.TIME),
            ("How long do you keep the deposit?", AnswerKind.DURATION),
            ("en cuantos días se devuelve la fianza", AnswerKind.DURATION),
            ("¿Cuándo me quitan la fianza?", AnswerKind.TIME),
            ("Can I pay the deposit in cash?", None),
            ("¿Se puede pagar la fianza con tarjeta?", None),
            ("Where do I pay the fee?", AnswerKind.NAME),
            ("Can I bring a friend, and does it cost more?", AnswerKind.MONEY),
            ("¿Cuánto pesa la caja?", AnswerKind.WEIGHT),
            ("How long does it take?", AnswerKind.DURATION),
            ("¿Cuándo abrís?", AnswerKind.TIME),
            ("How many rooms are there?", AnswerKind.NUMBER),
            ("Who founded the company?", AnswerKind.NAME),
            ("Is the water hot?", None),
        ],
    )
    def test_it_is_told_by_the_questions_words(self, question, kind):
        assert asked(question).kind == kind

    @pytest.mark.parametrize(
        ("question", "holding", "lacking"),
        [
            ("¿Qué teléfono tenéis?", "Llame al 981 55 01 02.", "Llame antes de las 12."),
            ("What is your phone number?", "Call +34 600-111-222.", "Call us in 3 days."),
            ("Which email do I use?", "Write to ana@bar.example.", "Write to Ana."),
            ("¿Tenéis página web?", "Reserve en www.bar.example/mesa.", "Reserve por teléfono."),
            ("What is the link?", "It is at https://bar.example.", "It is on the internet."),
            ("¿Dónde estáis?", "Calle del Pan, 4, Lugo.", "Estamos abiertos los lunes."),
            ("What is your address?", "12 Harbour Street.", "Near the harbour."),
            ("How much does a visit cost?", "A visit costs 7 euros.", "A visit takes 7 hours."),
            ("¿Cuánto cuesta la visita?", "La visita es gratis.", "La visita es corta."),
            ("How long is a visit?", "A visit takes two hours.", "A visit costs two euros."),
            ("¿Cuándo abrís?", "Los lunes, desde las 9:00.", "Abrimos con lluvia."),
            (
                "When was it built?",
                "It was built in 1954.",
                "It cost 900 euros, and is 300 m long.",
            ),
            ("When do I get it back?", "Within 10 working days.", "You get 150 € back."),
            ("At what temperature is it kept?", "Between 10 °C and 20 °C.", "For 10 to 20 days."),
            ("¿Qué velocidad alcanza?", "Hasta 25 km/h.", "Hasta 25 kg."),
            ("Who runs it?", "It is run by Ilse Brandt.", "It is run by volunteers."),
        ],
    )
    def test_a_text_holds_it_or_not(self, question, holding, lacking):
        assert has_kind(holding, asked(question))
        assert not has_kind(lacking, asked(question))

    def test_what_stands_in_the_question_is_no_answer(self):
        assert not has_kind("It was opened in 1954.", asked("When was the ship of 1954 sold?"))
        assert not has_kind("The keeper is Aldara.", asked("Who is Aldara?"))

    def test_a_question_of_no_kind_is_content_with_any_text(self):
        assert has_kind("It is hot.", asked("Is the water hot?"))


class TestQuantities:
    @pytest.mark.parametrize(
        ("question", "text", "fits", "misfits"),
        [
            ("somos doce, ¿cuánto sale?", "De 10 a 15 personas: 30 €", True, False),
            ("somos doce, ¿cuánto sale?", "De 2 a 9 personas: 40 €", False, True),
            ("we are twelve people, how much?", "10 to 15 people: 30 euros", True, False),
            ("How much to send 3 kg?", "Parcels up to 5 kg cost 6 euros.", True, False),
            ("How much to send 8 kg?", "Parcels up to 5 kg cost 6 euros.", False, True),
            ("How much to send 8 kg?", "Up to 5 kg 6 euros, up to 10 kg 9 euros.", True, False),
            ("How much to send 8 kg?", "Letters cost 1 euro.", False, False),
            ("How much is a parcel?", "Parcels up to 5 kg cost 6 euros.", False, False),
            ("cuanto sale en agosto", "Alta (1 jul - 15 sep): 90 €", True, False),
            ("cuanto sale en agosto", "Baja (1 nov - 31 mar): 60 €", False, True),
            (
                "cuanto sale en agosto",
                "Alta (1 jul - 15 sep): 90; Baja (1 nov - 31 mar): 60",
                True,
                False,
            ),
            ("somos 6 en enero", "Grupos de 5 a 9 personas, de abril a junio", False, True),
            (
                "somos doce para 3 noches, ¿cuánto?",
                "De 10 a 15 personas, hasta 2 noches: 30 €",
                False,
                True,
            ),
            (
                "Can I change it 3 weeks before?",
                "Changes are taken at least 48 hours and at most 7 days before.",
                False,
                True,
            ),
            (
                "si cancelo con 40 días de antelación",
                "Con más de 30 días se devuelve todo; con menos de 8 días, nada.",
                True,
                False,
            ),
        ],
    )
    def test_a_range_holds_what_is_asked_for_or_rules_it_out(self, question, text, fits, misfits):
        language = detect_message_language(text)
        assert compare_quantities(asked(question), text, language) == (fits, misfits)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Los robos en la calle a esas horas no están cubiertos.", True),
        ("Salvo los domingos, que cerramos.", True),
        ("However, wet clothes are taken too.", True),
        ("The deposit is not included.", True),
        ("Unless it rains.", True),
        ("Después, 150,00 € por vivienda.", True),
        ("Pasado ese plazo se cobra la mitad.", True),
        ("After that it costs £20.", True),
        ("We come after lunch.", False),
        ("The deposit is included.", False),
        ("Los robos están cubiertos.", False),
        ("No. Hace falta reservar.", False),
    ],
)
def test_an_exception_is_known_by_how_it_is_put(text, is_one):
    assert takes_back(text) == is_one


class TestWhatIsMissing:
    def held(self, text, language="en"):
        return terms_of(content_words(text, language), language)

    def test_a_year_that_the_text_does_not_name(self):
        question = asked("Which ship was ordered in 1962?")
        assert missing_numbers(question, self.held("In 1954 a ship was ordered.")) == ["1962"]
        assert missing_numbers(question, self.held("A ship was ordered in 1962.")) == []

    def test_a_number_may_be_written_as_a_word(self):
        assert missing_numbers(asked("a pass for 12 cars"), self.held("It takes twelve.")) == []

    def test_names_and_codes_that_a_text_lacks(self):
        question = asked("tyre pressure of the p2 in Lugo?")
        assert set(lost_names(question, self.held("The tyre pressure of the T3."))) == {
            "p2",
            "lugo",
        }
        assert lost_names(question, self.held("In Lugo the P2 is sold.")) == []

    def test_a_contraction_is_no_name(self):
        question = asked("it blows 18 knots, I've had one morning and I'll go, are we going?")
        assert lost_names(question, self.held("Beginners stop at 16 knots.")) == []

    def test_the_share_of_the_question_that_a_text_says_is_by_information(self):
        question = asked("zeppelin price")
        share = share_held(question, self.held("The price is low."))
        assert share == pytest.approx(
            question.words["price"] / (question.words["price"] + question.words["zeppelin"])
        )
        assert share_held(question, self.held("A zeppelin's price.")) == 1.0

    def test_a_question_without_words_shares_nothing(self):
        assert share_held(asked("?"), self.held("The price is low.")) == 0.0


@pytest.mark.parametrize(
    ("question", "is_negated"),
    [
        ("What does the fee not include?", True),
        ("Why doesn't it open?", True),
        ("¿Qué no incluye la cuota?", True),
        ("¿Hay algo sin gluten?", True),
        ("What does the fee include?", False),
        ("¿Qué incluye la nota?", False),
    ],
)
def test_a_question_may_ask_for_the_opposite(question, is_negated):
    assert asked(question).is_negated == is_negated
