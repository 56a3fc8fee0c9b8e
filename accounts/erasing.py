"""Erasing a person who signs in, and what is held of them as an archive.

What has begun (accounts/services/erasure.py) may be killed anywhere, and goes on when it is run
again: the account goes last, in the transaction that closes the receipt.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import Q

from accounts.exporting import ROWS_AT_ONCE, as_json
from accounts.models import ErasureReceipt, User
from accounts.receipts import Counts, close_receipt
from config.database.acting import over_all_tenants
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

# --- Erasing --------------------------------------------------------------------------------------


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
    """How many rows of each kind are the person's, or name them."""
    return {
        model._meta.label: every(model).filter(held_of(model, rule, user)).count()
        for model, rule in list_personal()
    }


def held_of(model: type[models.Model], rule: Personal, user: User) -> Q:
    held = of_person(rule, user)
    for column in rule.named_in:
        named = naming(every(model), column, names(user.email))
        held |= Q(pk__in=named.values("pk"))
    return held


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


# --- Telling --------------------------------------------------------------------------------------


@over_all_tenants()
def write_person_archive(user: User) -> IO[bytes]:
    """A ZIP of JSON lines: what is held of the person, and not what their companies wrote. At its
    start; the caller closes it."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller's
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for model, rule in list_personal():
            if rule.name:
                write_lines(archive, f"{rule.name}.jsonl", lines_of(model, rule, user))
    file.seek(0)
    return file


def lines_of(model: type[models.Model], rule: Personal, user: User) -> Iterator[dict[str, Any]]:
    rows = every(model).filter(held_of(model, rule, user)).order_by("pk")
    yield from rows.values(*rule.columns).iterator(chunk_size=ROWS_AT_ONCE)


def write_lines(archive: zipfile.ZipFile, name: str, lines: Iterator[dict[str, Any]]) -> None:
    with archive.open(name, "w", force_zip64=True) as file:
        for line in lines:
            file.write(as_json(line).encode(errors="replace") + b"\n")
