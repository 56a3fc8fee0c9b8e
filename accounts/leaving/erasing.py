"""Erasing a person who signs in.

What has begun (accounts/services/leaving/erasure.py) may be killed anywhere, and goes on when it is
run again: the account goes last, in the transaction that closes the receipt.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import Count, Q

from accounts.leaving.receipts import LEASE, Counts, claimed_receipt, close_receipt
from accounts.models import ErasureReceipt, User
from config.security.personal import (
    COMPANYS_OWN,
    Personal,
    declared,
    list_personal,
    names,
    naming,
    of_person,
    pseudonym_of,
    replace_name,
    text_columns,
)

# Keys of the rows in which the person was found, by the name of the column.
Found = dict[str, list[Any]]


def erase_person(receipt: ErasureReceipt) -> None:
    """Erases the person for the worker that holds the receipt (take_receipt); stops once another
    holds it.

    Raises SomethingIsLeft: then the account is still there, and nobody signs in to it.
    Raises User.DoesNotExist when our staff has deleted the account meanwhile.
    """
    user = User.objects.get(pk=str(receipt.person_id))
    for model, rule in list_personal():
        if not LEASE.renew(claimed_receipt(receipt)):
            return
        clean_rows(model, rule, user)
    with transaction.atomic():
        # If this worker was silent for longer than its lease, another one has the receipt.
        if not claimed_receipt(receipt).select_for_update():
            return
        # Again, for what was written meanwhile. From here on it is others who write.
        found: Found = {}
        for model, rule in list_personal():
            found |= clean_rows(model, rule, user)
        user.delete()
        close_after_search(receipt, names(user.email), found)


def clean_rows(model: type[models.Model], rule: Personal, user: User) -> Found:
    """Deletes or pseudonymizes the model's rows about the person, and returns the keys of those it
    found. Leaves the rows that are deleted together with the account."""
    rows, label, found = rows_of_all_tenants(model), model._meta.label, {}
    if rule.address:
        theirs = rows.filter(**{f"{rule.address}__iexact": user.email})
        keys = list(theirs.values_list("pk", flat=True))
        rows.filter(pk__in=keys).delete()
        found[f"{label}.{rule.address}"] = keys
    if rule.stays:
        rows.filter(of_person(rule, user)).update(**dict.fromkeys(rule.emptied, ""))
    for column in rule.named_in:
        keys = replace_name(rows, column, user.email, pseudonym_of(user.email))
        found[f"{label}.{column}"] = keys
    return found


def close_after_search(receipt: ErasureReceipt, pattern: str, found: Found) -> None:
    """Closes the receipt unless the person is still named in their own rows, or in rows that were
    `found` and should have been cleaned. Rows of others are reported, but keep no receipt open:
    anybody who knows the address can write it again and again.

    Raises SomethingIsLeft.
    """
    searched, left, said = list(searched_columns()), [], {}
    for field in searched:
        named = naming(rows_of_all_tenants(field.model), field.name, pattern)
        theirs = Q(pk__in=found.get(str(field), [])) | is_own(field.model, receipt.person_id)
        rows = named.aggregate(all=Count(field.name), theirs=Count(field.name, filter=theirs))
        if rows["theirs"]:
            left.append(str(field))
        elif rows["all"]:
            said[str(field)] = rows["all"]
    close_receipt(receipt, searched=len(searched), left=left, said_by_others=said)


def is_own(model: type[models.Model], person_id: uuid.UUID | None) -> Q:
    """The condition for rows that lead to the account, which may be gone. An address does not
    count: others may write it."""
    rule = declared(model)
    if isinstance(rule, Personal) and rule.of:
        return Q(**{rule.of: person_id})
    return Q(pk__in=[])


def count_held(user: User) -> Counts:
    """The number of rows of each kind that are the person's, found by indexes: a request waits for
    it."""
    return {
        model._meta.label: rows_of_all_tenants(model).filter(of_person(rule, user)).count()
        for model, rule in list_personal()
    }


def searched_columns() -> Iterator[models.Field[Any, Any]]:
    """Every text column except those that a company or its visitors wrote."""
    for model in apps.get_models():
        rule = declared(model)
        is_visitors = rule is None and hasattr(model, "erased_with_session")
        if rule == COMPANYS_OWN or is_visitors:
            continue
        spared = rule.company_words if isinstance(rule, Personal) else ()
        yield from (field for field in text_columns(model) if field.name not in spared)


def rows_of_all_tenants(model: type[models.Model]) -> models.QuerySet[Any]:
    """The rows of all tenants, since a person may be in several."""
    return model._base_manager.order_by()
