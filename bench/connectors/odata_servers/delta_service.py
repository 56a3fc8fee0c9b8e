"""A service of odatapy (PyPI) with delta links; run by bench/connectors/odata_cap.py in an
environment of its own, with the port and the number of records."""

# Its imports are in that environment alone.
# mypy: ignore-errors

from __future__ import annotations

import sys
from decimal import Decimal
from wsgiref.simple_server import WSGIRequestHandler, make_server

from odatapy.data import Entity, ValueType
from odatapy.edm.csdl import (
    CsdlAbstractEdmProvider,
    CsdlEntityContainer,
    CsdlEntitySet,
    CsdlEntityType,
    CsdlProperty,
    CsdlPropertyRef,
    CsdlSchema,
)
from odatapy.server import OData
from odatapy.server.adapters import ODataWSGIApp
from odatapy.server.inmemory import InMemoryDataStore, InMemoryProcessor


class Provider(CsdlAbstractEdmProvider):
    def get_schemas(self) -> list[CsdlSchema]:
        product = CsdlEntityType(
            name="Product",
            key=[CsdlPropertyRef(name="ID")],
            properties=[
                CsdlProperty(name="ID", type="Edm.Int32", nullable=False),
                CsdlProperty(name="Name", type="Edm.String"),
                CsdlProperty(name="Price", type="Edm.Decimal", precision=10, scale=2),
            ],
        )
        sets = [CsdlEntitySet(name="Products", type="Demo.Product")]
        container = CsdlEntityContainer(name="Container", entity_sets=sets)
        return [CsdlSchema(namespace="Demo", entity_types=[product], entity_container=container)]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def product(number: int) -> Entity:
    entity = Entity()
    entity.set_property("ID", number, ValueType.PRIMITIVE, "Edm.Int32")
    entity.set_property("Name", f"Product {number}", ValueType.PRIMITIVE, "Edm.String")
    entity.set_property("Price", Decimal(number) / 4, ValueType.PRIMITIVE, "Edm.Decimal")
    return entity


def main(port: int, count: int) -> None:
    odata = OData.new_instance()
    handler = odata.create_handler(odata.create_service_metadata(Provider()))
    store = InMemoryDataStore()
    store.set_entities("Products", [product(number) for number in range(1, count + 1)])
    handler.register(InMemoryProcessor(store))
    with make_server("127.0.0.1", port, ODataWSGIApp(handler), handler_class=Quiet) as server:
        server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
