"""The endpoints that need no token, and why; and what a token does there: nothing."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pyotp
from django.core import mail
from django.utils import timezone

from accounts.models import Membership, Role
from accounts.signing_in.tokens import make_program_tokens, make_tokens
from accounts.tests.factories import PASSWORD, make_session, make_user
from agents.tests.factories import make_agent
from channels.tests.factories import APP_SECRET, ORIGIN, SECRET_TOKEN, VERIFY_TOKEN
from channels.visitor_services import receive
from channels.visitors import make_session as make_visitor_session
from config.database.acting import as_nobody
from config.security.encryption import digest
from config.tests.isolation.matrix import (
    FOREIGN,
    MALFORMED_ID,
    MISSING_ID,
    OWN,
    Answer,
    Cell,
    Problem,
    caller,
    send,
    undone,
)
from config.tests.isolation.url_table import ANY_METHOD, Endpoint
from config.tests.isolation.world import NOBODY, World
from sources.services.downloads import make_token

NONSENSE = "a token that is none"
NEW_PASSWORD = "another horse battery 2"


@dataclass(frozen=True)
class PublicRow:
    """An endpoint that answers alike without a token, with a false one and with another tenant's.

    Args:
        why: no token is needed.
        body: of a request that succeeds. It may write what must be there first.
        own_id: what stands in the address.
        wrong_ids: what may stand there too, all answered by one 404.
        headers: beside that of the token.
    """

    method: str
    route: str
    why: str
    status: int = 200
    body: Callable[[Cell], Any] | None = None
    own_id: Callable[[Cell], str] | None = None
    wrong_ids: Callable[[World], dict[str, str]] | None = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.method, self.route)

    def ask(self, cell: Cell, headers: dict[str, str], target: str = "") -> Answer:
        with undone():
            body = self.body(cell) if self.body else None
            target = target or (self.own_id(cell) if self.own_id else "")
            method = "GET" if self.method == ANY_METHOD else self.method
            return send(method, self.endpoint.path(target), self.headers | headers, body)


def find_public_problems(row: PublicRow, world: World) -> list[Problem]:
    credentials = {
        NOBODY: {},
        NONSENSE: {"Authorization": "Bearer nonsense"},
        "another tenant's admin": world.theirs.headers[Role.ADMIN],
    }
    problems = []
    for credential, headers in credentials.items():
        cell = Cell(row.endpoint, credential, OWN, world)
        problems += [Problem(str(cell), what) for what in judge(row, cell, row.ask(cell, headers))]
    return problems + wrong_id_problems(row, world)


def judge(row: PublicRow, cell: Cell, answer: Answer) -> Iterator[str]:
    if answer.status != row.status:
        yield f"answered {answer.status}, not {row.status}: {answer.body[:200]!r}"
    yield from judge_silence(cell, answer)


def judge_silence(cell: Cell, answer: Answer) -> Iterator[str]:
    for table, owner in answer.changes:
        if owner in cell.world.their_owners:
            yield f"changed {table} of the other tenant"
    said = answer.body.decode(errors="replace") + repr(answer.headers)
    if any(mark in said.lower() for mark in cell.world.their_marks):
        yield "shows something of the other tenant"


def wrong_id_problems(row: PublicRow, world: World) -> list[Problem]:
    if row.wrong_ids is None:
        return []
    cell = Cell(row.endpoint, NOBODY, FOREIGN, world)
    answers = {name: row.ask(cell, {}, given) for name, given in row.wrong_ids(world).items()}
    first = next(iter(answers.values()))
    return [
        Problem(f"{row.endpoint} [{name}]", f"answered {answer}, not the one 404")
        for name, answer in answers.items()
        if answer.status != 404 or answer.changes or not answer.is_like(first)
    ]


# --- What is sent ---------------------------------------------------------------------------------


def constant(**fields: Any) -> Any:
    return lambda cell: fields


def admin_email(cell: Cell) -> str:
    return cell.side.people[Role.ADMIN].email


def password_of_admin(cell: Cell) -> dict[str, Any]:
    return {"email": admin_email(cell), "password": PASSWORD}


def refresh_token(cell: Cell) -> dict[str, Any]:
    session = make_session(cell.side.people[Role.ADMIN], cell.side.tenant)
    return {"refresh_token": make_tokens(session).refresh_token}


def mailed_code(cell: Cell, purpose: str) -> dict[str, Any]:
    email = admin_email(cell)
    answer = caller().post("/auth/otp/send", {"email": email, "purpose": purpose}, format="json")
    assert answer.status_code == 200, answer.content
    found = re.search(r"\b\d{6}\b", str(mail.outbox[-1].body))
    assert found
    return {"email": email, "code": found[0]}


def login_code(cell: Cell) -> dict[str, Any]:
    return {**mailed_code(cell, "login"), "purpose": "login"}


def reset_code(cell: Cell) -> dict[str, Any]:
    return {**mailed_code(cell, "reset"), "new_password": NEW_PASSWORD}


def challenge(cell: Cell) -> dict[str, Any]:
    client = caller()
    headers = cell.side.headers[Role.ADMIN]
    secret = client.post("/auth/2fa/setup", {}, format="json", headers=headers).json()["secret"]
    code = {"code": pyotp.TOTP(secret).now()}
    codes = client.post("/auth/2fa/confirm", code, format="json", headers=headers).json()
    login = client.post("/auth/login", password_of_admin(cell), format="json").json()
    return {"challenge": login["challenge"], "code": codes["recovery_codes"][0]}


def invitation(cell: Cell) -> dict[str, Any]:
    invited = make_user(email="invited@acme.example", password="")
    invited.set_unusable_password()
    invited.save()
    Membership.objects.for_tenant(cell.side.tenant).create(
        user=invited,
        role=Role.VIEWER,
        activated_at=None,
        invitation_hash=digest("an invitation"),
        invitation_expires_at=timezone.now() + timedelta(days=1),
    )
    return {"token": "an invitation", "password": NEW_PASSWORD}


def program_form(cell: Cell, **said: str) -> str:
    return urlencode({"client_id": cell.side.access.program.client_id, **said})


def program_refresh(cell: Cell) -> str:
    token = make_program_tokens(cell.side.access).refresh_token
    return program_form(cell, grant_type="refresh_token", refresh_token=token)


def program_revocation(cell: Cell) -> str:
    return program_form(cell, token=make_program_tokens(cell.side.access).access_token)


def download_token(cell: Cell) -> str:
    return make_token(cell.side.source)


def wrong_download_tokens(world: World) -> dict[str, str]:
    theirs = world.theirs.source
    theirs.tenant = world.ours.tenant  # signed by us, which no client can do; never saved
    signed = make_token(theirs)
    theirs.tenant = world.theirs.tenant
    forged = make_token(theirs)[:-1] + "!"
    return {
        "our tenant with their source": signed,
        "their link with another signature": forged,
        "missing": MISSING_ID,
        "malformed": MALFORMED_ID,
    }


def web_agent_id(cell: Cell) -> str:
    return str(cell.side.agent.pk)


def agents_elsewhere(world: World) -> dict[str, str]:
    """Ours that is not at `web`, and what never was. (Theirs is one of theirs: anybody may visit
    it, from its own pages.)"""
    elsewhere = make_agent(world.ours.tenant, allowed_origins=[ORIGIN])
    return {
        "not at web": str(elsewhere.pk),
        "missing": MISSING_ID,
        "malformed": MALFORMED_ID,
    }


def visitors_question(cell: Cell) -> dict[str, Any]:
    with as_nobody():  # as a request begins; it ends as the agent's tenant
        visit = receive(cell.side.agent.pk, origin=ORIGIN, address="203.0.113.7")
    return {"session": make_visitor_session(visit), "query": "When does the shop open?"}


def agent_at_messengers(cell: Cell) -> str:
    return str(cell.side.agent.pk)


def agents_without_messengers(world: World) -> dict[str, str]:
    return {
        "at no messenger": str(make_agent(world.ours.tenant).pk),
        "missing": MISSING_ID,
        "malformed": MALFORMED_ID,
    }


def handshake(cell: Cell) -> str:
    given = {"mode": "subscribe", "verify_token": VERIFY_TOKEN, "challenge": "1158201444"}
    query = urlencode({f"hub.{name}": value for name, value in given.items()})
    return f"{agent_at_messengers(cell)}?{query}"


def telegram_update(cell: Cell) -> dict[str, Any]:
    message = {
        "message_id": 1,
        "from": {"id": 77, "is_bot": False, "first_name": "Ada"},
        "chat": {"id": 77, "type": "private"},
        "date": int(timezone.now().timestamp()),
        "text": "When do you open?",
    }
    return {"update_id": 1, "message": message}


NO_NOTIFICATION = b"{}"
SIGNATURE = hmac.new(APP_SECRET.encode(), NO_NOTIFICATION, hashlib.sha256).hexdigest()
NEW_WORKSPACE = constant(
    email="eva@nova.example", password=NEW_PASSWORD, tenant_name="Nova", slug="nova"
)
PROOF = "the proof is in the body"

# --- The rows -------------------------------------------------------------------------------------

PUBLIC_ROWS = [
    PublicRow("GET", "healthz", "load balancers ask"),
    PublicRow("GET", "readyz", "load balancers ask"),
    PublicRow(ANY_METHOD, "admin", "leads our staff to their login", 302),
    PublicRow(ANY_METHOD, "admin/", "of our staff, with a login of its own", 302),
    PublicRow("POST", "auth/signup", "nobody has a token yet", 201, body=NEW_WORKSPACE),
    PublicRow(
        "POST",
        "auth/otp/send",
        "nobody has a token yet",
        body=lambda cell: {"email": admin_email(cell), "purpose": "login"},
    ),
    PublicRow("POST", "auth/otp/verify", PROOF, body=login_code),
    PublicRow("POST", "auth/reset-password", PROOF, body=reset_code),
    PublicRow("POST", "auth/login", PROOF, body=password_of_admin),
    PublicRow("POST", "auth/2fa/verify", PROOF, body=challenge),
    PublicRow("POST", "auth/refresh", PROOF, body=refresh_token),
    PublicRow("POST", "auth/logout", PROOF, 204, body=refresh_token),
    PublicRow("POST", "auth/activate", PROOF, body=invitation),
    PublicRow(
        "POST",
        "oauth/register",
        "a program opens nothing before somebody lets it in",
        201,
        body=constant(redirect_uris=["https://program.example/back"]),
    ),
    PublicRow("POST", "oauth/token", PROOF, body=program_refresh),
    PublicRow("POST", "oauth/revoke", PROOF, body=program_revocation),
    PublicRow("GET", ".well-known/oauth-authorization-server", "programs begin here"),
    PublicRow("GET", ".well-known/oauth-protected-resource", "programs begin here"),
    PublicRow("GET", ".well-known/oauth-protected-resource/tenants/me/mcp", "programs begin here"),
    PublicRow(
        ANY_METHOD,
        "stop-mails/<str:token>",
        "whoever got the mail has the token; a GET leads to the page, which looks at it",
        302,
        own_id=lambda cell: str(cell.side.tenant.pk),
    ),
    PublicRow("GET", ".well-known/security.txt", "who found a hole asks; none is named here", 404),
    PublicRow(ANY_METHOD, "widget.js", "visitors of any website load it"),
    PublicRow(ANY_METHOD, "demo", "of the demo company, in development alone", 404),
    PublicRow("GET", "schema", "what the API is like is no secret"),
    PublicRow("GET", "docs", "what the API is like is no secret"),
    PublicRow(
        "GET",
        "files/<str:token>",
        "the signature in the address is the permission",
        own_id=download_token,
        wrong_ids=wrong_download_tokens,
    ),
    PublicRow(
        "POST",
        "public/agents/<str:agent_id>/sessions",
        "a page may show what it greets with to anybody",
        201,
        body=constant(),
        own_id=web_agent_id,
        wrong_ids=agents_elsewhere,
        headers={"Origin": ORIGIN},
    ),
    PublicRow(
        "POST",
        "public/agents/<str:agent_id>/query",
        "a page's visitors are anybody",
        body=visitors_question,
        own_id=web_agent_id,
        wrong_ids=agents_elsewhere,
        headers={"Origin": ORIGIN},
    ),
    PublicRow(
        "POST",
        "webhooks/messenger_a/<str:agent_id>",
        "the secret that the messenger was given is the permission",
        body=telegram_update,
        own_id=agent_at_messengers,
        wrong_ids=agents_without_messengers,
        headers={"X-Telegram-Bot-Api-Secret-Token": SECRET_TOKEN},
    ),
    PublicRow(
        "GET",
        "webhooks/messenger_b/agent/<str:agent_id>",
        "the verify_token is the permission",
        own_id=handshake,
        wrong_ids=agents_without_messengers,
    ),
    PublicRow(
        "POST",
        "webhooks/messenger_b/agent/<str:agent_id>",
        "the signature of the body is the permission",
        body=constant(),
        own_id=agent_at_messengers,
        wrong_ids=agents_without_messengers,
        headers={"X-Hub-Signature-256": f"sha256={SIGNATURE}"},
    ),
]
