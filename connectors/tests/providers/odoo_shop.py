"""A small shop in a stand-in for Odoo: what a fresh one with products, stock and articles has."""

from __future__ import annotations

from connectors.tests.providers.odoo_models import OdooField, OdooModel
from connectors.tests.providers.odoo_server import OdooServer


def make_shop(version: int = 18) -> OdooServer:
    """Three products, two categories, two taxes, an article. Their ids: 1, 2, …"""
    shop = OdooServer(
        products(),
        categories(),
        taxes(),
        currencies(),
        units(),
        articles(),
        models(),
        version=version,
    )
    rows = {name: model.rows for name, model in shop.models.items()}

    def put(model: str, record: int, **values: object) -> None:
        rows[model][record] = {"id": record, "write_date": "2026-10-01 08:00:00", **values}

    put("res.currency", 1, name="EUR")
    put("uom.uom", 1, name={"en_US": "Units", "es_ES": "Unidades"})
    put("product.category", 1, name="Coffee")
    put("product.category", 2, name="Machines")
    put("account.tax", 1, name="VAT 21%", amount=21.0)
    put("account.tax", 2, name="VAT 10%", amount=10.0)
    common = {"currency_id": 1, "uom_id": 1, "sale_ok": True, "type": "consu"}
    counted = {"is_storable": True, **common}
    put(
        "product.template",
        1,
        name={"en_US": "House blend", "es_ES": "Mezcla de la casa"},
        default_code="CAF-01",
        description_sale={"en_US": "Beans, 1 kg", "es_ES": "En grano, 1 kg"},
        list_price=18.5,
        categ_id=1,
        taxes_id=[2],
        qty_available=40.0,
        **counted,
    )
    put("product.template", 2, name="Decaf", list_price=21.0, categ_id=1, taxes_id=[2], **common)
    put(
        "product.template",
        3,
        name="Espresso machine",
        default_code="MAC-01",
        list_price=349.0,
        categ_id=2,
        taxes_id=[1],
        qty_available=3.0,
        **counted,
    )
    put(
        "knowledge.article",
        1,
        name="Returns",
        body="<h1>Returns</h1><p>Within <b>30 days</b> &amp; unopened.</p><li>Call us</li>",
    )
    return shop


def fill(shop: OdooServer, count: int) -> None:
    """With so many products more."""
    for number in range(count):
        shop.add(
            "product.template",
            name=f"Product {number}",
            default_code=f"P-{number:05}",
            description_sale=f"What number {number} is good for.",
            list_price=float(number),
            currency_id=1,
            uom_id=1,
            categ_id=1 + number % 2,
            taxes_id=[1 + number % 2],
            qty_available=float(number % 50),
            is_storable=True,
        )


def products() -> OdooModel:
    spanish = {"list_price": "Precio de venta", "name": "Nombre", "taxes_id": "Impuestos"}
    spanish |= {"qty_available": "Cantidad a mano", "categ_id": "Categoría"}
    fields = {
        "name": OdooField("char", "Name", strings={"es_ES": spanish["name"]}),
        "active": OdooField("boolean", "Active"),
        "sale_ok": OdooField("boolean", "Can be Sold"),
        "type": OdooField(
            "selection", "Product Type", selection=[("consu", "Goods"), ("service", "Service")]
        ),
        "is_storable": OdooField("boolean", "Track Inventory"),
        "default_code": OdooField("char", "Internal Reference"),
        "description_sale": OdooField(
            "text", "Sales Description", strings={"es_ES": "Descripción de venta"}
        ),
        "list_price": OdooField(
            "float", "Sales Price", digits=(16, 2), strings={"es_ES": spanish["list_price"]}
        ),
        "currency_id": OdooField("many2one", "Currency", relation="res.currency", store=False),
        "uom_id": OdooField("many2one", "Unit of Measure", relation="uom.uom"),
        "categ_id": OdooField(
            "many2one",
            "Product Category",
            relation="product.category",
            strings={"es_ES": spanish["categ_id"]},
        ),
        "taxes_id": OdooField(
            "many2many",
            "Customer Taxes",
            relation="account.tax",
            strings={"es_ES": spanish["taxes_id"]},
        ),
        "qty_available": OdooField(
            "float",
            "Quantity On Hand",
            digits=(16, 2),
            store=False,
            strings={"es_ES": spanish["qty_available"]},
        ),
        "image_1920": OdooField("binary", "Image"),
    }
    return OdooModel("product.template", "Product", fields)


def categories() -> OdooModel:
    fields = {
        "name": OdooField("char", "Name"),
        "parent_id": OdooField("many2one", "Parent Category", relation="product.category"),
    }
    return OdooModel("product.category", "Product Category", fields)


def taxes() -> OdooModel:
    fields = {
        "name": OdooField("char", "Tax Name"),
        "amount": OdooField("float", "Amount", digits=(16, 4)),
        "active": OdooField("boolean", "Active"),
    }
    return OdooModel("account.tax", "Tax", fields)


def currencies() -> OdooModel:
    return OdooModel("res.currency", "Currency", {"name": OdooField("char", "Currency")})


def units() -> OdooModel:
    return OdooModel("uom.uom", "Product Unit of Measure", {"name": OdooField("char", "Name")})


def articles() -> OdooModel:
    fields = {
        "name": OdooField("char", "Title"),
        "body": OdooField("html", "Body"),
        "active": OdooField("boolean", "Active"),
    }
    return OdooModel("knowledge.article", "Knowledge Article", fields)


def models() -> OdooModel:
    """ir.model, of which each model is a row."""
    fields = {"model": OdooField("char", "Model"), "name": OdooField("char", "Model Description")}
    made = OdooModel("ir.model", "Models", fields)
    for number, model in enumerate((products(), categories(), taxes(), articles()), start=1):
        made.rows[number] = {"id": number, "model": model.name, "name": model.label}
    return made
