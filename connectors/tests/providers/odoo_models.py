"""What a model of Odoo is: its fields as `fields_get` tells them
(odoo.com/documentation/18.0/developer/reference/external_api.html, read 2026-11-22), and its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class OdooField:
    """As `fields_get` tells it. `strings`: its label by language."""

    type: str
    string: str
    relation: str = ""
    selection: Sequence[tuple[str, str]] = ()
    digits: tuple[int, int] | None = None
    currency_field: str = ""
    store: bool = True
    strings: Mapping[str, str] = field(default_factory=dict)

    def describe(self, lang: str) -> dict[str, Any]:
        told: dict[str, Any] = {
            "type": self.type,
            "string": self.strings.get(lang, self.string),
            "store": self.store,
            "readonly": not self.store,
            "required": False,
        }
        if self.relation:
            told["relation"] = self.relation
        if self.selection:
            told["selection"] = [list(each) for each in self.selection]
        if self.digits:
            told["digits"] = list(self.digits)
        if self.currency_field:
            told["currency_field"] = self.currency_field
        return told


@dataclass
class OdooModel:
    name: str
    label: str
    fields: dict[str, OdooField]
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)


ALWAYS = {
    "id": OdooField("integer", "ID"),
    "display_name": OdooField("char", "Display Name", store=False),
    "write_date": OdooField("datetime", "Last Updated on", strings={"es_ES": "Actualizado el"}),
}
