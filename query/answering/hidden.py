"""Columns that customers are never told: what a company paid, what it has left, its own notes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from sources.language.words import fold

# Names that suggest it, folded, with blanks for underscores
SUGGESTED = re.compile(
    r"\b(?:mayoristas?|distribuidor(?:es)?|proveedor(?:es)?|stock|existencias"
    r"|inventario|(?:precio|coste) (?:de )?(?:compra|costo|adquisicion)"
    r"|(?:notas?|observacion(?:es)?|comentarios?|uso) (?:de uso )?intern[oa]s?"
    r"|wholesale|trade|resale|resellers?|reventa|(?:cost|purchase|buying) price|mark ?up|inventory"
    r"|suppliers?|vendors?|internal (?:notes?|remarks?|comments?|use)"
    r"|(?:staff|private) notes?|notes? for staff)\b"
)
# What it cost the company, where customers have a price of their own beside it
MARGIN = re.compile(
    r"^(?:margen|margenes|margins?)(?: (?:comercial|bruto|neto|gross|net|%|\(.*\)))*$"
)
COST = re.compile(r"^(?:costes?|costo|costs?)(?: (?:€|eur|gbp|usd|£|\$|\(.*\)|unitario|unit))*$")
PRICE = re.compile(r"\b(?:precios?|pvp|tarifa|price|rrp|retail)\b")


class Named(Protocol):
    @property
    def header(self) -> str: ...


N = TypeVar("N", bound=Named)


def told_cells(cells: Sequence[N], hidden: Collection[str] = ()) -> list[N]:
    """The cells of a row without those of columns that are never told. `hidden`: the names that the
    company has marked, as it wrote them."""
    marked = {plain_header(name) for name in hidden}
    headers = [plain_header(cell.header) for cell in cells]
    has_price = any(PRICE.search(header) and not SUGGESTED.search(header) for header in headers)
    return [
        cell
        for cell, header in zip(cells, headers, strict=True)
        if header not in marked
        and not SUGGESTED.search(header)
        and not MARGIN.search(header)
        and not (has_price and COST.search(header))
    ]


def plain_header(header: str) -> str:
    return " ".join(fold(header).replace("_", " ").split())
