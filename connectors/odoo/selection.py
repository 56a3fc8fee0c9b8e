"""The selection of a shop's content: models, fields of each, and the records that a filter
finds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from config.errors import InvalidValue
from connectors.odoo.domains import parse_domain
from reading.extractors.prose import clean
from reasons import Reason
from sources.connectors.interface import clean_chosen

# A model, or one field of a model: "product.template", "product.template:list_price".
CHOICE = re.compile(r"([a-z_]\w{0,62}(?:\.\w{1,63}){0,8})(?::([a-z_]\w{0,62}))?", re.ASCII)


@dataclass(frozen=True)
class Preset:
    """The offered fields of a model, which are read if no fields are chosen."""

    label: str
    fields: tuple[str, ...]


PRESETS = {
    "product.template": Preset(
        "Products",
        ("name", "default_code", "barcode", "list_price", "categ_id")
        + ("taxes_id", "qty_available", "description_sale"),
    ),
    "product.category": Preset("Product categories", ("name", "parent_id")),
    "account.tax": Preset("Taxes", ("name", "amount", "description", "type_tax_use")),
    "knowledge.article": Preset("Knowledge articles", ("name", "body")),
    "document.page": Preset("Document pages", ("name", "content")),
    "slide.channel": Preset("Courses", ("name", "description")),
    "slide.slide": Preset("Course contents", ("name", "channel_id", "description", "html_content")),
    "forum.post": Preset("Forum posts", ("name", "content")),
    "blog.post": Preset("Blog posts", ("name", "subtitle", "content")),
    "event.event": Preset(
        "Events", ("name", "date_begin", "date_end", "address_id", "description")
    ),
}


@dataclass(frozen=True)
class Wanted:
    """Records of one model. `label`: what people call it; `domain`: () for all."""

    model: str
    label: str
    fields: tuple[str, ...]
    domain: tuple[Any, ...] = ()


def clean_selection(given: Mapping[str, Any]) -> dict[str, Any]:
    """{"chosen": what `clean_chosen` says, "filters": domains by model}. Raises InvalidValue."""
    return {
        "chosen": clean_models(given.get("chosen", [])),
        "filters": clean_filters(given.get("filters", {})),
    }


def clean_models(given: object) -> list[dict[str, str]]:
    """Raises InvalidValue."""
    chosen = clean_chosen(given)
    for each in chosen:
        check_name(each["id"])
    return chosen


def check_name(name: str) -> None:
    """Raises InvalidValue."""
    if not CHOICE.fullmatch(name):
        shown = clean(name)[:100]
        raise InvalidValue(Reason("odoo_model_unknown", name=shown))


def clean_filters(given: object) -> dict[str, list[Any]]:
    """Valid filters from {model: domain}, also written as JSON. Raises InvalidValue."""
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except (ValueError, RecursionError) as error:
            raise InvalidValue(Reason("filter_not_json")) from error
    if not isinstance(given, dict):
        raise InvalidValue(Reason("filter_form"))
    for model in given:
        check_name(model)
    return {model: parse_domain(json.dumps(domain)) for model, domain in given.items()}


def read_typed(models: str) -> list[dict[str, str]]:
    """The `chosen` list for models and fields that were typed, separated by commas."""
    names = [name.strip() for name in models.split(",") if name.strip()]
    return [{"id": name, "name": name} for name in names]


def wanted_of(selection: Mapping[str, Any]) -> list[Wanted]:
    """The wanted models in the order of the choice. If fields of a model are chosen, they alone are
    read."""
    fields: dict[str, list[str]] = {}
    labels: dict[str, str] = {}
    for each in selection.get("chosen", []):
        found = CHOICE.fullmatch(each["id"])
        if found is None:
            continue
        fields.setdefault(found[1], []).extend(filter(None, [found[2]]))
        if not found[2] and each["name"] != each["id"]:
            labels[found[1]] = each["name"]
    filters = selection.get("filters", {})
    return [
        Wanted(
            model,
            labels.get(model) or preset_of(model).label,
            tuple(names) or preset_of(model).fields,
            tuple(filters.get(model, ())),
        )
        for model, names in fields.items()
    ]


def preset_of(model: str) -> Preset:
    return PRESETS.get(model) or Preset(model, ("name", "description"))
