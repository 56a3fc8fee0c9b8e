"""Greetings, thanks, "ok" and emoji: what is said beside questions, and searched for by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from language.chat import chat_words
from language.words import WORD, Language, fold


class SmallTalk(StrEnum):
    """The kinds of small talk; the reply depends on the kind."""

    GREETING = "greeting"
    THANKS = "thanks"
    AGREEMENT = "agreement"
    FAREWELL = "farewell"
    PROMPT = "prompt"  # a question mark alone
    ASSISTANT = "assistant"  # who are you?


LANGUAGES: tuple[Language, ...] = ("es", "en")
# All of it reads folded text. The first kind of which there is a sign counts: "hi, thanks" are
# thanks.
SIGNS = {
    SmallTalk.ASSISTANT: re.compile(
        r"\b(?:(?:eres|sois|hablo con|estoy hablando con|es) (?:una? )?(?:robot|bot|maquina|humano"
        r"|persona(?: (?:real|de verdad))?|(?:persona )?humana|ia|inteligencia artificial|chatbot)"
        r"|(?:quien|que) eres(?: tu)?|(?:con quien|quien) (?:hablo|estoy hablando)|como te llamas"
        r"|tienes nombre|(?:who|what) are you|what (?:is|s) your name|do you have a name"
        r"|(?:are you|am i (?:talking|speaking|chatting) (?:to|with)|is this|is it) (?:an? )?"
        r"(?:real )?(?:robot|bot|machine|human(?: being)?|person|ai|chatbot))\b"
    ),
    SmallTalk.THANKS: re.compile(
        r"\b(?:(?:muchas |mil )?gracias|agradecid[oa]|merci|(?:many )?thanks|thank (?:you|u)"
        r"|cheers)\b"
    ),
    SmallTalk.FAREWELL: re.compile(
        r"\b(?:adios|chao|ciao|chau|agur|(?:good)?bye|hasta (?:luego|pronto|mañana|otra|la vista"
        r"|entonces)|nos vemos|see (?:you|ya)(?: (?:later|soon|tomorrow))?"
        r"|(?:que )?(?:tengas|tengais|tengan?) (?:un )?buen dia|have a (?:nice|good|great) day)\b"
    ),
    SmallTalk.GREETING: re.compile(
        r"\b(?:hola|holi|ola|buenas(?: (?:tardes|noches))?|buenos dias|buen dia|saludos"
        r"|(?:como|que tal) (?:te va|os va|estas?|estais|estan|va(?: todo)?|andas|andais)(?: hoy)?"
        r"|que tal|hello|hi|hey|hiya|good (?:morning|afternoon|evening|day|night)"
        r"|how (?:are (?:you(?: (?:doing|all|guys))?|things)|is it going|is everyone)(?: today)?"
        r"|how(?: do|dy) you do|(?:is )?any(?:one|body) there|(?:are )?you there"
        r"|hay alguien(?: ahi)?|estas? ahi|nice to meet you|pleased to meet you"
        r"|encantad[oa](?: de conocer(?:te|os|le))?"
        r"|mucho gusto|morning)\b"
    ),
    SmallTalk.AGREEMENT: re.compile(
        r"\b(?:vale|ok|okay|okey|oki|okis|okei|de acuerdo|perfecto|genial|guay|estupendo|fenomenal"
        r"|muy bien|entendido|comprendido|aclarado|queda claro|claro|listo|hecho|dale|excelente"
        r"|(?:ja)+|(?:je)+|(?:ha)+h?|lol|xd|perfect|great|got it|understood|alright|all right|cool"
        r"|nice|awesome|excellent|lovely|brilliant|sounds good|makes sense|i see|fair enough"
        r"|(?:me|nos) (?:sirve|vale|ha servido|has ayudado|habeis ayudado)(?: mucho)?"
        r"|(?:muy |super ?)?util|buen trabajo|ningun problema|no pasa nada"
        r"|lo siento|perdon|disculpa"
        r"|(?:that|this|it) (?:really |has |s )?(?:help(?:s|ed|ful)|is (?:helpful|useful))"
        r"|(?:very |really |so )?(?:helpful|useful)|(?:good|great|nice) (?:job|work|bot)|well done"
        r"|no (?:problem|worries)|(?:i am |im )?sorry"
        r"|nada mas|eso es todo|that (?:is|s) (?:all|it)|nothing else)\b"
    ),
}
# What may stand beside them.
# Of thanks and farewells, words that nobody can list: "gracias, majos".
FRIENDLY_WORDS_MAX = 1
FILLER = frozenset(
    WORD.findall(
        "muy amable por la el tu su vuestra ayuda info informacion todo todos todas es eso pues que"
        " si no y a e very much so a lot for the your help everything is it all there everyone team"
        " amigo amiga equipo igualmente ya entonces me queda then and well oh ah bien bueno good"
        " fine you too un una super de nada okay yes sure really great day"
    )
)
REPEATED = re.compile(r"(\w)\1{2,}")


def small_talk_of(text: str) -> SmallTalk | None:
    """The kind of small talk, when the text is small talk and nothing else: "hola, ¿cuánto cuesta
    el envío?" is a question."""
    plain = " ".join(plain_words(text))
    if not plain:
        return SmallTalk.PROMPT if "?" in text else SmallTalk.AGREEMENT
    kinds = [kind for kind, sign in SIGNS.items() if sign.search(plain)]
    for kind in kinds:
        plain = SIGNS[kind].sub(" ", plain)
    # "is it nice there?" asks for something, "how are you?" does not.
    asks = "?" in text and not {SmallTalk.GREETING, SmallTalk.ASSISTANT}.intersection(kinds)
    left = [word for word in plain.split() if asks or word not in FILLER]
    is_friendly = kinds[:1] in ([SmallTalk.THANKS], [SmallTalk.FAREWELL]) and "?" not in text
    allowed = FRIENDLY_WORDS_MAX if is_friendly and not any(map(str.isdigit, plain)) else 0
    return kinds[0] if kinds and len(left) <= allowed else None


def plain_words(text: str) -> Iterator[str]:
    """The folded words, «holaaa» as «hola», and «grax» as the word it stands for."""
    for typed in WORD.findall(REPEATED.sub(r"\1", fold(text))):
        yield from meant_by(typed)


def meant_by(word: str) -> list[str]:
    for language in LANGUAGES:
        typed = chat_words(language).get(word)
        if typed and not typed.behind and len(word) > 1:
            return WORD.findall(fold(typed.meaning))
    return [word]
