"""Texts for when nothing was found, or nothing certain, and for thanks, "ok" and greetings: short,
and in the conversation's language. The topics to ask about are named once in a session.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.detection import detect_message_language
from language.small_talk import SmallTalk
from language.words import Language, fold
from query.answering.contact_card import tell_contact
from query.answering.drafts import Draft
from query.answering.topics import list_topics
from query.conversations.memory import OFFER, first_time
from query.search.candidates import Question, RetrievedChunk
from query.understanding.inquiries import Inquiry
from sources.models import Source

# The specification's words, after an error or timeout of the language model.
FALLBACK = "No encontré información sobre esto en los documentos indexados."

PART_MAX_CHARS = 120  # of a question that is named

TEXTS: dict[Language, dict[str, str]] = {
    "es": {
        "greeting": "¡Hola! ¿En qué puedo ayudarte?",
        "thanks": "¡Gracias a ti! Aquí estoy si necesitas algo más.",
        "agreement": "¡Perfecto! Aquí estoy si necesitas algo más.",
        "farewell": "¡Hasta pronto!",
        "prompt": "Dime, ¿en qué puedo ayudarte?",
        "assistant": "Soy un asistente automático: respondo con los documentos de la empresa."
        " ¿En qué puedo ayudarte?",
        "nothing": "No tengo información sobre eso en los documentos disponibles.",
        "topics": "Puedo ayudarte con: {topics}.",
        "offer": "Si quieres que {company} te responda, escríbeme un correo o teléfono. Al enviarlo"
        " aceptas que te contacte por esta consulta.",
        "empty": "Todavía no hay documentos con los que pueda responder.",
        "says": "Esto es lo que dice «{name}»:",
        "also": "Y en «{name}»:",
        "doubt": "No he encontrado una respuesta exacta. Lo más parecido está en «{name}»:",
        "left_out": "Sobre «{part}» no he encontrado nada.",
        "unmentioned": "No he encontrado nada sobre {names}. Esto es lo que dice «{name}»:",
    },
    "en": {
        "greeting": "Hello! How can I help you?",
        "thanks": "You're welcome! I'm here if you need anything else.",
        "agreement": "Great! I'm here if you need anything else.",
        "farewell": "Goodbye, and see you soon!",
        "prompt": "How can I help you?",
        "assistant": "I am an automatic assistant: I answer from the company's documents. How can I"
        " help you?",
        "nothing": "I have no information about that in the documents I can use.",
        "topics": "I can help you with: {topics}.",
        "offer": "If you would like {company} to reply to you, send me an e-mail address or phone"
        " number. By sending it you agree to be contacted about this request.",
        "empty": "There are no documents yet that I could answer from.",
        "says": "Here is what “{name}” says:",
        "also": "And in “{name}”:",
        "doubt": "I did not find an exact answer. The closest is in “{name}”:",
        "left_out": "I found nothing about “{part}”.",
        "unmentioned": "I found nothing about {names}. Here is what “{name}” says:",
    },
}


def redirect(inquiry: Inquiry, question: Question) -> str:
    """The text, in one line. A greeting, or the first question of a session that nothing is found
    for, names the topics, unless the agent greets with words of its own. Where nothing is found, a
    person is offered. At most five queries; none for thanks."""
    kind, texts = question.small_talk or "nothing", TEXTS[question.language]
    if kind not in (SmallTalk.GREETING, "nothing"):
        return texts[kind]
    if kind is SmallTalk.GREETING and (own := own_greeting(inquiry, question.language)):
        return own
    if kind is SmallTalk.GREETING:
        return f"{texts[kind]} {name_topics(inquiry, question.language)}".rstrip()
    parts = (
        texts[kind],
        name_topics(inquiry, question.language),
        tell_contact(inquiry.agent, question.language),
        offer_reply(inquiry, question.language),
    )
    return " ".join(filter(None, parts))


def name_topics(inquiry: Inquiry, language: Language) -> str:
    """Names the topics to ask about, once in a session, or says that nothing is indexed yet."""
    texts = TEXTS[language]
    if not Source.objects.for_tenant(inquiry.tenant).filter(chunks_count__gt=0).exists():
        return texts["empty"]
    topics = list_topics(inquiry, language)
    if not topics or not first_time(inquiry, "topics"):
        return ""
    return texts["topics"].format(topics=join(topics, language))


def offer_reply(inquiry: Inquiry, language: Language) -> str:
    """The offer that somebody of the company replies to a question that found nothing, once in a
    session; "" where the agent takes no leads."""
    if not inquiry.may_become_lead or not first_time(inquiry, OFFER):
        return ""
    return TEXTS[language]["offer"].format(company=inquiry.tenant.name)


def introduce_closest(draft: Draft, passages: Sequence[RetrievedChunk], language: Language) -> str:
    """The closest words that were found, each under the name of the source that says them, after a
    sentence of doubt where there is doubt. When none of them may be told, the text says that
    nothing was found."""
    texts = TEXTS[language]
    if not draft.closest:
        return texts["nothing"]
    opening = "unmentioned" if draft.unmentioned else "doubt" if draft.is_doubtful else "says"
    quotation, conjunction = ("«{}»", " ni ") if language == "es" else ("“{}”", " or ")
    names = conjunction.join(quotation.format(name) for name in draft.unmentioned)
    parts: list[str] = []
    before = ""
    for quote in draft.closest:
        name = passages[quote.source].name
        if name != before:
            introduction = texts["also" if parts else opening]
            parts.append(introduction.format(name=name, names=names))
        parts.append(quote.text.removeprefix(f"{name}: ").removeprefix(f"{name}:\n"))
        before = name
    return "\n\n".join(parts)


def name_left_out(part: str, language: Language) -> str:
    """The sentence that says which of several questions nothing was found for."""
    return TEXTS[language]["left_out"].format(part=part[:PART_MAX_CHARS])


def own_greeting(inquiry: Inquiry, language: Language) -> str:
    """The agent's welcome; "" when it is in another language than the conversation."""
    own = inquiry.agent.welcome_msg if inquiry.agent else ""
    return own if own and detect_message_language(own, language) == language else ""


def join(topics: list[str], language: Language) -> str:
    """Joins topics as "a, b and c"; in Spanish with «y», and with «e» before the sound i (fold
    takes the accents off)."""
    if len(topics) == 1:
        return topics[0]
    conjunction = "and"
    if language == "es":
        conjunction = "e" if re.match(r"h?i(?![aeou])", fold(topics[-1])) else "y"
    return f"{', '.join(topics[:-1])} {conjunction} {topics[-1]}"
