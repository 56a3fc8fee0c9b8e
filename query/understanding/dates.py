"""The day that a question means by "today": «¿abrís hoy?» is asked of lines that name weekdays.

The day's name is put behind the word that means it, in the question's language, for the search (and
for a language model, which knows no date); the visitor's words stay theirs. Measured on the demo
company's hours and a hairdresser's (7 days, 5 questions a language, embedded model): the line with
the hours is in 77 of 140 answers without the day, in 103 with its name, and in 120 where a working
day's name also says "Monday to Friday", as such lists do. The date itself is a number and a month
that those lines do not hold, and loses them; it is named only where a short source names it too: a
holiday.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import Tenant
from language.calendar import MONTHS, WEEKDAYS
from language.dates import Day, written_forms
from language.message import Message
from language.terms import question_terms, term_number
from language.word_lists import pattern
from language.words import LANGUAGES, Language
from sources.models import Chunk, Document, Source, SourceTerm

DATES: dict[Language, str] = {"es": "{weekday} {day} de {month}", "en": "{weekday} {day} {month}"}
WORKING_DAYS: dict[Language, str] = {"es": "(de lunes a viernes)", "en": "(Monday to Friday)"}
JOINT: dict[Language, str] = {"es": " y ", "en": " and "}
# A list of hours is short; the text of a long source is not read for a date.
MAX_PASSAGES_READ = 500
# The groups name the day; the first that fits counts. «por la mañana» and «esta mañana» are the
# morning, and «mañana por la mañana» is tomorrow's.
SPOKEN_DAY = {
    language: re.compile(rf"\b(?:{pattern('dates.spoken_day', language)})\b", re.IGNORECASE)
    for language in LANGUAGES
}
# Of the weather, nobody's opening hours tell.
WEATHER = re.compile(rf"\b(?:{pattern('dates.weather')})\b", re.IGNORECASE)
DAYS_AHEAD = {"today": 0, "tomorrow": 1, "after_tomorrow": 2}
SATURDAY = 5


def local_now(tenant: Tenant) -> datetime:
    """Returns the time in the company's time zone."""
    return timezone.now().astimezone(tenant.zone)


def name_day(
    tenant: Tenant, message: Message, *, source_ids: Sequence[uuid.UUID] | None
) -> Message:
    """Adds the day that is meant: «¿abrís hoy?» becomes «¿abrís hoy, domingo?». A text that means
    no such day, or asks for its weather, stays as it is, and costs no query. Only the first day is
    named. One or two queries for each day meant."""
    text, language = message.text, message.language
    found = SPOKEN_DAY[language].search(text)
    if found is None or WEATHER.search(text):
        return message
    days = days_meant(found.lastgroup or "", local_now(tenant))
    told = dates_told(tenant, days, source_ids)
    names = JOINT[language].join(write_day(day, language, has_date=day in told) for day in days)
    behind = text[found.end() :]
    comma = "," if behind.strip() and behind.lstrip()[0] not in ",.;:!?)" else ""
    return message.reworded(f"{text[: found.end()]}, {names}{comma}{behind}")


def days_meant(spoken: str, now: datetime) -> tuple[date, ...]:
    """The days that are meant. `spoken`: the group of SPOKEN_DAY that fits."""
    today = now.date()
    if spoken != "weekend":
        return (today + timedelta(days=DAYS_AHEAD[spoken]),)
    saturday = today + timedelta(days=SATURDAY - today.weekday())  # on a Sunday, yesterday
    return saturday, saturday + timedelta(days=1)


def write_day(day: date, language: Language, *, has_date: bool) -> str:
    weekday = WEEKDAYS[language][day.weekday()]
    if has_date:
        month = MONTHS[language][day.month - 1]
        return DATES[language].format(weekday=weekday, day=day.day, month=month)
    return weekday if day.weekday() >= SATURDAY else f"{weekday} {WORKING_DAYS[language]}"


# --- Holidays -------------------------------------------------------------------------------------


def dates_told(
    tenant: Tenant, days: Sequence[date], source_ids: Sequence[uuid.UUID] | None
) -> set[date]:
    """The days that a passage of a short source names, in either language or in numbers. One query
    for each day, and another where the month is named."""
    sources = Source.objects.for_tenant(tenant).filter(chunks_count__range=(1, MAX_PASSAGES_READ))
    if source_ids is not None:
        sources = sources.filter(pk__in=source_ids)
    return {day for day in days if is_told(tenant, sources, day)}


def is_told(tenant: Tenant, sources: QuerySet[Source], day: date) -> bool:
    """Tells whether a passage of `sources` names `day`. Reads only the sources that hold its
    month's name, which are asked for first: the text of all would cost 30 µs a passage. Of a day in
    numbers it is enough that a source holds them: they are a word of their own."""
    in_numbers = {
        term_number(f"={form}") for form in written_forms(Day(day.month, day.day, day.year))
    }
    wanted = in_numbers | month_terms(day.month)
    terms = SourceTerm.objects.for_tenant(tenant).filter(source__in=sources, term__in=wanted)
    found = list(terms.values_list("source_id", "term").distinct())
    if any(term in in_numbers for _, term in found):
        return True
    holding = {source for source, _ in found}
    if not holding:
        return False
    read = sources.filter(pk__in=holding)
    documents = Document.objects.for_tenant(tenant).live().filter(source__in=read)
    chunks = Chunk.objects.for_tenant(tenant).filter(source__in=holding, document__in=documents)
    return chunks.filter(text__iregex=date_pattern(day)).exists()


def month_terms(month: int) -> set[int]:
    """The numbers of the terms of the month's name, in either language."""
    return {
        term
        for language, names in MONTHS.items()
        for term in question_terms(names[month - 1], language)
    }


def date_pattern(day: date) -> str:
    """A regular expression for PostgreSQL and Python that finds the day: «el 24 de diciembre», «24
    y 31 de diciembre», "24th December", "December 24"."""
    months = "|".join(MONTHS[language][day.month - 1].lower() for language in MONTHS)
    joints = "(?:[ ,0-9]|y|e|and|al?|to|de|of|th|st|nd|rd)"
    number = f"(?:^|[^0-9]){day.day}(?![0-9])"
    return f"{number}{joints}{{1,30}}(?:{months})|(?:{months}) {day.day}(?![0-9])"
