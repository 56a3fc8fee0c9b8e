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
from language.terms import question_terms
from language.words import Language
from sources.models import SourceTerm

WORDS_MAX = 12  # of a question that is about this alone
# The first that fits counts: by what it asks, what the line is called.
CALLED: dict[Language, dict[str, re.Pattern[str]]] = {
    "es": {
        "dirección": re.compile(
            r"\bd[oó]nde (?:est[aá]is|est[aá]n|qued[aá](?:is|n)?|os encontr\w+|par[aá]is"
            r"|se encuentran?|ten[eé]is (?:la|el) (?:tienda|local|taller|oficina))\b"
            r"|\bd[oó]nde (?:est[aá]|queda) (?:la|el|vuestr[oa]|su) \w+\W*$"
            r"|\bc[oó]mo (?:llego|llegar|se llega|puedo llegar)\b",
            re.IGNORECASE,
        ),
        "horario": re.compile(
            r"\b(?:(?:a|hasta) qu[eé] hora|qu[eé] d[ií]as?|cu[aá]ndo|qu[eé] horas?)\b"
            r".*\b(?:abr[ií]s|abren?|abierto|cerr[aá]is|cierran?|cerrado|atend\w+)\b"
            r"|^\W*(?:hola\W+)?(?:est[aá]is|abr[ií]s|abren|cerr[aá]is)\b",
            re.IGNORECASE,
        ),
        "teléfono": re.compile(
            r"\b(?:c[oó]mo (?:os |les |te )?(?:llamo|contact\w+|localizo)|llamaros"
            r"|hablar (?:con|por tel[eé]fono)|wh?ats[au]p+|wasap)\b",
            re.IGNORECASE,
        ),
    },
    "en": {
        "address": re.compile(
            r"\bwhere (?:are you|is (?:the|your) \w+\W*$|can i find you|do i find you"
            r"|exactly are you)\b"
            r"|\bhow (?:do|can) (?:i|we) (?:get (?:there|to you)|find you)\b"
            r"|\byou(?:'re| are)? (?:located|based)\b",
            re.IGNORECASE,
        ),
        "opening hours": re.compile(
            r"\b(?:what time|when|until when|how late|which days?|what days?)\b"
            r".*\b(?:open|close[sd]?|shut)\b|^\W*(?:hi\W+|hello\W+)?are you open\b",
            re.IGNORECASE,
        ),
        "phone": re.compile(
            r"\bhow (?:do|can) (?:i|we) (?:contact|reach|call|ring|phone) you\b"
            r"|\b(?:give you a (?:ring|call)|your number|whats ?app)\b",
            re.IGNORECASE,
        ),
    },
}


def name_line(
    tenant: Tenant, text: str, language: Language, *, source_ids: Sequence[uuid.UUID] | None
) -> str:
    """Adds the name of the line that answers: «¿dónde estáis?» becomes «¿dónde estáis?
    (dirección)». One query, for such questions alone."""
    if len(text.split()) > WORDS_MAX:
        return text
    called = next((name for name, asks in CALLED[language].items() if asks.search(text)), None)
    if called is None or called in text.lower():
        return text
    terms = SourceTerm.objects.for_tenant(tenant).filter(term__in=question_terms(called, language))
    if source_ids is not None:
        terms = terms.filter(source__in=source_ids)
    return f"{text} ({called})" if terms.exists() else text
