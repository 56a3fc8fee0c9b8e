"""Erasing a person who signs in.

What has begun (accounts/services/erasure.py) may be killed anywhere, and goes on when it is run
again: the account goes last, in the transaction that closes the receipt.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models, transaction

from accounts.models import ErasureReceipt, User
from accounts.receipts import Counts, close_receipt
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


def erase_person(receipt: ErasureReceipt) -> None:
    """Raises SomethingIsLeft: then the account is still there, and nobody signs in to it.
    Raises User.DoesNotExist when our staff has deleted the account meanwhile.
    """
    user = User.objects.get(pk=str(receipt.person_id))
    for model, rule in list_personal():
        rows = every(model)
        if rule.address:
            rows.filter(**{rule.address: user.email}).delete()
        if rule.stays:
            rows.filter(of_person(rule, user)).update(**dict.fromkeys(rule.emptied, ""))
        for column in rule.named_in:
            replace_name(rows, column, user.email, pseudonym_of(user.email))
    with transaction.atomic():
        if not ErasureReceipt.objects.select_for_update().filter(pk=receipt.pk, finished_at=None):
            return  # another worker has done the same
        user.delete()
        searched = list(searched_columns())
        left = [str(field) for field in searched if holds(field, names(user.email))]
        close_receipt(receipt, searched=len(searched), left=left)


def count_held(user: User) -> Counts:
    """How many rows of each kind are the person's. By indexes: a request waits for it."""
    return {
        model._meta.label: every(model).filter(of_person(rule, user)).count()
        for model, rule in list_personal()
    }


def searched_columns() -> Iterator[models.Field[Any, Any]]:
    """Every column of text but those that a company or its visitors wrote."""
    for model in apps.get_models():
        rule = declared(model)
        is_visitors = rule is None and hasattr(model, "erased_with_session")
        if rule == COMPANYS_OWN or is_visitors:
            continue
        spared = rule.company_words if isinstance(rule, Personal) else ()
        yield from (field for field in text_columns(model) if field.name not in spared)


def holds(field: models.Field[Any, Any], pattern: str) -> bool:
    return naming(every(field.model), field.name, pattern).exists()


def every(model: type[models.Model]) -> models.QuerySet[Any]:
    """Of all tenants: a person is nobody's in particular."""
    return model._base_manager.order_by()
