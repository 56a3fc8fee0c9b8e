"""The fields of a model as the shop tells them (`fields_get`), and which of them are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reading.extractors.prose import clean

RELATIONS = frozenset({"many2one", "many2many"})
# Pictures, lists of other records that point here, and settings of single users are not text.
READABLE_TYPES = RELATIONS | {"char", "text", "html", "integer", "float", "monetary", "boolean"}
READABLE_TYPES |= {"date", "datetime", "selection"}
ATTRIBUTES = ("string", "type", "relation", "selection", "digits", "store", "currency_field")
LABEL_MAX_CHARS = 200
# In which unit, where the description of a field does not say it (product, stock, uom).
UNITS = {
    "list_price": "currency_id",
    "lst_price": "currency_id",
    "standard_price": "cost_currency_id",
    "qty_available": "uom_id",
    "virtual_available": "uom_id",
    "free_qty": "uom_id",
    "weight": "weight_uom_name",
    "volume": "volume_uom_name",
}

QUANTITIES = frozenset({"qty_available", "virtual_available", "free_qty"})
# Which products are counted at all: from Odoo 18 on a field says it, before their type does.
COUNTED_BY = ("is_storable", "type")
COUNTED = (True, "product")


@dataclass(frozen=True)
class Field:
    """`label` and the values of `options` (a selection) are in the shop's language. `unit`: the
    name of the field that holds the currency or unit of measure, "" without one. `counted_by`: of a
    quantity, the name of the field that says whether there is one. `is_volatile`: its value, as
    people read it, may change while the record's write_date does not: it is computed, or is the
    name of another record. `is_readable`: as text."""

    name: str
    label: str
    type: str
    relation: str = ""
    decimals: int | None = None
    unit: str = ""
    counted_by: str = ""
    is_volatile: bool = False
    is_readable: bool = True
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_money(self) -> bool:
        return self.unit.endswith("currency_id")

    @property
    def companions(self) -> list[str]:
        """Fields that are read with it."""
        return [name for name in (self.unit, self.counted_by) if name]


def parse_fields(told: object) -> dict[str, Field]:
    """The fields by name. Those that are not as documented are left out."""
    if not isinstance(told, dict):
        return {}
    return {
        name: parse_field(name, description, known=told)
        for name, description in told.items()
        if isinstance(description, dict) and isinstance(description.get("type"), str)
    }


def parse_field(name: str, told: Mapping[str, Any], *, known: Mapping[str, Any]) -> Field:
    label, relation, digits = told.get("string"), told.get("relation"), told.get("digits")
    unit = told.get("currency_field") if told["type"] == "monetary" else UNITS.get(name)
    if told["type"] == "monetary" and not unit:
        unit = "currency_id"  # the rule of Odoo where a field names none
    counted_by = next((each for each in COUNTED_BY if each in known), "")
    return Field(
        name=name,
        label=(clean(label) if isinstance(label, str) else "")[:LABEL_MAX_CHARS] or name,
        type=told["type"],
        relation=relation if isinstance(relation, str) else "",
        decimals=parse_decimals(digits),
        unit=unit if isinstance(unit, str) and unit in known else "",
        counted_by=counted_by if name in QUANTITIES else "",
        is_volatile=told["type"] in RELATIONS or told.get("store") is False,
        is_readable=told["type"] in READABLE_TYPES,
        options=parse_options(told.get("selection")),
    )


def parse_decimals(digits: object) -> int | None:
    match digits:
        case [int(), int(decimals)] if 0 <= decimals <= 12:
            return decimals
    return None


def parse_options(selection: object) -> dict[str, str]:
    if not isinstance(selection, list):
        return {}
    return dict(filter(is_option, selection))


def is_option(entry: object) -> bool:
    match entry:
        case [str(), str()]:
            return True
    return False


def choose_fields(known: Mapping[str, Field], names: Sequence[str]) -> tuple[Field, ...]:
    """The fields in the order of `names`, without those that the shop lacks or we may not read."""
    return tuple(known[name] for name in names if name in known and known[name].is_readable)
