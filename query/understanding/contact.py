"""Questions of where, when and how a company is reached: «¿dónde estáis?» shares no word with the
line that answers it.

What such a line is called («dirección», «horario») is put behind the question for the search, in
brackets, where the sources hold the word; the visitor's words stay theirs.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence

from accounts.models import Tenant
from language.message import Message
from language.terms import question_terms
from language.word_lists import patterns
from language.words import LANGUAGES
from sources.models import SourceTerm

WORDS_MAX = 12  # of a question that is about this alone
# The first that fits counts: by what it asks, what the line is called.
CALLED = {
    language: {
        name: re.compile(asks, re.IGNORECASE)
        for name, asks in patterns("reaching", language).items()
    }
    for language in LANGUAGES
}


def name_line(
    tenant: Tenant, message: Message, *, source_ids: Sequence[uuid.UUID] | None
) -> Message:
    """Adds the name of the line that answers: «¿dónde estáis?» becomes «¿dónde estáis?
    (dirección)». One query, for such questions alone."""
    text, language = message.text, message.language
    if len(text.split()) > WORDS_MAX:
        return message
    called = next((name for name, asks in CALLED[language].items() if asks.search(text)), None)
    if called is None or called in text.lower():
        return message
    terms = SourceTerm.objects.for_tenant(tenant).filter(term__in=question_terms(called, language))
    if source_ids is not None:
        terms = terms.filter(source__in=source_ids)
    return message.reworded(f"{text} ({called})") if terms.exists() else message
