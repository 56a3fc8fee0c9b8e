"""Small talk, and what is said when nothing is found: short, once, and in one language."""

import pytest

from accounts.models import Tenant
from agents.tests.factories import make_agent
from language.small_talk import small_talk_of
from query.answering.redirecting import TEXTS
from query.models import Outcome
from query.tests.factories import FARO, LIGHTHOUSE, ask, index_texts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("gracias!!", "thanks"),
        ("muchas gracias majos!!", "thanks"),
        ("are you a robot?", "assistant"),
        ("hola, eres una persona real?", "assistant"),
        ("Am I talking to a human?", "assistant"),
        ("hola quién eres? eres una máquina?", "assistant"),
        ("who are you? are you a bot?", "assistant"),
        ("cómo te llamas", "assistant"),
        ("how are you doing today?", "greeting"),
        ("hola, qué tal estás hoy?", "greeting"),
        ("is anybody there?", "greeting"),
        ("nice to meet you", "greeting"),
        ("thank you, that really helped!", "thanks"),
        ("gracias, me ha servido mucho", "thanks"),
        ("great, very helpful", "agreement"),
        ("no problem", "agreement"),
        ("who are you insured with?", "nothing"),
        ("qué eres capaz de cargar", "nothing"),
        ("is a helmet useful?", "nothing"),
        ("how are things paid?", "nothing"),
        ("que tal es la piscina", "nothing"),
        ("graciasss", "thanks"),
        ("grax", "thanks"),
        ("ok, muchas gracias por la info", "thanks"),
        ("no, gracias, eso es todo", "thanks"),
        ("hola, gracias", "thanks"),
        ("thx", "thanks"),
        ("Thank you so much for your help!", "thanks"),
        ("vale", "agreement"),
        ("okis", "agreement"),
        ("Perfecto 👍", "agreement"),
        ("👍", "agreement"),
        ("🙏❤️", "agreement"),
        ("…", "agreement"),
        ("jajaja", "agreement"),
        ("got it, great", "agreement"),
        ("that's all", "agreement"),
        ("hasta mañana", "farewell"),
        ("ok see you tomorrow", "farewell"),
        ("adiós, buen día", "farewell"),
        ("holaaa", "greeting"),
        ("wenas", "greeting"),
        ("Buenas tardes a todos", "greeting"),
        ("hey there, how are you?", "greeting"),
        ("?", "prompt"),
        ("gracias, ¿y mañana?", "nothing"),
        ("ok y el domingo?", "nothing"),
        ("vale de regalo", "nothing"),
        ("¿hasta qué hora?", "nothing"),
        ("hola q precio tiene", "nothing"),
        ("good coffee?", "nothing"),
        ("is it nice there?", "nothing"),
        ("great lakes cruise", "nothing"),
    ],
)
def test_a_message_is_small_talk_of_a_kind_or_none(text: str, kind: str) -> None:
    assert (small_talk_of(text) or "nothing") == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gracias", TEXTS["es"]["thanks"]),
        ("thanks!", TEXTS["en"]["thanks"]),
        ("vale", TEXTS["es"]["agreement"]),
        ("bye", TEXTS["en"]["farewell"]),
        ("?", TEXTS["es"]["prompt"]),
    ],
)
def test_politeness_gets_one_line_without_topics(tenant: Tenant, text: str, said: str) -> None:
    index_texts(tenant, *LIGHTHOUSE, name="Lighthouse")

    answer = ask(tenant, text)

    assert (answer.text, answer.outcome, answer.sources) == (said, Outcome.SMALL_TALK, ())


@pytest.mark.parametrize(
    ("question", "said"), [("How much is a guided visit?", "en"), ("¿Cuándo abre el faro?", "es")]
)
def test_ok_and_emoji_are_answered_in_the_language_of_the_conversation(
    tenant: Tenant, question: str, said: str
) -> None:
    index_texts(tenant, *LIGHTHOUSE, *FARO)
    ask(tenant, question, session_id="s")

    for text in ("👍", "ok", "🙏"):
        answer = ask(tenant, text, session_id="s").text
        assert answer == (TEXTS["en"] if said == "en" else TEXTS["es"])["agreement"]


def test_the_topics_are_named_once_in_a_session(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE, name="Lighthouse")
    topics = "I can help you with: Lighthouse."

    first, *others = [
        ask(tenant, text, session_id="s").text
        for text in ("hello", "hello", "Who painted the Mona Lisa?", "thanks", "hi again?")
    ]

    assert first == f"Hello! How can I help you? {topics}"
    assert [text for text in others if "Lighthouse" in text] == []
    assert topics in ask(tenant, "hello", session_id="another").text


def test_who_is_greeted_by_the_agents_words_hears_no_list_behind_them(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE, name="Lighthouse")
    agent = make_agent(tenant, welcome_msg="Ahoy! Ask me about the tower.")

    assert ask(tenant, "hello", agent).text == "Ahoy! Ask me about the tower."
    assert ask(tenant, "hola", agent).text == TEXTS["es"]["greeting"]
