"""Names the topics of the documents, in a few words that a person would use.

Out of the names that people gave their sources, the documents' titles and first headings, and, at
the last, files' names made readable. Years, versions and the company's own name are left out; so is
every name in another language than the question, or that names a file and nothing else.
"""

from __future__ import annotations

import itertools
import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.db.models import Min

from accounts.models import Tenant
from agents.scope import scope_of
from language.detection import detect_message_language
from language.word_lists import words
from language.words import WORD, Language, fold, typed_zipf
from query.answering.cleaning import make_harmless
from query.understanding.inquiries import Inquiry
from sources.models import Chunk, Document, Source

TOPICS_NAMED = 5
TENANTS_REMEMBERED = 256
SOURCES_READ = 12
DOCUMENTS_READ = 20
HEADINGS_READ = 60
NAME_MAX_WORDS = 6
NAME_MAX_CHARS = 60
READ_MAX_CHARS = 300  # a longer text is not a name, even when shortened

EXTENSION = re.compile(
    r"(?:\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|txt|md|html?|png|jpe?g|tiff?|webp|bmp|wav|mp3|ogg|m4a|flac"
    r"|webm|odt|ods|rtf|json|xml|zip))+$",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"[?¿@/]|\w\.[^\W\d]")  # of a page or a mailbox; and questions
REPLY = re.compile(r"^\W*(?:re|rv|rm|aw|fwd?)\s*:", re.IGNORECASE)  # the subject of a mail
FILE_MARKS = re.compile(r"[_+.~]+|(?<=\w)-(?=\w)")
HUMPS = re.compile(r"(?<=[a-zñáéíóú])(?=[A-ZÑÁÉÍÓÚ][a-z])|(?<=[^\W\d_])(?=\d{4}\b)")
NUMBERING = re.compile(r"^\s*(?:\d{1,2}[.)]|[A-Z]\))(?:\d{1,2}[.)]?)*\s*")
# Years, dates, versions, copies; what stands in brackets.
VERSIONS = re.compile(
    r"\([^()]*\)|\b(?:v|ver|version|versión|rev|r)[ .]?\d+(?:[. ]\d+)*\b"
    r"|\b\d{4}(?:[-/. ]\d{2,4})*\b|\b\d+\b"
    r"|(?:\b(?:final|definitiv[oa]|copia|copy|draft|borrador|nuev[oa]|new|old|es|en)\s*)+$",
    re.IGNORECASE,
)
SECTION_SEPARATOR = " > "
# Of these alone no topic is made. Folded.
FILE_WORDS = words("topics.file_words")


class SourceNow(NamedTuple):
    """A source at this moment: another generation may have other documents."""

    pk: uuid.UUID
    name: str
    generation: int


def list_topics(inquiry: Inquiry, language: Language) -> list[str]:
    """Lists at most TOPICS_NAMED topics, one from each source before any source has two. At most
    two queries, and two more when the sources have changed."""
    sources = Source.objects.for_tenant(inquiry.tenant).filter(chunks_count__gt=0)
    scope = scope_of(inquiry.tenant, inquiry.agent)
    if scope is not None:
        sources = sources.filter(pk__in=scope)
    rows = sources.values_list("pk", "name", "generation")[:SOURCES_READ]
    now = tuple(itertools.starmap(SourceNow, rows))
    return list(topics_of(inquiry.tenant, inquiry.tenant.name, now, language))


@lru_cache(TENANTS_REMEMBERED)
def topics_of(
    tenant: Tenant, company: str, sources: tuple[SourceNow, ...], language: Language
) -> tuple[str, ...]:
    names = {one.pk: [] if is_file_name(one.name) else [one.name] for one in sources}
    documents = Document.objects.for_tenant(tenant).live().filter(source_id__in=names)
    titles = documents.order_by("position").values_list("pk", "source_id", "title")
    read = list(titles[:DOCUMENTS_READ])
    headings = headings_of(tenant, [pk for pk, _, _ in read], language)
    for document, source, title in read:
        names[source] += by_quality(title, headings[document])
    return tuple(choose([[*readable_names(own, company, language)] for own in names.values()]))


def headings_of(
    tenant: Tenant, documents: Sequence[uuid.UUID], language: Language
) -> Mapping[uuid.UUID, list[str]]:
    """The paths of the first headings of each document that stand over text of this language."""
    found: dict[uuid.UUID, list[str]] = defaultdict(list)
    chunks = Chunk.objects.for_tenant(tenant).filter(document_id__in=documents)
    paths = chunks.filter(language=language).exclude(section_title="")
    once = paths.values("document_id", "section_title").annotate(first=Min("position"))
    for row in once.order_by("first", "section_title")[:HEADINGS_READ]:
        found[row["document_id"]].append(row["section_title"])
    return found


def by_quality(title: str, paths: Sequence[str]) -> list[str]:
    """The document's names, the likeliest first. A heading that stands over all the others is what
    the document is called."""
    split = [path.split(SECTION_SEPARATOR) for path in paths]
    roots = list(dict.fromkeys(path[0] for path in split))
    below = list(dict.fromkeys(name for path in split for name in path[1:]))
    return [*roots, title, *below] if len(roots) == 1 else [title, *roots, *below]


def choose(names: Sequence[Sequence[str]]) -> list[str]:
    """The first name of each source, then the second of each, each name once."""
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*names, fillvalue=""))
    once: dict[str, str] = {}
    for name in in_turn:
        if name:
            once.setdefault(fold(name), name)
    return list(once.values())[:TOPICS_NAMED]


# --- Names ----------------------------------------------------------------------------------------


def readable_names(names: Iterable[str], company: str, language: Language) -> Iterator[str]:
    """The names of a source that read as topics, in their order."""
    for name in names:
        topic = readable(name, company) if len(name) <= READ_MAX_CHARS else ""
        if topic and detect_message_language(topic, language) == language:
            yield topic


def is_file_name(name: str) -> bool:
    return bool(EXTENSION.search(name)) or "_" in name


def readable(name: str, company: str) -> str:
    """The name as a topic: "opening_hours_2025_v2.pdf" becomes "opening hours"; "" for a name that
    says nothing but that it is a file."""
    plain = EXTENSION.sub("", name.strip())
    if ADDRESS.search(plain) or REPLY.search(plain):
        return ""
    if is_file_name(name) or " " not in plain:
        plain = HUMPS.sub(" ", FILE_MARKS.sub(" ", plain))
    plain = without_company(NUMBERING.sub("", plain), company)
    plain = " ".join(VERSIONS.sub(" ", plain).split()).strip(" -–—:·|,")
    return (
        make_harmless(as_spoken(plain)) if says_something(plain, is_file=is_file_name(name)) else ""
    )


def without_company(name: str, company: str) -> str:
    """Removes the company's own name: "Terms of Acme" becomes "Terms", and "ACME" alone
    becomes ""."""
    own = r"\W+".join(re.escape(word) for word in WORD.findall(fold(company)))
    folded = fold(name)
    if not own or len(folded) != len(name):
        return name
    found = re.search(rf"\W*\b(?:(?:de|del|of|at|en|by|from|para|for) )?{own}\b\W*", folded)
    return f"{name[: found.start()]} {name[found.end() :]}".strip() if found else name


def says_something(name: str, *, is_file: bool) -> bool:
    """Tells whether a name is short and has a word that is not only used for files; in a file's
    name, a language has to know that word."""
    said = WORD.findall(fold(name))
    if not 0 < len(said) <= NAME_MAX_WORDS or len(name) > NAME_MAX_CHARS:
        return False
    return any(
        word not in FILE_WORDS
        and (not is_file or max(typed_zipf(word, "es"), typed_zipf(word, "en")) > 0)
        for word in said
        if len(word) > 2
    )


def as_spoken(name: str) -> str:
    """The name as it is written within a sentence: «Condiciones de venta» becomes «condiciones de
    venta»."""
    first, _, rest = name.partition(" ")
    is_common = (
        first.istitle() and typed_zipf(fold(first), "es") + typed_zipf(fold(first), "en") > 0
    )
    if name.isupper():
        return name.lower()
    return f"{first.lower()} {rest}".strip() if is_common and rest and rest.islower() else name
