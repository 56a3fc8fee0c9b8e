"""A stand-in for what Meta's Graph API tells of a business on WhatsApp: profile, templates,
catalogues.

developers.facebook.com/documentation/business-messaging/whatsapp (business-profiles, templates,
solution-providers/manage-accounts, support/error-codes), developers.facebook.com/docs/graph-api
(results, guides/secure-requests, reference/debug_token,
reference/whats-app-business-account/product_catalogs) and
developers.facebook.com/docs/marketing-api/reference/product-item, read 2026-11-22.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

VERSION = "v23.0"
PATH = re.compile(rf"/{re.escape(VERSION)}/(\w+)(?:/(\w+))?")
LIMIT_MAX, LIMIT = 100, 25
SCOPES = ("whatsapp_business_management", "whatsapp_business_messaging", "catalog_management")
FIELDS = {
    "whatsapp_business_profile": frozenset(
        {"about", "address", "description", "email", "websites", "vertical", "profile_picture_url"}
    ),
    "message_templates": frozenset({"id", "name", "status", "language", "category", "components"}),
    "product_catalogs": frozenset({"id", "name"}),
    "phone_numbers": frozenset({"id", "display_phone_number", "verified_name"}),
    "assigned_whatsapp_business_accounts": frozenset({"id", "name"}),
    "products": frozenset(
        {"id", "retailer_id", "name", "description", "price", "availability", "url", "brand"}
    ),
    "": frozenset({"id", "display_phone_number", "verified_name"}),
}
PARAMETERS = frozenset({"fields", "limit", "after", "appsecret_proof"})


class GraphError(Exception):
    def __init__(self, code: int, message: str, *, status: int = 400, subcode: int = 0) -> None:
        self.code, self.status, self.subcode = code, status, subcode
        super().__init__(message)


class WhatsAppBusinessServer(ProviderServer):
    """One number of one business account (WABA) with catalogues, and a system user's token. What
    tests change: `token`, `scopes`, `tells_targets` (whether debug_token names the accounts, as it
    does not for who may see all), and what is published."""

    number = "106540352242922"
    account = "102289599326934"
    other_account = "101569239400667"  # of the same token, without the number
    user = "10222270944537964"
    app_secret = "app-secret-of-the-stand-in"

    def __init__(self) -> None:
        super().__init__()
        self.token = "EAAGsystem0user0token0of0a0stand0in"
        self.scopes: set[str] = set(SCOPES)
        self.tells_targets = True
        self.profile: dict[str, Any] = {"messaging_product": "whatsapp"}
        self.templates: list[dict[str, Any]] = []
        self.catalogues: dict[str, str] = {}
        self.products: dict[str, list[dict[str, Any]]] = {}

    @property
    def api_url(self) -> str:
        """As MESSENGER_B_API_URL has it."""
        return f"{self.url}/{VERSION}"

    @property
    def credentials(self) -> dict[str, str]:
        """As a channel's connection holds them."""
        return {
            "phone_number_id": self.number,
            "system_user_token": self.token,
            "app_secret": self.app_secret,
            "verify_token": "chosen-for-the-webhook",
        }

    def add_template(self, name: str, body: str, **over: Any) -> None:
        made = {
            "id": f"{594425479261596 + len(self.templates)}",
            "name": name,
            "status": "APPROVED",
            "language": "en",
            "category": "UTILITY",
            "components": [{"type": "BODY", "text": body}],
        }
        self.templates.append({**made, **over})

    def add_products(self, catalogue: str, *products: Mapping[str, Any]) -> None:
        own = self.products.setdefault(catalogue, [])
        own += [
            {"id": f"{70_000 + len(own) + place}", **each} for place, each in enumerate(products)
        ]

    # --- The rules --------------------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        try:
            with self.lock:
                return json_reply(self.tell(call))
        except GraphError as error:
            return graph_error(error.code, str(error), status=error.status, subcode=error.subcode)

    def tell(self, call: Call) -> Any:
        if call.bearer != self.token:
            words = "Error validating access token: The session has been invalidated."
            raise GraphError(190, words, status=401)
        key, token = self.app_secret.encode(), self.token.encode()
        if call.query.get("appsecret_proof") != hmac.new(key, token, hashlib.sha256).hexdigest():
            raise GraphError(100, "Invalid appsecret_proof provided in the API argument")
        found = PATH.fullmatch(call.path)
        if found is None or call.method != "GET":
            raise GraphError(100, f"Unsupported {call.method.lower()} request.", subcode=33)
        if found[1] == "debug_token":
            return self.tell_token(call)
        return self.tell_node(found[1], found[2] or "", call.query)

    def tell_token(self, call: Call) -> Any:
        if call.query.get("input_token") != self.token:
            raise GraphError(100, "The parameter input_token is required.")
        targets = {"target_ids": [self.other_account, self.account]} if self.tells_targets else {}
        granted = [{"scope": scope, **targets} for scope in sorted(self.scopes)]
        told = {"is_valid": True, "type": "SYSTEM_USER", "user_id": self.user}
        return {"data": {**told, "scopes": sorted(self.scopes), "granular_scopes": granted}}

    def tell_node(self, node: str, edge: str, query: Mapping[str, str]) -> Any:
        allowed = PARAMETERS | ({"status"} if edge == "message_templates" else set())
        if unknown := set(query) - allowed:
            raise GraphError(100, f"(#100) Param {min(unknown)} is not expected")
        names = query.get("fields", "id").split(",")
        for name in names:
            if name not in FIELDS.get(edge, ()):
                raise GraphError(100, f"(#100) Tried accessing nonexisting field ({name})")
        match node, edge:
            case self.number, "":
                return {"id": self.number, **pick(self.about_number(), names)}
            case self.number, "whatsapp_business_profile":
                self.require("whatsapp_business_management")
                return {"data": [pick(self.profile, [*names, "messaging_product"])]}
            case self.user, "assigned_whatsapp_business_accounts":
                return page([{"id": each} for each in (self.other_account, self.account)], query)
            case ((self.account | self.other_account), "phone_numbers"):
                self.require("whatsapp_business_management")
                own = [self.about_number()] if node == self.account else []
                return page([pick(each, names) for each in own], query)
            case self.account, "message_templates":
                self.require("whatsapp_business_management")
                status = query.get("status", "")
                own = [
                    each for each in self.templates if each["status"] == (status or each["status"])
                ]
                return page([pick(each, ["id", *names]) for each in own], query)
            case self.account, "product_catalogs":
                self.require("catalog_management")
                own = [{"id": id_, "name": name} for id_, name in self.catalogues.items()]
                return page([pick(each, ["id", *names]) for each in own], query)
            case catalogue, "products" if catalogue in self.products:
                self.require("catalog_management")
                own = self.products[catalogue]
                return page([pick(each, ["id", *names]) for each in own], query)
        raise GraphError(
            100,
            f"Unsupported get request. Object with ID '{node}' does not exist, cannot be loaded due"
            " to missing permissions, or does not support this operation",
            subcode=33,
        )

    def about_number(self) -> dict[str, Any]:
        shown = {"display_phone_number": "+34 600 000 000", "verified_name": "Casa Lucía"}
        return {"id": self.number, **shown}

    def require(self, scope: str) -> None:
        if scope not in self.scopes:
            raise GraphError(200, f"(#200) Requires {scope} permission", status=403)


def make_business() -> WhatsAppBusinessServer:
    """With a profile, three templates, one of them waiting, and two products in a catalogue."""
    business = WhatsAppBusinessServer()
    business.profile |= {
        "about": "Roasted here",
        "address": "Calle Mayor 1, Madrid",
        "description": "Coffee and machines.",
        "email": "hola@casalucia.example",
        "websites": ["https://casalucia.example/"],
        "vertical": "RETAIL",
    }
    buttons = {
        "type": "BUTTONS",
        "buttons": [{"type": "URL", "text": "Track it", "url": "https://x"}],
    }
    business.add_template(
        "order_sent",
        "Your order {{1}} has left our shop. It arrives within two days.",
        components=[
            {"type": "HEADER", "format": "TEXT", "text": "On its way"},
            {"type": "BODY", "text": "Your order {{1}} left our shop. It takes two days."},
            {"type": "FOOTER", "text": "Casa Lucía"},
            buttons,
        ],
    )
    business.add_template("autumn_sale", "Ten percent less", status="PENDING")
    business.add_template("code", "{{1}} is your code", category="AUTHENTICATION")
    business.catalogues["900"] = "Shop"
    business.add_products(
        "900",
        {
            "retailer_id": "CAF-01",
            "name": "House blend",
            "description": "Beans, 1 kg",
            "price": "€18.50",
            "availability": "in stock",
            "url": "https://casalucia.example/house-blend",
        },
        {"retailer_id": "MAC-01", "name": "Espresso machine", "availability": "out of stock"},
    )
    return business


def pick(node: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: node[name] for name in names if name in node}


def page(rows: Sequence[Mapping[str, Any]], query: Mapping[str, str]) -> dict[str, Any]:
    """`next` alone says that there is more; cursors are there on the last page too."""
    limit = int(query.get("limit", LIMIT))
    if not 0 < limit <= LIMIT_MAX:
        raise GraphError(100, f"(#100) Param limit must be at most {LIMIT_MAX}")
    try:
        begin = int(base64.b64decode(query["after"])) if "after" in query else 0
    except ValueError as error:
        raise GraphError(100, "(#100) Invalid cursor") from error
    shown = list(rows[begin : begin + limit])
    if not shown:
        return {"data": []}
    end = base64.b64encode(str(begin + len(shown)).encode()).decode()
    paging: dict[str, Any] = {"cursors": {"before": "QVFI", "after": end}}
    if begin + len(shown) < len(rows):
        paging["next"] = f"https://graph.facebook.com/elsewhere?access_token=x&after={end}"
    return {"data": shown, "paging": paging}


def graph_error(code: int, message: str = "", *, status: int = 400, subcode: int = 0) -> Reply:
    told = {"message": message or f"(#{code}) An error", "type": "OAuthException", "code": code}
    if subcode:
        told["error_subcode"] = subcode
    return json_reply({"error": {**told, "fbtrace_id": "Az8or2yhqkZfEZ"}}, status)
