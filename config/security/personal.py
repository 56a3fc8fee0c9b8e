"""The data held about people who sign in. A model declares it itself; nothing else lists it.

class Session(TenantModel):
    personal = Personal("sessions", ("address", "created_at"), of="membership__user")

class LeadNote(TenantModel):
    personal = Personal("notes", ("created_at",), author="by", named_in=("by",))

Rows of a person and rows about them are two things: an admin who removes somebody writes a row with
the admin's own address in it. Both are found by an index, and never by reading everybody's rows.

What a model holds of visitors says `erased_with_session` (config/security/erasure.py). A test finds
a model with texts that says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, Q, TextField, Value
from django.db.models.functions import Cast

from config.security.encryption import keyed_hash


@dataclass(frozen=True)
class About:
    """Rows that name a person and are somebody else's: the archive has of them what concerns the
    person.

    Args:
        name: of their file in a person's archive, without ".jsonl".
        columns: what a line holds: nothing that tells of anybody else.
        address: the column that is the person's e-mail address then.
        key: or the one that holds the id of their account, as a text.
        only: what else tells these rows, as their index has it.
    """

    name: str
    columns: tuple[str, ...]
    address: str = ""
    key: str = ""
    only: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Personal:
    """
    Args:
        name: of its file in a person's archive, without ".jsonl"; empty: in none.
        columns: what a line of the person's own rows holds, as in config.export.Exported.
        of: the way from a row to the person's account; the row goes with that, unless `stays`.
        address: the column that is the person's e-mail address, where the row goes too.
        author: the column with the address of the person who wrote the row, which is the company's.
        about: rows that are not the person's own.
        named_in: columns that name people beside others; a pseudonym takes their place.
        emptied: columns of a row that stays, which say where its person was.
        company_words: columns that the company wrote: nobody erases them for one person.
    """

    name: str = ""
    columns: tuple[str, ...] = ()
    of: str = ""
    address: str = ""
    author: str = ""
    about: About | None = None
    named_in: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    company_words: tuple[str, ...] = ()
    stays: bool = False


# A model whose texts are what a company wrote, connected or set: its people change it themselves.
COMPANYS_OWN = "company"
# Texts that are of nobody: names of plans, hashes, what a program calls itself.
NOBODYS = "nobody"

# Of packages.
FOREIGN: dict[str, Personal | str] = {
    "admin.LogEntry": Personal(
        about=About("staff_actions", ("action_time", "action_flag"), key="object_id"),
        named_in=("object_repr", "change_message"),
    ),
    "auth.Group": NOBODYS,
    "auth.Permission": NOBODYS,
    "contenttypes.ContentType": NOBODYS,
    "sessions.Session": NOBODYS,  # signed, of staff alone; ends with the password
}
PSEUDONYM_CHARS = 16
TEXTS = (models.CharField, models.TextField, models.JSONField, models.FileField, ArrayField)


def declared(model: type[models.Model]) -> Personal | str | None:
    found: Personal | str | None = getattr(model, "personal", None)
    return found or FOREIGN.get(model._meta.label)


def list_personal() -> Iterator[tuple[type[models.Model], Personal]]:
    """Yields the installed models that declare personal data, in their order, each with its
    rule."""
    for model in apps.get_models():
        rule = declared(model)
        if isinstance(rule, Personal):
            yield model, rule


def text_columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """The columns that may hold any text: neither a choice nor ciphertext."""
    fields = model._meta.local_concrete_fields
    return [field for field in fields if isinstance(field, TEXTS) and not field.choices]


def pseudonym_of(address: str) -> str:
    """The pseudonym for an address: the same wherever and whenever it is erased."""
    return f"erased-{keyed_hash(address, purpose='erased')[:PSEUDONYM_CHARS]}"


# --- Finding and replacing ------------------------------------------------------------------------


# Where a name may begin: behind a character that cannot belong to another name, or behind the
# escape that JSON writes for a control character, whose last letter does not belong to the text.
BEGINNING = r"(?:(?<![\w.%+-])|(?<=(?<!\\)(?:\\\\)*\\(?:[bfnrt]|u[0-9a-f]{4})))"


def names(address: str) -> str:
    """A regular expression of PostgreSQL: the address as a whole, not as a part of another. The
    trigger that keeps the activity log makes the same of one (accounts_pseudonymised)."""
    return rf"{BEGINNING}{re.escape(address)}(?!\.?[\w-])"


def naming(rows: models.QuerySet[Any], column: str, pattern: str) -> models.QuerySet[Any]:
    """The rows whose column, whatever its type, matches as text."""
    texts = rows.order_by().alias(searched_text=Cast(column, TextField()))
    found: models.QuerySet[Any] = texts.filter(searched_text__iregex=pattern)
    return found


def replace_name(rows: models.QuerySet[Any], column: str, address: str, instead: str) -> list[Any]:
    """Replaces the address and returns the keys of the rows that named it."""
    field = rows.model._meta.get_field(column)
    text = Cast(F(column), TextField())
    arguments = (text, Value(names(address)), Value(instead), Value("gi"))
    replaced = Func(*arguments, function="regexp_replace", output_field=TextField())
    keys = list(naming(rows, column, names(address)).values_list("pk", flat=True))
    rows.filter(pk__in=keys).update(**{column: Cast(replaced, field)})
    return keys


def of_person(rule: Personal, user: AbstractBaseUser) -> Q:
    """The rows that are the person's own; none where the model has no way to tell."""
    own = Q(pk__in=[])
    if rule.of:
        own |= Q(**{rule.of: user.pk})
    for column in filter(None, (rule.address, rule.author)):
        own |= Q(**{column: user.get_username()})
    return own


def about_person(rule: Personal, about: About, user: AbstractBaseUser) -> Q:
    """The rows that name the person and are not their own."""
    naming = Q(**dict(about.only))
    if about.address:
        naming &= Q(**{about.address: user.get_username()})
    if about.key:
        naming &= Q(**{about.key: str(user.pk)})
    return naming & ~of_person(rule, user)
