"""What each endpoint that needs a token is for: a row a method and route.

A new endpoint brings its row here, or in public_rows.py: config/tests/test_isolation_matrix.py.
"""

from typing import Any

import pyotp

from accounts.errors import UserNotFound
from accounts.models import Role
from accounts.programs.discovery import challenge
from accounts.tests.factories import PASSWORD
from agents.errors import AgentNotFound, ModelNotFound
from config.errors import NotFound
from config.rest.error_forms import LEGACY, OPENAI
from config.tests.isolation.matrix import ADMINS, ADMINS_AND_MEMBERS, EVERYBODY, Cell, Row, caller
from config.tests.isolation.world import Side
from sources.errors import SourceNotFound
from sources.tests.factories import text_file

WEBSITE = "http://93.184.216.34/help"  # nothing is asked there
NEW_PASSWORD = "another horse battery 2"


def source_id(side: Side) -> object:
    return side.source.pk


def colleague_id(side: Side) -> object:
    return side.colleague.pk


def agent_id(side: Side) -> object:
    return side.agent.pk


def api_token_id(side: Side) -> object:
    return side.api_token.pk


def of_source(method: str, rest: str = "", **over: Any) -> Row:
    may = ADMINS_AND_MEMBERS if method == "GET" else ADMINS
    route = f"ingest/sources/<str:source_id>{rest}"
    return Row(method, route, may, own_id=source_id, not_found=SourceNotFound, **over)


def of_agent(method: str, may: frozenset[Role], rest: str = "", **over: Any) -> Row:
    route = f"agents/<str:agent_id>{rest}"
    return Row(method, route, may, own_id=agent_id, not_found=AgentNotFound, **over)


def of_channel(method: str, **over: Any) -> Row:
    """At `web`, which asks no messenger."""
    rest = "/channels/<str:channel_type>"
    return of_agent(method, ADMINS, rest, fixed={"channel_type": "web"}, **over)


# --- What is sent ---------------------------------------------------------------------------------


def constant(**fields: Any) -> Any:
    return lambda cell: fields


def new_file(cell: Cell) -> dict[str, Any]:
    return {"name": "FAQ", "file": text_file()}


def own_order(cell: Cell) -> list[dict[str, Any]]:
    return [{"source_id": str(cell.side.source.pk), "position": 3}]


def own_source(cell: Cell) -> dict[str, Any]:
    return {"source_ids": [str(cell.side.source.pk)]}


def chat(cell: Cell) -> dict[str, Any]:
    messages = [{"role": "user", "content": "When does the shop open?"}]
    return {"model": str(cell.side.agent.pk), "messages": messages}


INITIALIZE = constant(
    jsonrpc="2.0",
    id=1,
    method="initialize",
    params={
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "matrix", "version": "1"},
    },
)


def post_as_person(cell: Cell, path: str, body: dict[str, Any]) -> Any:
    """On the way to the request of a cell. An API token's cell is prepared by an admin."""
    headers = cell.side.headers[str(cell.side.role_of(cell.credential))]
    answer = caller().post(path, body, format="json", headers=headers)
    assert answer.status_code == 200, answer.content
    return answer.json()


def first_code(cell: Cell) -> dict[str, Any]:
    """After setup: what the authenticator app shows."""
    secret = post_as_person(cell, "/auth/2fa/setup", {})["secret"]
    return {"code": pyotp.TOTP(secret).now()}


def recovery_code(cell: Cell) -> dict[str, Any]:
    """After setup and confirmation."""
    codes = post_as_person(cell, "/auth/2fa/confirm", first_code(cell))["recovery_codes"]
    return {"password": PASSWORD, "code": codes[0]}


PROFILE = constant(
    legal_name="Acme, S.A.",
    tax_id="A12345674",
    address="Calle Menor 2",
    city="Lugo",
    postal_code="27001",
    country="ES",
    billing_email="bills@acme.example",
)
QUESTION = constant(query="When does the shop open?")

# --- The rows -------------------------------------------------------------------------------------

ROWS = [
    Row("GET", "auth/me", EVERYBODY),
    Row("GET", "auth/tenants", EVERYBODY, in_person=True),
    Row(
        "POST",
        "auth/change-password",
        EVERYBODY,
        in_person=True,
        body=constant(current_password=PASSWORD, new_password=NEW_PASSWORD),
    ),
    Row("POST", "auth/2fa/setup", EVERYBODY, in_person=True, body=constant()),
    Row("POST", "auth/2fa/confirm", EVERYBODY, in_person=True, body=first_code),
    Row("POST", "auth/2fa/disable", EVERYBODY, in_person=True, body=recovery_code),
    Row("GET", "tenants/me", EVERYBODY),
    Row("PATCH", "tenants/me", ADMINS, body=constant(name="Acme & Sons")),
    Row("GET", "tenants/me/usage", ADMINS),
    Row("GET", "tenants/me/members", ADMINS),
    Row(
        "POST",
        "tenants/me/members",
        ADMINS,
        201,
        body=constant(email="new@acme.example", role="viewer"),
    ),
    Row(
        "PATCH",
        "tenants/me/members/<str:user_id>",
        ADMINS,
        own_id=colleague_id,
        not_found=UserNotFound,
        body=constant(role="member"),
    ),
    Row(
        "DELETE",
        "tenants/me/members/<str:user_id>",
        ADMINS,
        204,
        own_id=colleague_id,
        not_found=UserNotFound,
    ),
    Row("DELETE", "tenants/me/membership", EVERYBODY, 204, in_person=True),
    Row("GET", "tenants/me/company-profile", ADMINS),
    Row("PUT", "tenants/me/company-profile", ADMINS, body=PROFILE),
    Row("GET", "tenants/me/api-tokens", ADMINS),
    Row(
        "POST",
        "tenants/me/api-tokens",
        ADMINS,
        201,
        body=constant(name="Shop", expires_in_days=30),
    ),
    Row(
        "DELETE",
        "tenants/me/api-tokens/<str:token_id>",
        ADMINS,
        204,
        own_id=api_token_id,
        not_found=NotFound,
    ),
    Row("GET", "ingest/sources", ADMINS_AND_MEMBERS),
    Row(
        "POST",
        "ingest/sources",
        ADMINS,
        201,
        body=constant(name="Help", source_type="web", source_url=WEBSITE),
    ),
    Row(
        "POST",
        "ingest/sources/preflight",
        ADMINS,
        body=constant(source_type="web", source_url=WEBSITE),
    ),
    Row("POST", "ingest/sources/upload", ADMINS, 201, body=new_file, format="multipart"),
    Row("PATCH", "ingest/sources/reorder", ADMINS, body=own_order),
    of_source("PATCH", body=constant(name="Ours now")),
    of_source("DELETE"),
    of_source("POST", "/sync", status=202),
    of_source("PUT", "/file", status=202, body=new_file, format="multipart"),
    of_source("GET", "/status"),
    of_source("GET", "/preview"),
    of_source("GET", "/history"),
    of_source("GET", "/schedule"),
    of_source("PUT", "/schedule", body=constant(frequency="24h")),
    of_source("GET", "/download"),
    Row("POST", "agent/query", EVERYBODY, body=QUESTION, error_form=LEGACY),
    of_agent("POST", EVERYBODY, "/query", body=QUESTION, error_form=LEGACY),
    Row(
        "POST",
        "tenants/me/mcp",
        EVERYBODY,
        body=INITIALIZE,
        error_form=LEGACY,
        challenge=challenge(),
    ),
    Row("GET", "v1/models", EVERYBODY, error_form=OPENAI),
    Row(
        "GET",
        "v1/models/<str:model>",
        EVERYBODY,
        own_id=agent_id,
        not_found=ModelNotFound,
        error_form=OPENAI,
    ),
    Row("POST", "v1/chat/completions", EVERYBODY, body=chat, error_form=OPENAI),
    Row("GET", "agents", EVERYBODY),
    Row("POST", "agents", ADMINS, 201, body=constant(name="Support")),
    of_agent("GET", EVERYBODY),
    of_agent("PUT", ADMINS, body=constant(name="Support", status="inactive")),
    of_agent("DELETE", ADMINS, status=204),
    of_agent("GET", ADMINS_AND_MEMBERS, "/sources"),
    of_agent("PUT", ADMINS, "/sources", body=own_source),
    of_agent("GET", ADMINS, "/channels"),
    of_channel("PUT", body=constant()),
    of_channel("DELETE", status=204),
]
