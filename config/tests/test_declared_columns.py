"""What is sealed, and what goes with a session, is said at the model: nothing is forgotten."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from config.security.erasure import list_session_rows
from config.security.rotation import rotate
from config.security.sealing import SealedField, list_sealed_fields, open_column, seal_column
from config.tests.isolation.snapshot import our_models
from config.tests.rows import MAKERS

SEALED_LOOKING = re.compile("encrypt|sealed|cipher|secret|credential|token|password")
# Columns that look like it, and why they are not.
NOT_SEALED = {
    "accounts.User.password": "a hash",
    "accounts.Signup.password": "a hash",
    "accounts.ApiToken.token_hash": "a hash of 128 random bits or more",
    "accounts.Program.secret_hash": "likewise",
    "accounts.PersonExport.archive": "what stands in clear in other tables",
    "sources.Chunk.embedded_hash": "a hash of what is searched",
    "sources.ChunkReading.content": "signs of vectors, beside the text that they are of",
}


def columns() -> list[models.Field[Any, Any]]:
    return [field for model in our_models() for field in model._meta.local_fields]


def test_every_column_that_looks_sealed_is_declared() -> None:
    looking = {
        str(field)
        for field in columns()
        if (isinstance(field, models.BinaryField) or SEALED_LOOKING.search(field.name))
        and not isinstance(field, SealedField)
    }

    assert looking == set(NOT_SEALED)


def test_the_ciphertext_of_older_versions_opens() -> None:
    """What each is bound to is part of every database: it never changes."""
    bound = {str(field): field.bound_to for _, field in list_sealed_fields()}

    assert bound == {
        "accounts.OutgoingMail.encrypted_context": ("pk",),
        "accounts.TwoFactor.encrypted_secret": ("pk",),
        "sources.Connection.encrypted_credentials": ("tenant_id", "provider", "id"),
        "webhooks.InboundMessage.encrypted_text": ("chat_id", "provider_message_id"),
        "webhooks.Reply.encrypted_parts": ("chat_id",),
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "field"), list(list_sealed_fields()), ids=lambda part: getattr(part, "name", None)
)
def test_a_sealed_column_opens_again(model: type[models.Model], field: SealedField) -> None:
    row = MAKERS[model]()

    setattr(row, field.name, seal_column(row, field.name, b"a secret"))

    assert open_column(row, field.name) == b"a secret"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "field"), list(list_sealed_fields()), ids=lambda part: getattr(part, "name", None)
)
def test_a_rotation_reaches_every_sealed_column(
    model: type[models.Model], field: SealedField, settings: Any
) -> None:
    old, new = os.urandom(32), os.urandom(32)
    settings.CHANNEL_ENCRYPTION_KEYS = [old]
    row = MAKERS[model]()
    sealed = {field.name: seal_column(row, field.name, b"a secret")}
    model._base_manager.filter(pk=row.pk).update(**sealed)

    settings.CHANNEL_ENCRYPTION_KEYS = [new, old]
    rotate()

    settings.CHANNEL_ENCRYPTION_KEYS = [new]
    row.refresh_from_db()
    assert open_column(row, field.name) == b"a secret"


def test_a_column_that_is_not_sealed_is_not_taken_for_one() -> None:
    tenant = apps.get_model("accounts.Tenant")(name="Acme")

    with pytest.raises(TypeError, match=r"accounts\.Tenant\.name is not a SealedField"):
        seal_column(tenant, "name", b"")


def test_migrations_know_nothing_of_it() -> None:
    for _, field in list_sealed_fields():
        _, path, _, options = field.deconstruct()
        assert (path, options) == ("django.db.models.BinaryField", {})


# --- Sessions -------------------------------------------------------------------------------------


def test_every_column_with_a_session_is_declared() -> None:
    declared = {f"{rows.model._meta.label}.{rows.by}" for rows in list_session_rows()}
    looking = {
        str(field) for field in columns() if "session" in field.name and not field.is_relation
    }

    assert declared == looking | {"webhooks.Chat.external_id"}


def test_whatever_points_to_a_row_of_a_session_goes_with_it() -> None:
    """Else its words stay, or the row cannot go."""
    for rows in list_session_rows():
        pointing = {
            (field.model, field.name) for field in columns() if field.related_model is rows.model
        }
        assert set(rows.dependents) == pointing, rows.model._meta.label
