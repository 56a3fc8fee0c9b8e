"""What one visitor of a tenant's agents has left: finding it, taking it along, erasing it.

A tenant's people are asked by their own customers, who know an e-mail address or a phone number and
no session. Found is what the visitor wrote, however a number is grouped; a session that names them
goes whole. Sealed texts are not searched: they are gone when they are answered or sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import phonenumbers
from django.apps import apps
from django.db import models, transaction

from accounts.models import AskedBy, ErasureKind, ErasureReceipt, IdempotentRequest, Tenant
from accounts.receipts import add_counts, close_receipt, open_receipt
from accounts.tenancy import TenantModel, TenantQuerySet
from config.export import Exported
from config.security.erasure import list_session_rows
from config.security.personal import Personal, declared, names, naming, text_columns
from query.conversations.erasure import erase_with_receipt, scoped
from query.models import AnswerMark, Conversation, Message

# Between the digits of a phone number, as people write them.
GROUPED = r"[\s()./-]{0,3}"
NEITHER = "Give an e-mail address, or a phone number with its country: +34600111222."
# Which hold a visitor's words beside the rows of their sessions.
BESIDE_SESSIONS = (AnswerMark, IdempotentRequest)


def erase_visitor(tenant: Tenant, contact: str, *, asked_by: AskedBy) -> ErasureReceipt:
    """Whoever wrote this e-mail address or phone number to one of the tenant's agents: all of their
    sessions, and what else holds it.

    Raises ValueError for what is neither, redis.RedisError, SomethingIsLeft.
    """
    pattern = pattern_of(contact)
    receipt = open_receipt(
        ErasureKind.VISITOR,
        f"{tenant.pk} {contact.strip().lower()}",
        asked_by=asked_by,
        workspace_id=tenant.pk,
    )
    for session_id in sorted(list_sessions_of(tenant, pattern)):
        erase_with_receipt(tenant, session_id, receipt)
    with transaction.atomic():
        add_counts(receipt, {"conversations": erase_without_session(tenant, pattern)})
        for model in BESIDE_SESSIONS:
            rows = scoped(model, tenant)
            keys = {row.pk for row in rows_naming(rows, pattern)}
            add_counts(receipt, {model._meta.label: rows.filter(pk__in=keys).delete()[0]})
    searched = list(visitor_columns())
    left = [
        str(field)
        for field in searched
        if naming(scoped(field.model, tenant), field.name, pattern).exists()
    ]
    close_receipt(receipt, searched=len(searched), left=left)
    return receipt


def pattern_of(contact: str) -> str:
    """A regular expression of PostgreSQL. Raises ValueError."""
    contact = contact.strip()
    if "@" in contact:
        return names(contact)
    try:
        number = phonenumbers.parse(contact)
    except phonenumbers.NumberParseException as error:
        raise ValueError(NEITHER) from error
    return phone_pattern(str(number.country_code), phonenumbers.national_significant_number(number))


def phone_pattern(country: str, digits: str) -> str:
    """However it is written: with its country or without, in groups or not."""
    national = GROUPED.join(digits)
    return rf"(?<!\d)(?:(?:\+|00)?{country}{GROUPED})?(?:\(?0\)?{GROUPED})?{national}(?!\d)"


def list_sessions_of(tenant: Tenant, pattern: str) -> set[str]:
    """The ids of sessions in which it stands anywhere, but for questions without a session."""
    found: set[str] = set()
    for rows in list_session_rows():
        owners = scoped(rows.model, tenant)
        named = {row.pk for row in rows_naming(owners, pattern)}
        for model, key in rows.dependents:
            dependents = rows_naming(scoped(model, tenant), pattern)
            named |= {getattr(row, f"{key}_id") for row in dependents}
        found |= set(owners.filter(pk__in=named).values_list(rows.by, flat=True))
    return found - {""}


def rows_naming(rows: TenantQuerySet[TenantModel], pattern: str) -> Iterator[TenantModel]:
    for field in visitors_words(rows.model):
        yield from naming(rows, field.name, pattern)


def erase_without_session(tenant: Tenant, pattern: str) -> int:
    """Conversations of one question, which belong to no session."""
    messages = rows_naming(Message.objects.for_tenant(tenant), pattern)
    keys = {message.conversation_id for message in messages if isinstance(message, Message)}
    conversations = Conversation.objects.for_tenant(tenant).filter(pk__in=keys, session_id="")
    return conversations.delete()[1].get(Conversation._meta.label, 0)


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


# --- Telling --------------------------------------------------------------------------------------


def read_visitor(tenant: Tenant, contact: str) -> dict[str, list[dict[str, Any]]]:
    """What there is of their sessions, named as in the workspace's archive. Raises ValueError."""
    return read_sessions(tenant, list_sessions_of(tenant, pattern_of(contact)))


def read_sessions(tenant: Tenant, session_ids: set[str]) -> dict[str, list[dict[str, Any]]]:
    """Of every agent and channel."""
    found: dict[str, list[dict[str, Any]]] = {}
    for rows in list_session_rows():
        ways = [(rows.model, rows.by), *((m, f"{key}__{rows.by}") for m, key in rows.dependents)]
        for model, way in ways:
            rule = getattr(model, "exported", None)
            if isinstance(rule, Exported):
                own = scoped(model, tenant).filter(**{f"{way}__in": session_ids}).order_by("pk")
                found[rule.name] = list(own.values(*rule.columns))
    return found
