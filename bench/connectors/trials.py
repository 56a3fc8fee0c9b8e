"""What is particular to each connector and its stand-in."""

from __future__ import annotations

from typing import Any

from bench.connectors.trial import SignedInTrial, Trial, TrialMaker
from sources.tests.providers.google_drive_server import GoogleDriveServer
from sources.tests.providers.odoo_shop import fill as fill_shop
from sources.tests.providers.odoo_shop import make_shop
from sources.tests.providers.server import Call, Reply
from sources.tests.providers.whatsapp_business_server import graph_error, make_business


class GoogleDriveTrial(SignedInTrial):
    kind = "cloud_drive_a"
    lists = r"GET /drive/v3/(files$|changes)"
    contents = r"GET /drive/v3/files/[^/]+(/export)?$"

    def __init__(self) -> None:
        self.server = self.drive = GoogleDriveServer()
        self.authorization = self.drive.authorization

    def settings(self) -> dict[str, Any]:
        return {
            "GOOGLE_CLIENT": ("a-client", "a-client-secret"),
            "GOOGLE_SIGN_IN_URL": self.server.url,
            "GOOGLE_TOKEN_URL": self.server.url,
            "GOOGLE_API_URL": self.server.url,
        }

    def fill(self, count: int) -> None:
        top = self.drive.content.fill(count)
        self.selection = {"chosen": [{"id": top, "name": "Filled"}]}

    def change(self, count: int) -> None:
        files = [id for id, item in self.drive.content.items.items() if item.content]
        for id in files[:count]:
            self.drive.content.edit(id, f"Changed: {id} has moved to hall 99.")

    def document_of(self, call: Call) -> str | None:
        is_content = call.query.get("alt") == "media"
        return call.path.rsplit("/", 1)[-1] if is_content else None


class OdooTrial(Trial):
    """JSON-2. Records are read with the lists of them."""

    kind = "erp_a"
    lists = r"POST /json/2/product\.template/search_read"
    selection = {"chosen": [{"id": "product.template", "name": "Products"}], "filters": {}}

    def __init__(self) -> None:
        self.server = self.shop = make_shop(19)

    def settings(self) -> dict[str, Any]:
        return {}

    def fill(self, count: int) -> None:
        fill_shop(self.shop, count - len(self.shop.models["product.template"].rows))

    def change(self, count: int) -> None:
        for record in list(self.shop.models["product.template"].rows)[:count]:
            text = f"Changed: {record} has moved to hall 99."
            self.shop.edit("product.template", record, description_sale=text)

    def credentials(self) -> dict[str, Any]:
        return {"url": self.server.url, "database": "shop", "login": "", "api_key": self.shop.key}

    def revoke(self) -> None:
        self.shop.key = "1" * 40


class WhatsAppBusinessTrial(Trial):
    kind = "messenger_b"
    lists = r"GET /v23\.0/900/products"
    selection = {"chosen": [{"id": "catalogue:900", "name": "Shop"}]}

    def __init__(self) -> None:
        self.server = self.business = make_business()

    def settings(self) -> dict[str, Any]:
        return {"MESSENGER_B_API_URL": self.business.api_url}

    def fill(self, count: int) -> None:
        missing = range(len(self.business.products["900"]), count)
        products = ({"name": f"Product {n}", "description": f"What {n} is for."} for n in missing)
        self.business.add_products("900", *products)

    def change(self, count: int) -> None:
        for product in self.business.products["900"][:count]:
            product["description"] = f"Changed: {product['id']} has moved to hall 99."

    def credentials(self) -> dict[str, Any]:
        return dict(self.business.credentials)

    def revoke(self) -> None:
        self.business.token = self.business.token[::-1]

    def busy(self) -> Reply:
        return graph_error(80008, "(#80008) There have been too many calls to this account")


TRIALS: dict[str, TrialMaker] = {
    trial.kind: trial for trial in (GoogleDriveTrial, OdooTrial, WhatsAppBusinessTrial)
}
