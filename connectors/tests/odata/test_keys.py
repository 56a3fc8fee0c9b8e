"""Which record a service means, however it writes it."""

from __future__ import annotations

import pytest

from connectors.odata.keys import external_id_of, meant_by, path_of
from connectors.odata.metadata import EntityProperty, EntitySet

ITEMS = EntitySet("Items", "", (EntityProperty("ID", "Edm.Guid"),), ())
LINES = EntitySet(
    "Lines", "", (EntityProperty("Order", "Edm.String"), EntityProperty("Line", "Edm.Int32")), ()
)
GUID = "6cb4e290-a784-4105-b340-32bb3527bb87"


@pytest.mark.parametrize(
    ("entity_set", "written", "meant"),
    [
        (ITEMS, f"Items({GUID})", f"Items({GUID})"),
        (ITEMS, f"https://erp.example/shop/Items({GUID.upper()})", f"Items({GUID})"),
        (ITEMS, f"Items(ID={GUID})", f"Items({GUID})"),
        (ITEMS, GUID.upper(), f"Items({GUID})"),
        (LINES, "Lines(Line=2,Order='O''B/1')", "Lines(Order='O''B/1',Line=2)"),
        (LINES, "Lines(Order='O%27%27B%2F1',Line=2)", "Lines(Order='O''B/1',Line=2)"),
        (LINES, "Lines(Order='a,Line=3',Line=2)", "Lines(Order='a,Line=3',Line=2)"),
        (LINES, "Lines(Line=2)", None),
        (LINES, "7", None),
        (ITEMS, "Items(", None),
        (ITEMS, ["Items(1)"], None),
        (ITEMS, "x" * 3000, None),
    ],
)
def test_the_same_record_has_one_name(
    entity_set: EntitySet, written: object, meant: str | None
) -> None:
    assert meant_by(entity_set, written) == meant


@pytest.mark.parametrize("value", [None, "", ["1"], "1) or (2", "x" * 201])
def test_what_is_no_key_has_no_name(value: object) -> None:
    assert external_id_of(ITEMS, {"ID": value}) is None


def test_a_key_in_an_address_is_encoded() -> None:
    assert path_of("Lines(Order='O''B/1 ñ',Line=2)") == "Lines(Order='O''B%2F1%20%C3%B1',Line=2)"
