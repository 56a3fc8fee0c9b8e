"""Columns of ciphertext. A model declares which of its columns are sealed, and to what each is
bound; code that seals, opens or re-encrypts them asks the model. Nothing else lists them.

    encrypted_text = SealedField(bound_to=("chat_id", "provider_message_id"))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.apps import apps
from django.db import models

from config.security.encryption import decrypt, encrypt


class SealedField(models.BinaryField):  # type: ignore[type-arg]  # generic in the stubs alone
    """Ciphertext; empty where it was erased. To migrations it is a BinaryField.

    Args:
        bound_to: attributes of the row that never change. The ciphertext opens in a row of this
            model with these values, and in no other that it is copied to.
        key_column: the field that holds the id of the key, where there is one.
    """

    def __init__(
        self, *args: Any, bound_to: Sequence[str] = ("pk",), key_column: str = "", **kwargs: Any
    ) -> None:
        self.bound_to = tuple(bound_to)
        self.key_column = key_column
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return str(name), "django.db.models.BinaryField", args, kwargs

    def context_of(self, row: models.Model) -> str:
        """The context for config.security.encryption: "webhooks.Reply:<chat id>"."""
        return ":".join([row._meta.label, *(str(getattr(row, name)) for name in self.bound_to)])


def seal_column(row: models.Model, name: str, content: bytes) -> bytes:
    """The ciphertext that `row` is to hold in its column `name`, under the first key. Changes
    nothing."""
    return encrypt(content, context=sealed_field(row, name).context_of(row))


def open_column(row: models.Model, name: str) -> bytes:
    """The decrypted content. Raises CannotDecrypt, also where it was erased."""
    return decrypt(bytes(getattr(row, name)), context=sealed_field(row, name).context_of(row))


def sealed_field(row: models.Model, name: str) -> SealedField:
    """Raises TypeError: a programming error."""
    field = row._meta.get_field(name)
    if not isinstance(field, SealedField):
        raise TypeError(f"{row._meta.label}.{name} is not a SealedField")
    return field


def list_sealed_fields() -> Iterator[tuple[type[models.Model], SealedField]]:
    """Yields the sealed fields of all installed models, each once."""
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, SealedField):
                yield model, field
