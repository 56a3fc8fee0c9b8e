"""What is particular to each connector and its stand-in."""

from __future__ import annotations

from typing import Any

from bench.system.connectors.trial import SignedInTrial, Trial, TrialMaker
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from connectors.tests.providers.json_api_server import TOKEN, JsonApiServer
from connectors.tests.providers.microsoft_server import MicrosoftServer
from connectors.tests.providers.notion_blocks import paragraph
from connectors.tests.providers.notion_server import NotionServer
from connectors.tests.providers.odata_model import EntitySet, Property
from connectors.tests.providers.odata_server import ODataServer
from connectors.tests.providers.odoo_shop import fill as fill_shop
from connectors.tests.providers.odoo_shop import make_shop
from connectors.tests.providers.whatsapp_business_server import graph_error, make_business
from sources.tests.providers.server import Call, Reply

CLIENT = ("a-client", "a-client-secret")


class GoogleDriveTrial(SignedInTrial):
    kind = "cloud_drive_a"
    lists = r"GET /drive/v3/(files$|changes)"
    contents = r"GET /drive/v3/files/[^/]+(/export)?$"

    def __init__(self) -> None:
        self.server = self.drive = GoogleDriveServer()
        self.authorization = self.drive.authorization

    def settings(self) -> dict[str, Any]:
        names = ("GOOGLE_SIGN_IN_URL", "GOOGLE_TOKEN_URL", "GOOGLE_API_URL")
        return {"GOOGLE_CLIENT": CLIENT, **dict.fromkeys(names, self.server.url)}

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


class MicrosoftGraphTrial(SignedInTrial):
    kind = "cloud_drive_b"
    lists = r"GET .*/(delta|children)"
    contents = r"GET .*/content$"

    def __init__(self) -> None:
        self.server = self.graph = MicrosoftServer()
        self.authorization = self.graph.authorization

    def settings(self) -> dict[str, Any]:
        return {
            "FETCH_ALLOWED_HOSTS": list(self.graph.hosts),
            "MICROSOFT_CLIENT": CLIENT,
            "MICROSOFT_SIGN_IN_URL": self.graph.sign_in_url,
            "MICROSOFT_API_URL": self.server.url,
        }

    def fill(self, count: int) -> None:
        drive = self.graph.drive
        drive.fill(count)
        self.selection = {"chosen": [{"id": f"drive/{drive.id}", "name": drive.name}]}

    def change(self, count: int) -> None:
        files = [item for item in self.graph.drive.items.values() if item.content]
        for item in files[:count]:
            self.graph.drive.edit(item, f"Changed: {item.name} lies on shelf 99.")

    def document_of(self, call: Call) -> str | None:
        return call.path if call.path.endswith("/content") else None


class NotionTrial(SignedInTrial):
    kind = "notes_app"
    lists = r"POST /v1/search"
    contents = r"GET /v1/blocks/[^/]+/children"

    def __init__(self) -> None:
        self.server = self.notion = NotionServer()
        self.authorization = self.notion.authorization

    def settings(self) -> dict[str, Any]:
        return {"NOTION_CLIENT": CLIENT, "NOTION_API_URL": self.server.url}

    def fill(self, count: int) -> None:
        self.pages = self.notion.fill(count)
        self.selection = {"chosen": []}

    def change(self, count: int) -> None:
        for page in self.pages[:count]:
            self.notion.workspace.write(page, paragraph(f"Changed: {page} says another thing."))

    def document_of(self, call: Call) -> str | None:
        return call.path if call.path.endswith("/children") else None


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


class ODataTrial(Trial):
    kind = "erp_b"
    lists = r"GET .*/(Items|\$delta|\$skip)"

    def __init__(self) -> None:
        items = EntitySet(
            "Items",
            ("ID",),
            (
                Property("ID", "Edm.Int32"),
                Property("displayName", "Edm.String", "Name"),
                Property("unitPrice", "Edm.Decimal"),
            ),
            "Articles",
            tracks_changes=True,
        )
        self.server = self.erp = ODataServer(items)

    def settings(self) -> dict[str, Any]:
        return {}

    def fill(self, count: int) -> None:
        for number in range(1, count + 1):
            name, price = f"Bicycle {number}", f"{number}.50"
            self.erp.add("Items", ID=number, displayName=name, unitPrice=price)
        self.selection = {"chosen": [{"id": "Items", "name": "Articles"}]}

    def change(self, count: int) -> None:
        for number in range(1, count + 1):
            self.erp.edit("Items", f"({number})", displayName=f"Changed: tricycle {number}")

    def credentials(self) -> dict[str, Any]:
        erp = self.erp
        own = {"username": erp.user, "password": erp.password}
        return {"service_url": erp.root_url, "sign_in": erp.sign_in, **own}

    def revoke(self) -> None:
        self.erp.password += "x"


class JsonApiTrial(Trial):
    kind = "api"
    lists = r"GET /v1/articles"

    def __init__(self) -> None:
        self.server = self.centre = JsonApiServer()

    def settings(self) -> dict[str, Any]:
        return {}

    def fill(self, count: int) -> None:
        self.centre.fill(count)
        pointers = {"id": "/id", "title": "/title", "body": "/body", "link": "/url"}
        self.selection = {"items": "", "body_format": "auto", "paging": "link", **pointers}

    def change(self, count: int) -> None:
        for key in list(self.centre.articles)[:count]:
            self.centre.change(key, body=f"Changed: {key} costs another price.")

    def credentials(self) -> dict[str, Any]:
        return {
            "url": f"{self.centre.list_url}?per_page=100",
            "auth": "bearer",
            "auth_secret": self.centre.token,
        }

    def revoke(self) -> None:
        self.centre.token = f"{TOKEN}-of-now"


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
    trial.kind: trial
    for trial in (
        GoogleDriveTrial,
        MicrosoftGraphTrial,
        NotionTrial,
        OdooTrial,
        ODataTrial,
        JsonApiTrial,
        WhatsAppBusinessTrial,
    )
}
