"""Columns that customers are never told: what a company paid, what it has left, its own notes.

The company decides, column by column; until it does, names that suggest it are not told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from accounts.models import Tenant
from language.words import fold

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


@dataclass(frozen=True)
class Hidden:
    """A company's decisions about columns, named as `plain_header` writes them. `marked`: never
    told; `released`: told, whatever the name suggests."""

    marked: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()


UNDECIDED = Hidden()


def hidden_of(tenant: Tenant) -> Hidden:
    return Hidden(
        frozenset(map(plain_header, tenant.hidden_columns)),
        frozenset(map(plain_header, tenant.told_columns)),
    )


def told_cells(cells: Sequence[N], hidden: Hidden = UNDECIDED) -> list[N]:
    """The cells of a row without those of columns that are never told."""
    headers = [plain_header(cell.header) for cell in cells]
    untold = hidden.marked | (suggested(headers) - hidden.released)
    return [cell for cell, header in zip(cells, headers, strict=True) if header not in untold]


def suggested(headers: Sequence[str]) -> frozenset[str]:
    """The headers of one table, in plain names, that suggest columns that are not for customers."""
    has_price = any(PRICE.search(header) and not SUGGESTED.search(header) for header in headers)
    return frozenset(
        header
        for header in headers
        if SUGGESTED.search(header) or MARGIN.search(header) or (has_price and COST.search(header))
    )


def plain_header(header: str) -> str:
    return " ".join(fold(header).replace("_", " ").split())
