"""What to say when nothing was found: in the question's language, naming what can be asked
about."""

from __future__ import annotations

import re

from accounts.models import Tenant
from query.retrieval import Question
from sources.language.words import WORD, Language, fold
from sources.models import Source

TOPICS_NAMED = 5

GREETING_WORDS = frozenset(
    WORD.findall(
        "hola holi buenas buenos buen dia dias tarde tardes noche noches saludos que tal como "
        "estas esta va hello hi hey good morning afternoon evening night there how are you is "
        "it going doing everyone todos amigo"
    )
)
THANKS_WORDS = frozenset(
    WORD.findall(
        "gracias muchas mil adios hasta luego pronto mañana chao vale ok perfecto genial thanks "
        "thank you very much many bye goodbye see later great perfect okay cheers so"
    )
)
GREETINGS = frozenset(WORD.findall("hola holi buenas buenos buen saludos hello hi hey good"))
FAREWELLS = frozenset(WORD.findall("gracias adios chao thanks thank bye goodbye cheers hasta"))

TEXTS: dict[Language, dict[str, str]] = {
    "es": {
        "greeting": "¡Hola! ¿En qué puedo ayudarte?",
        "thanks": "¡Gracias a ti! Aquí estoy si necesitas algo más.",
        "nothing": "No tengo información sobre eso en los documentos disponibles.",
        "topics": "Puedo ayudarte con: {topics}.",
        "empty": "Todavía no hay documentos con los que pueda responder.",
    },
    "en": {
        "greeting": "Hello! How can I help you?",
        "thanks": "You're welcome! I'm here if you need anything else.",
        "nothing": "I have no information about that in the documents I can use.",
        "topics": "I can help you with: {topics}.",
        "empty": "There are no documents yet that I could answer from.",
    },
}


def is_small_talk(text: str) -> bool:
    """A greeting or thanks and nothing else: "hola, ¿cuánto cuesta el envío?" is a question."""
    return opening_kind(text) != "nothing"


def redirect(tenant: Tenant, question: Question) -> str:
    """One query, for the names of the sources."""
    texts = TEXTS[question.language]
    opening = texts[opening_kind(question.text)]
    topics = list_topics(tenant)
    if not topics:
        return f"{opening} {texts['empty']}"
    return f"{opening} {texts['topics'].format(topics=join(topics, question.language))}"


def opening_kind(text: str) -> str:
    """The key of TEXTS that a message without sources is answered with first."""
    words = set(WORD.findall(fold(text)))
    if words & FAREWELLS and words <= GREETING_WORDS | THANKS_WORDS:
        return "thanks"
    return "greeting" if words & GREETINGS and words <= GREETING_WORDS else "nothing"


def list_topics(tenant: Tenant) -> list[str]:
    """Names of indexed sources in their order, without file endings and underscores."""
    names = (
        Source.objects.for_tenant(tenant).filter(chunks_count__gt=0).values_list("name", flat=True)
    )
    return [re.sub(r"\.\w{2,5}$", "", name).replace("_", " ") for name in names[:TOPICS_NAMED]]


def join(topics: list[str], language: Language) -> str:
    """ "a, b and c"; in Spanish «y», and «e» before the sound i (fold has the accents off)."""
    if len(topics) == 1:
        return topics[0]
    conjunction = "and"
    if language == "es":
        conjunction = "e" if re.match(r"h?i(?![aeou])", fold(topics[-1])) else "y"
    return f"{', '.join(topics[:-1])} {conjunction} {topics[-1]}"
