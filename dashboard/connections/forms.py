"""The form that connects an account. Its connector says which values are valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.wording import in_words
from sources.connectors.interface import ConnectionField, Connector
from sources.errors import ConnectionRefused
from sources.models import NAME_MAX_CHARS

LINE_MAX_CHARS = 2000  # longer ones have several lines


class NameForm(forms.Form):
    """The name of the source that is being made."""

    name = forms.CharField(label=gettext_lazy("Name of the source"), max_length=NAME_MAX_CHARS)


class AccountForm(forms.Form):
    """The form of an account that is typed in. Secrets are never shown again, not even to the
    person who has just typed them."""

    def __init__(self, connector: Connector, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, use_required_attribute=False)
        for field in connector.connection_fields:
            self.fields[field.name] = make_field(field)

    def refuse(self, error: ConnectionRefused) -> None:
        """Shows an error that was found at the account, at the field that caused it."""
        field = error.field if error.field in self.fields else None
        self.add_error(field, in_words(error.reason))


def make_field(field: ConnectionField) -> forms.Field:
    named: dict[str, Any] = {
        "label": _(field.label),
        "help_text": _(field.help_text) if field.help_text else "",
        "required": field.is_required or bool(field.choices),  # of those one is always chosen
    }
    if field.choices:
        choices = [(value, _(label)) for value, label in field.choices]
        return forms.ChoiceField(choices=choices, **named)
    attributes = {"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
    widget: forms.Widget = forms.TextInput(attributes)
    if field.is_secret:  # browsers offer to fill in a password of their own, unless it is new
        widget = forms.PasswordInput(attributes | {"autocomplete": "new-password"})
    elif field.max_chars > LINE_MAX_CHARS:
        widget = forms.Textarea(attributes)
    return forms.CharField(
        max_length=field.max_chars, strip=not field.is_secret, widget=widget, **named
    )
