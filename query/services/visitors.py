"""Finds what a visitor of a tenant's agents has left, hands it out, erases it.

A tenant's people are asked by their own customers, who know an e-mail address or a phone number and
no session. A number is found however it is grouped; a session that names the visitor goes whole.
So somebody looks at how much is found before it goes: a number may also be a price.
Sealed texts are not searched: they are gone when they are answered or sent.
"""

from __future__ import annotations

import re
import uuid
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

import phonenumbers
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import models, transaction
from django.db.models import Count, Max, Min, Q

from accounts.leaving.archives import as_json
from accounts.leaving.receipts import add_counts, close_receipt, open_receipt
from accounts.models import AskedBy, ErasureKind, ErasureReceipt, IdempotentRequest, Tenant
from accounts.models.tenancy import TenantModel, TenantQuerySet
from config.database.limits import allowing_statements
from config.export import Exported
from config.security.encryption import digest
from config.security.erasure import list_session_rows
from config.security.personal import Personal, declared, names, naming, text_columns
from query.conversations.erasure import erase_with_receipt, scoped
from query.models import AnswerMark, Conversation, Lead, Message

# Between the digits of a phone number, as people write them.
GROUPED = r"[\s()./-]{0,3}"
# Letters would be read as the keys of a telephone, and words behind a number be dropped.
TYPED_NUMBER = re.compile(r"\+[\d\s()./-]+")
# Fewer digits are a price, an amount or a house: such a number is found with its country alone.
NATIONAL_MIN_DIGITS = 7
NEITHER = "Enter an e-mail address, or a phone number with its country code: +34600111222."
# Which hold a visitor's words beside the rows of their sessions.
BESIDE_SESSIONS = (AnswerMark, IdempotentRequest)
# An admin waits for a search through all words of their own workspace.
SEARCH_SECONDS = 60


# --- Finding --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CountedRows:
    """The number of rows, and when the first and the last were begun."""

    count: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True)
class FoundVisitor:
    """The rows found of a visitor. Nothing has been done to them.

    `contact` is as it is looked for. `alone` are conversations of one question, which belong to no
    session. `beside`: the keys of rows of BESIDE_SESSIONS. `others` are neither conversations nor
    leads: chats, marks of wrong answers, remembered answers.
    """

    contact: str
    pattern: str
    session_ids: frozenset[str]
    alone: frozenset[uuid.UUID]
    beside: tuple[tuple[type[TenantModel], frozenset[Any]], ...]
    conversations: CountedRows
    leads: CountedRows
    others: int

    @property
    def is_nothing(self) -> bool:
        return not (self.conversations.count or self.leads.count or self.others)

    @property
    def fingerprint(self) -> str:
        """A digest of what was found, so that a person who agrees to erase it agrees to nothing
        else."""
        keys = sorted(map(str, self.alone)) + sorted(self.session_ids)
        for model, found in self.beside:
            if model is not IdempotentRequest:  # forgotten by itself, in a day
                keys += sorted(map(str, found))
        return digest("\n".join((self.contact, *keys)))


@allowing_statements(SEARCH_SECONDS)
def find_visitor(tenant: Tenant, contact: str) -> FoundVisitor:
    """Finds a visitor's rows by their contact. Raises ValueError when it is neither an e-mail
    address nor a whole phone number."""
    contact, pattern = read_contact(contact)
    session_ids = list_sessions_of(tenant, pattern)
    alone = list_alone(tenant, pattern)
    beside = tuple(
        (model, frozenset(keys_naming(scoped(model, tenant), pattern))) for model in BESIDE_SESSIONS
    )
    others = sum(
        scoped(rows.model, tenant).filter(**{f"{rows.by}__in": session_ids}).count()
        for rows in list_session_rows()
        if rows.model not in (Conversation, Lead)
    )
    of_the_visitor = Q(session_id__in=session_ids) | Q(pk__in=alone)
    conversations = Conversation.objects.for_tenant(tenant).filter(of_the_visitor)
    leads = Lead.objects.for_tenant(tenant).filter(session_id__in=session_ids)
    return FoundVisitor(
        contact,
        pattern,
        frozenset(session_ids),
        frozenset(alone),
        beside,
        conversations=count_rows(conversations),
        leads=count_rows(leads),
        others=others + sum(len(keys) for _, keys in beside),
    )


def count_rows(rows: models.QuerySet[Any]) -> CountedRows:
    found = rows.order_by().aggregate(
        count=Count("pk"), first=Min("created_at"), last=Max("created_at")
    )
    return CountedRows(**found)


def read_contact(typed: str) -> tuple[str, str]:
    """The contact as it is looked for, and a PostgreSQL regular expression that matches it. Raises
    ValueError."""
    contact = typed.strip()
    if "@" in contact:
        try:
            validate_email(contact)
        except ValidationError as error:
            raise ValueError(NEITHER) from error
        return contact.lower(), names(contact)
    number = parse_number(contact)
    pattern = phone_pattern(
        str(number.country_code), phonenumbers.national_significant_number(number)
    )
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164), pattern


def parse_number(typed: str) -> phonenumbers.PhoneNumber:
    """A whole phone number that may exist in its country. Raises ValueError."""
    if not TYPED_NUMBER.fullmatch(typed):
        raise ValueError(NEITHER)
    try:
        number = phonenumbers.parse(typed)
    except phonenumbers.NumberParseException as error:
        raise ValueError(NEITHER) from error
    is_whole = phonenumbers.ValidationResult.IS_POSSIBLE  # not IS_POSSIBLE_LOCAL_ONLY
    if phonenumbers.is_possible_number_with_reason(number) != is_whole:
        raise ValueError(NEITHER)
    return number


def phone_pattern(country: str, digits: str) -> str:
    """A regular expression that finds a number however it is written: with its country or without,
    in groups or not."""
    national = GROUPED.join(digits)
    if len(digits) < NATIONAL_MIN_DIGITS:
        written = rf"(?:\+|00){country}{GROUPED}{national}"
        if len(country + digits) >= NATIONAL_MIN_DIGITS:  # as messengers have it
            written += f"|{country}{digits}"
        return rf"(?<!\d)(?:{written})(?!\d)"
    return rf"(?<!\d)(?:(?:\+|00)?{country}{GROUPED})?(?:\(?0\)?{GROUPED})?{national}(?!\d)"


def list_sessions_of(tenant: Tenant, pattern: str) -> set[str]:
    """The ids of sessions in which the contact stands anywhere. Questions without a session are
    left out."""
    found: set[str] = set()
    for rows in list_session_rows():
        owners = scoped(rows.model, tenant)
        named = keys_naming(owners, pattern)
        for model, key in rows.dependents:
            named |= keys_naming(scoped(model, tenant), pattern, f"{key}_id")
        found |= set(owners.filter(pk__in=named).values_list(rows.by, flat=True))
    return found - {""}


def keys_naming(rows: TenantQuerySet[Any], pattern: str, key: str = "pk") -> set[Any]:
    """The keys of the rows that name the contact; never the rows, which may be a whole history."""
    found: set[Any] = set()
    for field in visitors_words(rows.model):
        found.update(naming(rows, field.name, pattern).values_list(key, flat=True))
    return found


def list_alone(tenant: Tenant, pattern: str) -> set[uuid.UUID]:
    """The ids of conversations of one question that name the contact and belong to no session."""
    keys = keys_naming(Message.objects.for_tenant(tenant), pattern, "conversation_id")
    conversations = Conversation.objects.for_tenant(tenant).filter(pk__in=keys, session_id="")
    return set(conversations.values_list("pk", flat=True))


def visitor_columns() -> Iterator[models.Field[Any, Any]]:
    for model in apps.get_models():
        if hasattr(model, "erased_with_session") or model in BESIDE_SESSIONS:
            yield from visitors_words(model)


def visitors_words(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Columns of text but those that name the company's own people."""
    rule = declared(model)
    if not isinstance(rule, Personal) or model is IdempotentRequest:
        return text_columns(model)
    return [field for field in text_columns(model) if field.name not in rule.named_in]


# --- Erasing --------------------------------------------------------------------------------------


@allowing_statements(SEARCH_SECONDS)
def erase_visitor(tenant: Tenant, found: FoundVisitor, *, asked_by: AskedBy) -> ErasureReceipt:
    """Erases all that was found, and nothing else; after a run that was killed, the rest of it.

    Raises redis.RedisError, SomethingIsLeft: also of what was written since it was found.
    """
    receipt = open_receipt(
        ErasureKind.VISITOR,
        f"{tenant.pk} {found.contact}",
        asked_by=asked_by,
        workspace_id=tenant.pk,
    )
    for session_id in sorted(found.session_ids):
        erase_with_receipt(tenant, session_id, receipt)
    with transaction.atomic():
        alone = Conversation.objects.for_tenant(tenant).filter(pk__in=found.alone)
        erased = alone.delete()[1].get(Conversation._meta.label, 0)
        add_counts(receipt, {"conversations": erased})
        for model, keys in found.beside:
            rows = scoped(model, tenant).filter(pk__in=keys)
            add_counts(receipt, {model._meta.label: rows.delete()[0]})
    searched = list(visitor_columns())
    left = [
        str(field)
        for field in searched
        if naming(scoped(field.model, tenant), field.name, found.pattern).exists()
    ]
    close_receipt(receipt, searched=len(searched), left=left)
    return receipt


# --- Telling --------------------------------------------------------------------------------------


def read_visitor(tenant: Tenant, found: FoundVisitor) -> dict[str, list[dict[str, Any]]]:
    """The rows of their conversations and leads, named as in the workspace's archive."""
    return read_sessions(tenant, found.session_ids, alone=found.alone)


def write_archive(file: IO[bytes], rows: dict[str, list[dict[str, Any]]]) -> None:
    """Write rows by their name in the archive as a ZIP of JSON lines."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in rows.items():
            archive.writestr(f"{name}.jsonl", "".join(f"{as_json(line)}\n" for line in lines))


def read_sessions(
    tenant: Tenant, session_ids: Collection[str], *, alone: Collection[uuid.UUID] = ()
) -> dict[str, list[dict[str, Any]]]:
    """The sessions' rows with every agent and channel, by their name in the archive. `alone`:
    further conversations, which belong to no session."""
    told: dict[str, list[dict[str, Any]]] = {}
    for rows in list_session_rows():
        ways = [(rows.model, rows.by), *((m, f"{key}__{rows.by}") for m, key in rows.dependents)]
        for model, way in ways:
            rule = getattr(model, "exported", None)
            if isinstance(rule, Exported):
                wanted = Q(**{f"{way}__in": session_ids})
                if rows.model is Conversation:
                    wanted |= Q(**{f"{way.removesuffix(rows.by)}pk__in": alone})
                own = scoped(model, tenant).filter(wanted).order_by("pk")
                told[rule.name] = list(own.values(*rule.columns))
    return told
