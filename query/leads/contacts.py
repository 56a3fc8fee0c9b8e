"""A customer's own contact data in their message: e-mail address, phone number, name.

"The shop's address is info@…", "write to my boss at…" and "I called 900…" are other people's: what
stands before an address tells whose it is, the nearest word first. Precision comes before recall: a
missed number is asked for again, a wrong one is called.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from phonenumbers import (
    Leniency,
    PhoneNumberFormat,
    PhoneNumberMatcher,
    PhoneNumberType,
    format_number,
    number_type,
)

from language import word_lists
from language.calendar import PLAIN_WEEKDAYS
from language.word_lists import pattern
from language.words import WORD, fold

EMAIL_MAX_CHARS = 254  # RFC 5321, 4.5.3.1
# RFC 5321, 4.5.3.1.1. The bound also keeps the expression below linear.
LOCAL_PART_MAX_CHARS = 64
NAME_MAX_CHARS = 60
TEXT_READ_CHARS = 2000  # normalised text may be longer than the message
PHONE_MIN_DIGITS = 7


@dataclass(frozen=True)
class Contact:
    """A customer's contact data. `is_all`: the message holds nothing else but politeness. The phone
    number is in E.164."""

    email: str = ""
    phone: str = ""
    name: str = ""
    is_all: bool = False

    @property
    def is_reachable(self) -> bool:
        return bool(self.email or self.phone)


@dataclass(frozen=True)
class Found:
    """An address or number, and its place in the text."""

    field: str
    value: str
    start: int
    end: int
    is_seldom_own: bool = False  # free and premium numbers are companies'


# --- E-mail addresses ----------------------------------------------------------------------------

AT = (
    r"(?:\s?@\s?|\s*[\[({<]\s*(?:at|arroba|@)\s*[\])}>]\s*|\s+arroba\s+"
    # Plain "at" only with a "dot" that is spelt as well: "I work at example.com" is not an address.
    r"|\s+at\s+(?=[\w-]+\s+dot\s+\w))"
)
DOT = r"(?:\.|\s*[\[({]\s*(?:dot|punto|\.)\s*[\])}]\s*|\s+(?:dot|punto)\s+)"
LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
SPELT_DOT = r"\s+(?:dot|punto)\s+"
EMAIL = re.compile(
    rf"(?<![\w.+%-])(?P<local>\w[\w.+%'-]{{0,{LOCAL_PART_MAX_CHARS - 1}}}"
    rf"(?:{SPELT_DOT}\w[\w+%-]{{0,30}}(?={SPELT_DOT}|{AT})){{0,3}})"
    rf"{AT}(?P<domain>{LABEL}(?:{DOT}{LABEL}){{1,5}})",
    re.IGNORECASE,
)
# "ana@example.org.Gracias": a sentence that begins without a space
NEXT_SENTENCE = re.compile(r"(?<=[a-z0-9])\.[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+$")

# --- Phone numbers -------------------------------------------------------------------------------

# Texts with digits that are not phone numbers; blanked out before phones are looked for.
NO_PHONE = re.compile(
    r"\w+://\S+"
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b"  # IBAN
    r"|(?<!\+)\b\d{4}(?:[ -]?\d{4}){2}[ -]?\d{1,7}\b"  # card
    r"|(?<!\d[/.-])\b\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\b(?![ .-]?\d)"  # date
    r"|[€$£]\s?\d[\d.,' ]*"
    r"|\b\d[\d.,' ]*\s?(?:€|\$|£|euros?\b|eur\b|usd\b|dolares\b|pesos\b|dollars\b|pounds\b)",
    re.IGNORECASE,
)
# Folded, right before a number: it is one of something else.
REFERENCE = re.compile(
    rf"\b(?:{pattern('contacts.references')})\b"
    r"\W*(?:(?:n[ºo°]?|num|numero|number|no|is|es|id|#)\W*){0,3}$"
    r"|\b(?:es (?:la|el)|is|it's) (?:numero|number|n[ºo°])\W*$"
)
COMPANY_TYPES = {
    PhoneNumberType.TOLL_FREE,
    PhoneNumberType.PREMIUM_RATE,
    PhoneNumberType.SHARED_COST,
    PhoneNumberType.UAN,
}

# --- Whose it is, in folded text -----------------------------------------------------------------

OWN = re.compile(rf"\b(?:{pattern('contacts.own')})\b")
# "me llamo" alone is "my name is": the accent of "me llamó" is folded.
OTHERS = re.compile(rf"\b(?:{pattern('contacts.others')})\b")
OTHER_PERSON = re.compile(pattern("contacts.other_person"))  # "My accountant, accountant@…"
# Right behind it: "ana@… is mine", "luis@… is my boss's"
OWN_AFTER = re.compile(pattern("contacts.own_behind"))
OTHERS_AFTER = re.compile(pattern("contacts.others_behind"))
SENTENCE_END = re.compile(r"[!\n]|\?(?!\w)|\.(?=\s|$)")  # but the "?" of an address: "…/?a=1"

# --- Names ---------------------------------------------------------------------------------------

NAME_WORD = r"[A-ZÀ-ÖØ-ÞŁŚŠŽČ](?:[^\W\d_]|['’-](?=[^\W\d_])){1,24}"
NAME = rf"{NAME_WORD}(?: (?:(?:de la|del|de los|van|von|da|dos|di|y|la) )?{NAME_WORD}){{0,3}}"
INTRODUCED = re.compile(
    rf"(?:\b(?i:{pattern('contacts.introductions')})\s+|\b(?i:nombre|name)\s*:\s*)"
    rf"(?P<name>{NAME})(?=\W|$)"
)
# Written small after words that nothing else follows
INTRODUCED_SMALL = re.compile(
    rf"\b(?i:{pattern('contacts.introductions_small')})\s+(?P<name>[^\W\d_]{{2,25}})"
    r"(?=\s*(?:[,.;\n]|$|y\b|and\b))"
)
# «soy ana, ana@…»: "soy" also goes before what somebody is, so the address has to tell the name too
SMALL_BEFORE_ADDRESS = re.compile(
    r"\b(?i:soy|i am|i'm|i’m|im)\s+(?P<name>[^\W\d_]{2,25})\s*[,;:.]?\s*$"
)
HERE = re.compile(rf"(?:^|[.!?\n]\s*)(?P<name>{NAME}) (?:here|al habla)\b")
SIGNED = re.compile(rf"(?i:{pattern('contacts.closings')})[,.!]?\s+(?P<name>{NAME})[.!]?\s*$")
BEFORE = re.compile(rf"(?:^|[.!?:,;\n]\s*)(?P<name>{NAME})\s*[.,:;\n–—-]?\s*$")
BEHIND = re.compile(
    rf"^\s*[,;.\n–—-]?\s*(?:(?:Sr|Sra|Dr|Dra|Ing|Lic|Mr|Mrs|Ms)\.? )?(?P<name>{NAME})[.!]?\s*$"
)
# Folded words that begin with a capital and are not a name
NO_NAMES = word_lists.words("contacts.no_names") | PLAIN_WEEKDAYS

# --- What may stand beside contact data without being a question ---------------------------------

FILLER = word_lists.words("contacts.filler")


def read_contact(text: str, regions: Sequence[str]) -> Contact:
    """The writer's own contact data. `regions`: where a phone number without a country code may be
    from (ISO 3166 alpha-2), likeliest first."""
    plain = unicodedata.normalize("NFKC", text)[:TEXT_READ_CHARS]
    found = sorted((*find_emails(plain), *find_phones(plain, regions)), key=lambda one: one.start)
    own = own_ones(plain, found)
    name, name_span = find_name(plain, found, own)
    spans = [name_span, *((one.start, one.end) for one in own)]
    return Contact(
        first(own, "email"),
        first(own, "phone"),
        name,
        is_all=bool(own or name) and own == found and is_filler(plain, spans),
    )


def first(own: Sequence[Found], field: str) -> str:
    return next((one.value for one in own if one.field == field), "")


def find_emails(text: str) -> Iterator[Found]:
    for match in EMAIL.finditer(blank(text, re.compile(r"\w+://\S+"))):
        local = re.sub(SPELT_DOT, ".", match["local"], flags=re.IGNORECASE)
        domain = re.sub(DOT, ".", match["domain"], flags=re.IGNORECASE)
        cut = NEXT_SENTENCE.sub("", domain)
        if cut != domain and "." in cut:
            domain = cut
        address = f"{local}@{domain.lower()}"
        if is_email(address):
            yield Found("email", address, match.start(), match.end())


def is_email(address: str) -> bool:
    try:
        EmailValidator()(address)
    except ValidationError:
        return False
    return len(address) <= EMAIL_MAX_CHARS


def find_phones(text: str, regions: Sequence[str]) -> list[Found]:
    """The phone numbers of the first region in which there are some; a number with a country code
    belongs to any."""
    if not may_hold_phone(text):
        return []
    searched = blank(blank(text, EMAIL), NO_PHONE)
    for region in regions:
        found = list(find_phones_of(searched, region))
        if found:
            return found
    return []


def may_hold_phone(text: str) -> bool:
    return sum(char.isdigit() for char in text) >= PHONE_MIN_DIGITS


def find_phones_of(text: str, region: str) -> Iterator[Found]:
    for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
        before = fold(text[max(0, match.start - 40) : match.start])
        if match.raw_string.startswith("+") or not REFERENCE.search(before):
            value = format_number(match.number, PhoneNumberFormat.E164)
            is_company = number_type(match.number) in COMPANY_TYPES
            yield Found("phone", value, match.start, match.end, is_company)


def blank(text: str, pattern: re.Pattern[str]) -> str:
    """Replaces each match by as many "_", so that the places of the rest stay."""
    return pattern.sub(lambda match: "_" * len(match[0]), text)


def own_ones(text: str, found: Sequence[Found]) -> list[Found]:
    """The contacts that are the writer's own. One that nothing is said about counts like the one
    before it in its sentence."""
    own: list[Found] = []
    previous: Found | None = None
    for one in found:
        sentence_ends = (match.end() for match in SENTENCE_END.finditer(text, 0, one.start))
        begin = max(sentence_ends, default=0)
        goes_on = previous is not None and previous.end > begin
        begin = max(begin, previous.end if previous else 0)
        is_own = tell_owner(text, begin, one)
        if is_own is None:
            is_own = previous in own if goes_on else not (one.is_seldom_own or is_asked(text, one))
        if is_own:
            own.append(one)
        previous = one
    return own


def tell_owner(text: str, begin: int, one: Found) -> bool | None:
    """Tells whether the contact is the writer's; None when the text does not say. The nearest word
    before it counts."""
    before, behind = fold(text[begin : one.start]), fold(text[one.end : one.end + 40])
    if OTHERS_AFTER.search(behind) or OTHER_PERSON.search(before):
        return False
    nearest_own = max((match.end() for match in OWN.finditer(before)), default=-1)
    nearest_others = max((match.end() for match in OTHERS.finditer(before)), default=-1)
    if nearest_own == nearest_others == -1:
        return True if OWN_AFTER.search(behind) else None
    return nearest_own > nearest_others


def is_asked(text: str, one: Found) -> bool:
    """Tells whether the contact stands in a question."""
    end = SENTENCE_END.search(text, one.end)
    return end is not None and end[0] == "?"


def find_name(
    text: str, found: Sequence[Found], own: Sequence[Found]
) -> tuple[str, tuple[int, int]]:
    """The name and its place; "" when none is told for sure."""
    for match in name_matches(text, found, own):
        name = " ".join(match["name"].split())
        if is_name(name) and not text.isupper():
            return name, match.span()
    return "", (0, 0)


def name_matches(
    text: str, found: Sequence[Found], own: Sequence[Found]
) -> Iterator[re.Match[str]]:
    """Yields the names found, the surest first. A bare name counts only beside the writer's own
    contact data."""
    for introduction in (INTRODUCED, INTRODUCED_SMALL, HERE):
        yield from introduction.finditer(text)
    if not own:
        return
    for match in SMALL_BEFORE_ADDRESS.finditer(text, 0, own[0].start):
        if fold(own[0].value).startswith(fold(match["name"])):
            yield match
    yield from SIGNED.finditer(text)
    previous_end = max((one.end for one in found if one.end <= own[0].start), default=0)
    yield from BEFORE.finditer(text, previous_end, own[0].start)
    if found[-1] == own[-1]:
        yield from BEHIND.finditer(text[own[-1].end :].rjust(len(text)))


def is_name(name: str) -> bool:
    particles = {word for word in name.split()[1:] if word.islower()}
    words = {fold(word) for word in name.split()} - particles
    return len(name) <= NAME_MAX_CHARS and not words & NO_NAMES


def is_filler(text: str, spans: Sequence[tuple[int, int]]) -> bool:
    """Tells whether nothing but politeness is left of the text without its `spans`."""
    left = "".join(
        " " if any(start <= position < end for start, end in spans) else char
        for position, char in enumerate(text)
    )
    return "?" not in left and FILLER.issuperset(WORD.findall(fold(left)))
