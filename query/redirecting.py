"""What to say when nothing was found: in the question's language, naming what can be asked
about."""

from __future__ import annotations

import re

from agents.scope import scope_of
from query.cleaning import inert
from query.inquiries import Inquiry
from query.retrieval import Question
from sources.language.words import WORD, Language, fold
from sources.models import Source

TOPICS_NAMED = 5
# The specification's words, after an error or timeout of the language model.
FALLBACK = "No encontré información sobre esto en los documentos indexados."

GREETING_WORDS = frozenset(
    WORD.findall(
        "hola holi buenas buenos buen dia dias tarde tardes noche noches saludos que tal como "
        "estas estais esta va hello hi hey good morning afternoon evening night there how are "
        "you is it going doing everyone todos amigo"
    )
)
THANKS_WORDS = frozenset(
    WORD.findall(
        "gracias muchas mil adios hasta luego pronto mañana chao vale ok perfecto genial thanks "
        "thank you very much many bye goodbye see later great perfect okay cheers so"
    )
)
GREETINGS = frozenset(
    WORD.findall(
        "hola holi buenas buenos buen saludos tal estas estais hello hi hey good you going doing"
    )
)
FAREWELLS = frozenset(WORD.findall("gracias adios chao thanks thank bye goodbye cheers hasta"))

AGREEMENTS = frozenset(WORD.findall("vale ok okay perfecto perfect genial great"))

TEXTS: dict[Language, dict[str, str]] = {
    "es": {
        "greeting": "¡Hola! ¿En qué puedo ayudarte?",
        "thanks": "¡Gracias a ti! Aquí estoy si necesitas algo más.",
        "nothing": "No tengo información sobre eso en los documentos disponibles.",
        "topics": "Puedo ayudarte con: {topics}.",
        "empty": "Todavía no hay documentos con los que pueda responder.",
        "refusal": "Los documentos tratan de esto, pero no encuentro en ellos una respuesta"
        " exacta a tu pregunta. Si la planteas de otra forma o con más detalle, vuelvo a buscar.",
    },
    "en": {
        "greeting": "Hello! How can I help you?",
        "thanks": "You're welcome! I'm here if you need anything else.",
        "nothing": "I have no information about that in the documents I can use.",
        "topics": "I can help you with: {topics}.",
        "empty": "There are no documents yet that I could answer from.",
        "refusal": "The documents are about this, but I do not find an exact answer to your"
        " question in them. If you put it another way or in more detail, I will look again.",
    },
}


def is_small_talk(text: str) -> bool:
    """A greeting, thanks, "ok" or emoji and nothing else: "hola, ¿cuánto cuesta el envío?" is a
    question."""
    return opening_kind(text) != "nothing"


def redirect(inquiry: Inquiry, question: Question) -> str:
    """At most two queries, for the names of the sources that the agent may use."""
    texts = TEXTS[question.language]
    kind = opening_kind(inquiry.text)
    opening = texts[kind]
    if kind == "greeting" and inquiry.agent is not None and inquiry.agent.welcome_msg:
        opening = inquiry.agent.welcome_msg
    topics = list_topics(inquiry)
    if not topics:
        return f"{opening} {texts['empty']}"
    return f"{opening} {texts['topics'].format(topics=join(topics, question.language))}"


def refusal_text(question: Question) -> str:
    """For passages that are about the question and do not answer it: they are shown beside it."""
    return TEXTS[question.language]["refusal"]


def opening_kind(text: str) -> str:
    """The key of TEXTS that a message without sources is answered with first."""
    words = set(WORD.findall(fold(text)))
    is_agreement = not words or (words & AGREEMENTS and words <= THANKS_WORDS)
    if is_agreement or (words & FAREWELLS and words <= GREETING_WORDS | THANKS_WORDS):
        return "thanks"
    return "greeting" if words & GREETINGS and words <= GREETING_WORDS else "nothing"


def list_topics(inquiry: Inquiry) -> list[str]:
    """Names of indexed sources in their order, without file endings and underscores."""
    sources = Source.objects.for_tenant(inquiry.tenant).filter(chunks_count__gt=0)
    scope = scope_of(inquiry.tenant, inquiry.agent)
    if scope is not None:
        sources = sources.filter(pk__in=scope)
    names = sources.values_list("name", flat=True)[:TOPICS_NAMED]
    return [inert(re.sub(r"\.\w{2,5}$", "", name).replace("_", " ")) for name in names]


def join(topics: list[str], language: Language) -> str:
    """ "a, b and c"; in Spanish «y», and «e» before the sound i (fold has the accents off)."""
    if len(topics) == 1:
        return topics[0]
    conjunction = "and"
    if language == "es":
        conjunction = "e" if re.match(r"h?i(?![aeou])", fold(topics[-1])) else "y"
    return f"{', '.join(topics[:-1])} {conjunction} {topics[-1]}"
