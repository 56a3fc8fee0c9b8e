"""A stand-in for Odoo: JSON-RPC until version 21, JSON-2 from 19 on, with the errors of each.

odoo.com/documentation/18.0/developer/reference/external_api.html (JSON-RPC) and
odoo.com/documentation/19.0/developer/reference/external_api.html (JSON-2), read 2026-11-22. From 20
on JSON-RPC is switched off unless an administrator switches it on (addons/rpc of odoo/odoo).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from connectors.tests.providers.odoo_domains import compile_domain
from connectors.tests.providers.odoo_models import ALWAYS, OdooField, OdooModel
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

JSON2_PATH = re.compile(r"/json/2/([\w.]+)/(\w+)")
# By position, after the ids where it is a method of records. Names that are not here do not exist.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "search_read": ("domain", "fields", "offset", "limit", "order"),
    "search": ("domain", "offset", "limit", "order"),
    "search_count": ("domain", "limit"),
    "read": ("fields", "load"),
    "fields_get": ("allfields", "attributes"),
    "context_get": (),
}
OF_RECORDS = frozenset({"read"})


class OdooError(Exception):
    """`name`: of Odoo's exception; `status`: what JSON-2 answers it with."""

    def __init__(self, name: str, message: str, status: int) -> None:
        self.name, self.message, self.status = name, message, status
        super().__init__(message)


def access_denied() -> OdooError:
    return OdooError("odoo.exceptions.AccessDenied", "Access Denied", 403)


def value_error(message: str) -> OdooError:
    return OdooError("builtins.ValueError", message, 500)


class OdooServer(ProviderServer):
    """One database with one user, whose `key` opens it. What tests change: `key`, `lang`,
    `denied` (models that the user may not read), and rows, by the methods below."""

    uid = 7
    user_name = "Agent of knowledge"
    login = "agent@shop.example"

    def __init__(self, *models: OdooModel, version: int = 18, database: str = "shop") -> None:
        super().__init__()
        self.version = version
        self.database = database
        self.key = "0123456789abcdef0123456789abcdef01234567"
        self.lang = "en_US"
        self.denied: set[str] = set()
        users = OdooModel("res.users", "User", {"name": OdooField("char", "Name")})
        self.models = {model.name: model for model in (*models, users)}
        for model in self.models.values():
            model.fields = {**ALWAYS, **model.fields}
        self._ids = itertools.count(100)
        self._now = datetime(2026, 11, 1, 9, tzinfo=UTC)
        users.rows[self.uid] = {"id": self.uid, "name": self.user_name, "write_date": self._tick()}

    # --- What tests change ------------------------------------------------------------------------

    def add(self, model: str, **values: Any) -> int:
        with self.lock:
            record = next(self._ids)
            self.models[model].rows[record] = {
                "id": record,
                "write_date": self._tick(),
                **values,
            }
            return record

    def edit(self, model: str, record: int, **values: Any) -> None:
        with self.lock:
            self.models[model].rows[record].update(values, write_date=self._tick())

    def move_stock(self, record: int, quantity: float) -> None:
        """As deliveries do: the product itself is not written."""
        with self.lock:
            self.models["product.template"].rows[record]["qty_available"] = quantity

    def archive(self, model: str, record: int) -> None:
        self.edit(model, record, active=False)

    def delete(self, model: str, record: int) -> None:
        with self.lock:
            del self.models[model].rows[record]

    def _tick(self) -> str:
        self._now += timedelta(seconds=1)
        return self._now.strftime("%Y-%m-%d %H:%M:%S")

    # --- Over HTTP --------------------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        if call.path == "/web/version" and call.method == "GET" and self.version >= 19:
            return json_reply(
                {
                    "version_info": [self.version, 0, 0, "final", 0, ""],
                    "version": f"{self.version}.0",
                }
            )
        if call.path == "/jsonrpc" and call.method == "POST" and self.version < 22:
            return self.answer_rpc(call)
        found = JSON2_PATH.fullmatch(call.path)
        if found and call.method == "POST" and self.version >= 19:
            return self.answer_json2(call, found[1], found[2])
        return not_found()

    def answer_rpc(self, call: Call) -> Reply:
        """Always 200, errors in the body."""
        if not is_json(call) or set(call.json) != {"jsonrpc", "method", "params", "id"}:
            return Reply(400, b"<h1>Bad Request</h1>", {"Content-Type": "text/html; charset=utf-8"})
        asked = call.json
        about = {"jsonrpc": "2.0", "id": asked["id"]}
        try:
            result = self.dispatch_rpc(**asked["params"])
        except OdooError as error:
            told = {"code": 200, "message": "Odoo Server Error", "data": serialized(error)}
            if error.status == 404:
                told |= {"code": 404, "message": "404: Not Found"}
            return json_reply({**about, "error": told})
        return json_reply({**about, "result": result})

    def dispatch_rpc(self, *, service: str, method: str, args: list[Any]) -> Any:
        if (service, method, args) == ("common", "version", []):
            return {"server_version": f"{self.version}.0", "protocol_version": 1}
        if self.version >= 20:
            raise OdooError("werkzeug.exceptions.NotFound", "404 Not Found", 404)
        self.require_database(args[0])
        if service == "common" and method in ("authenticate", "login"):
            _, login, key = args[:3]
            return self.uid if (login, key) == (self.login, self.key) else False
        if (service, method) != ("object", "execute_kw"):
            raise OdooError("builtins.NameError", f"Method not available {method}", 500)
        _, uid, key, model, name, given, named = args
        if (uid, key) != (self.uid, self.key):
            raise access_denied()
        return self.call(model, name, self.bind(name, given, named))

    def bind(self, name: str, given: list[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        names = PARAMETERS.get(name, ())
        by_position = ("ids", *names) if name in OF_RECORDS else names
        return {**dict(zip(by_position, given, strict=False)), **named}

    def require_database(self, name: object) -> None:
        if name != self.database:
            raise OdooError(
                "psycopg2.OperationalError", f'FATAL:  database "{name}" does not exist\n', 500
            )

    def answer_json2(self, call: Call, model: str, method: str) -> Reply:
        if call.headers.get("x-odoo-database", self.database) != self.database:
            return not_found()
        try:
            if call.bearer != self.key:
                raise OdooError("werkzeug.exceptions.Unauthorized", "Invalid apikey", 401)
            if not is_json(call):
                raise OdooError("werkzeug.exceptions.BadRequest", "could not parse the body", 400)
            return json_reply(self.call(model, method, call.json))
        except OdooError as error:
            return json_reply(serialized(error), error.status)

    # --- The models -------------------------------------------------------------------------------

    def call(self, name: str, method: str, given: Mapping[str, Any]) -> Any:
        """`given`: by name, `ids` and `context` among them."""
        with self.lock:
            model = self.models.get(name)
            if model is None:
                raise self.no_such_model(name)
            allowed = {"context", *(("ids",) if method in OF_RECORDS else ())}
            unknown = set(given) - allowed - set(PARAMETERS.get(method, ()))
            if method not in PARAMETERS or unknown:
                raise OdooError("builtins.TypeError", f"{method}() got {sorted(unknown)}", 422)
            if method == "context_get":
                return {"lang": self.lang, "tz": "Europe/Madrid", "uid": self.uid}
            if name in self.denied:
                raise OdooError(
                    "odoo.exceptions.AccessError",
                    f"You are not allowed to access '{model.label}' ({name}) records.\n\n"
                    "Contact your administrator to request access if necessary.",
                    403,
                )
            rest = {key: value for key, value in given.items() if key != "context"}
            lang = str(given.get("context", {}).get("lang", "en_US"))
            return getattr(self, method)(model, lang=lang, **rest)

    def no_such_model(self, name: str) -> OdooError:
        if self.version < 19:
            return OdooError("odoo.exceptions.UserError", f"Object {name} doesn't exist", 422)
        return OdooError("werkzeug.exceptions.NotFound", f"the model {name!r} does not exist", 404)

    def search(
        self,
        model: OdooModel,
        *,
        domain: list[Any],
        lang: str = "",
        offset: int = 0,
        limit: int | None = None,
        order: str | None = None,
    ) -> list[int]:
        if order and order not in ("id", "id asc"):
            raise value_error(f"Invalid order {order}")
        try:
            test = compile_domain(domain, model=model.name, fields=tuple(model.fields))
        except ValueError as error:
            raise value_error(str(error)) from error
        found = sorted(
            row["id"] for row in model.rows.values() if row.get("active", True) and test(row)
        )
        return found[offset:][: limit or None]

    def search_count(self, model: OdooModel, *, domain: list[Any], lang: str) -> int:
        return len(self.search(model, domain=domain))

    def search_read(
        self, model: OdooModel, *, domain: list[Any], fields: list[str], lang: str, **paging: Any
    ) -> list[dict[str, Any]]:
        ids = self.search(model, domain=domain, **paging)
        return self.read(model, ids=ids, fields=fields, lang=lang)

    def read(
        self, model: OdooModel, *, ids: list[int], fields: list[str], lang: str
    ) -> list[dict[str, Any]]:
        """Rows that are gone are left out."""
        for name in fields:
            if name not in model.fields:
                raise value_error(f"Invalid field {name!r} on model {model.name!r}")
        return [
            {
                name: self.shown(model, model.rows[each], name, lang)
                for name in dict.fromkeys(["id", *fields])
            }
            for each in ids
            if each in model.rows
        ]

    def shown(self, model: OdooModel, row: Mapping[str, Any], name: str, lang: str) -> Any:
        if name == "display_name":
            name = "name"
        value = row.get(name)
        if isinstance(value, Mapping):  # translated
            value = value.get(lang, value["en_US"])
        kind = model.fields[name].type if name in model.fields else "char"
        if kind == "many2one" and value:
            related = self.models[model.fields[name].relation]
            return [value, self.shown(related, related.rows[value], "display_name", lang)]
        if kind in ("many2many", "one2many"):
            return list(value or ())
        if kind in ("integer", "float", "monetary"):
            return value or 0
        return False if value is None or value == "" else value

    def fields_get(
        self,
        model: OdooModel,
        *,
        lang: str,
        allfields: Iterable[str] = (),
        attributes: Iterable[str] = (),
    ) -> dict[str, dict[str, Any]]:
        wanted, told = set(allfields), set(attributes)
        return {
            name: {
                key: value for key, value in each.describe(lang).items() if not told or key in told
            }
            for name, each in model.fields.items()
            if not wanted or name in wanted
        }


def is_json(call: Call) -> bool:
    """Whether the body is an object, and says so."""
    if call.headers.get("content-type", "").split(";")[0] != "application/json":
        return False
    try:
        return isinstance(call.json, dict)
    except ValueError:
        return False


def serialized(error: OdooError) -> dict[str, Any]:
    return {
        "name": error.name,
        "message": error.message,
        "arguments": [error.message],
        "context": {},
        "debug": f"Traceback (most recent call last):\n  …\n{error.name}: {error.message}",
    }


def not_found() -> Reply:
    return Reply(404, b"<h1>Not Found</h1>", {"Content-Type": "text/html; charset=utf-8"})
