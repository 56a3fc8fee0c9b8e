"""The fields that a channel's surface asks its owner for, and the looks of the widget."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels.surfaces.base import NOT_PRINTABLE, ConfigField, Surface

COLOR = re.compile(r"#[0-9a-fA-F]{6}")


class ConnectForm(forms.Form):
    """The form that connects a channel. Secrets are never shown again, not even to the person who
    has just typed them."""

    def __init__(self, surface: type[Surface], data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, prefix=surface.kind, use_required_attribute=data is None)
        for field in surface.fields:
            self.fields[field.name] = make_field(field)

    def clean(self) -> dict[str, Any]:
        """A pattern's $ lets a line break through."""
        for name, value in [*self.cleaned_data.items()]:
            if not value.isprintable():
                self.add_error(name, _(NOT_PRINTABLE))
        return self.cleaned_data


def make_field(field: ConfigField) -> forms.CharField:
    help_text = _(field.help_text)
    attributes = {"autocomplete": "off", "spellcheck": "false"}
    widget = forms.PasswordInput if field.is_secret else forms.TextInput
    if field.is_secret:
        attributes["autocomplete"] = "new-password"  # or the browser offers to fill its own in
    return forms.CharField(
        label=_(field.label),
        help_text=help_text[:1].upper() + help_text[1:],
        max_length=field.max_chars,
        strip=False,
        validators=[RegexValidator(field.pattern, _(field.message))],
        widget=widget(attrs=attributes),
    )


class LooksForm(forms.Form):
    """The looks of the widget, for the snippet and the preview. Invalid values are ignored."""

    color = forms.CharField(
        label=gettext_lazy("Colour"),
        required=False,
        widget=forms.TextInput(attrs={"type": "color"}),
    )
    theme = forms.ChoiceField(
        label=gettext_lazy("Light or dark"),
        required=False,
        choices=[
            ("", gettext_lazy("Same as the visitor's device")),
            ("light", gettext_lazy("Light")),
            ("dark", gettext_lazy("Dark")),
        ],
    )
    position = forms.ChoiceField(
        label=gettext_lazy("Corner"),
        required=False,
        choices=[("", gettext_lazy("Right")), ("left", gettext_lazy("Left"))],
    )

    DEFAULT_COLOR = "#2b57c8"  # the widget's own

    def chosen(self) -> dict[str, str]:
        """The attributes of the widget's tag that are not as they would be anyway."""
        self.full_clean()
        values = {name: self.cleaned_data.get(name, "") for name in self.fields}
        if not COLOR.fullmatch(values["color"]) or values["color"] == self.DEFAULT_COLOR:
            values["color"] = ""
        return {name: value for name, value in values.items() if value}
