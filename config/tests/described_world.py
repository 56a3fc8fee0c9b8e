"""Something of everything, for requests that would otherwise only ever meet "not found"."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyotp
from django.core.files.uploadedfile import SimpleUploadedFile
from schemathesis import Case

from accounts.models import ApiToken, CompanyProfile, Membership, Purpose, Role, Tenant, User
from accounts.services.signing_in.two_factor import set_up
from accounts.signing_in.codes import make_code
from accounts.signing_in.tokens import make_challenge, make_tokens
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_api_token,
    make_invitation,
    make_session,
    make_stranger,
    make_tenant,
    make_user,
    switch_two_factor_on,
)
from agents.tests.factories import make_agent
from channels.tests.factories import ORIGIN, make_connection, make_web_agent
from channels.visitor_services import receive
from channels.visitors import make_session as make_visitor_session
from config.database.acting import as_nobody
from query.tests.factories import LIGHTHOUSE, index_texts
from sources.models import Source, SyncStatus
from sources.services.downloads import make_token
from sources.services.uploads import ingest_file
from sources.tests.factories import make_event, make_schedule, make_source

NUMERIC_ADDRESS = "93.184.216.34"  # nothing is asked there
NEW_PASSWORD = "another horse battery 2"
FILE = b"The shop opens at ten."
PAGE = {"Origin": ORIGIN}  # of a website whose visitors may ask


@dataclass(frozen=True)
class World:
    """A workspace; what names its rows in addresses, and what is right in bodies."""

    as_admin: dict[str, str]  # headers
    as_viewer: dict[str, str]
    in_path: dict[str, list[str]]
    in_body: dict[str, Any]
    in_body_at: dict[str, dict[str, Any]]  # by path, before `in_body`


def make_world() -> World:
    tenant = make_tenant("acme")
    admin, viewer = make_user(tenant), make_user(tenant, role=Role.VIEWER)
    colleague, invited = make_user(tenant, role=Role.MEMBER), make_stranger()
    invitation = make_invitation(tenant, invited)
    make_api_token(admin, tenant)
    make_company_profile(tenant)
    sources = make_sources(tenant)
    agents = [
        make_web_agent(tenant),
        make_agent(tenant, sources[0]),
        make_web_agent(tenant, status="inactive"),
    ]
    make_connection(agents[1], "messenger_a")
    make_connection(agents[2], "messenger_b")
    with as_nobody():  # as a request begins; it ends as the agent's tenant
        visit = receive(agents[0].pk, origin=ORIGIN, address="203.0.113.7")
    ids = {
        "agent_id": [str(agent.pk) for agent in agents],
        "channel_type": ["web", "messenger_a", "messenger_b"],
        "source_id": [str(source.pk) for source in sources],
        "user_id": [str(colleague.pk), str(invited.pk), str(admin.pk)],
        "token_id": [str(ApiToken.objects.for_tenant(tenant).get().pk)],
        "token": [make_token(sources[0])],
        "model": [str(agents[0].pk)],
    }
    return World(
        as_admin=bearer(admin, tenant) | PAGE,
        as_viewer=bearer(viewer, tenant) | PAGE,
        in_path=ids,
        in_body={
            "email": colleague.email,
            "password": PASSWORD,
            "current_password": PASSWORD,
            "new_password": NEW_PASSWORD,
            "refresh_token": make_tokens(make_session(colleague, tenant)).refresh_token,
            "tenant_slug": tenant.slug,
            "source_id": ids["source_id"][0],
            "redirect_uris": ["https://program.example/back"],
            "source_type": "web",
            "source_url": f"http://{NUMERIC_ADDRESS}/help",
            "query": "When does the lighthouse open?",
            "agent_id": str(agents[0].pk),
            "source_ids": ids["source_id"],
            "lead_notification_email": "sales@example.com",
            "role": "viewer",
            "country": "ES",
            "file": FILE,
        },
        in_body_at={
            "/auth/activate": {"token": invitation, "password": NEW_PASSWORD},
            "/auth/signup": {"email": "new@example.com", "slug": "fresh", "password": NEW_PASSWORD},
            "/tenants/me/members": {"email": "another@example.com"},
            "/tenants/me/mcp": {
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": {"name": "schemathesis", "version": "4"},
                },
            },
            "/v1/chat/completions": {
                "model": str(agents[0].pk),
                "messages": [{"role": "user", "content": "When does the lighthouse open?"}],
            },
            "/public/agents/{agent_id}/query": {"session": make_visitor_session(visit)},
            **code_bodies(colleague),
            **two_factor_bodies(tenant, admin=admin, viewer=viewer),
        },
    )


def make_sources(tenant: Tenant) -> list[Source]:
    """A stored file, a website that waits, and one that failed."""
    stored = ingest_file(tenant, file=SimpleUploadedFile("faq.txt", FILE), filename="faq.txt")
    index_texts(tenant, *LIGHTHOUSE)
    website = make_source(tenant, source_type="web", sync_status=SyncStatus.PENDING)
    failed = make_source(tenant, sync_status=SyncStatus.ERROR, error_message="It broke.")
    make_event(failed, details={"chunks_written": 3, "provider": "file"})
    make_schedule(website)
    return [stored, website, failed]


def make_company_profile(tenant: Tenant) -> None:
    CompanyProfile.objects.for_tenant(tenant).create(
        legal_name="Acme S.L.",
        tax_id="B12345674",
        address="Calle Mayor 1",
        city="Madrid",
        postal_code="28013",
        country="ES",
        billing_email="billing@example.com",
    )


def code_bodies(user: User) -> dict[str, dict[str, Any]]:
    return {
        "/auth/otp/send": {"purpose": "login"},
        "/auth/otp/verify": {"code": make_code(user.email, Purpose.LOGIN), "purpose": "login"},
        "/auth/reset-password": {"code": make_code(user.email, Purpose.RESET)},
    }


def two_factor_bodies(tenant: Tenant, *, admin: User, viewer: User) -> dict[str, dict[str, Any]]:
    """The admin has two-factor login, the viewer has set it up and not confirmed it."""
    _, recovery_codes = switch_two_factor_on(admin)
    membership = Membership.objects.for_tenant(tenant).get(user=admin)
    secret = set_up(viewer).secret
    return {
        "/auth/2fa/verify": {"challenge": make_challenge(membership), "code": recovery_codes[0]},
        "/auth/2fa/disable": {"code": recovery_codes[0]},
        "/auth/2fa/confirm": {"code": pyotp.TOTP(secret).now()},
    }


def with_real_values(case: Case[Any], world: World) -> Iterator[Case[Any]]:
    """The same request of what is there: one for each id that the address takes."""
    names = set(case.path_parameters or {}) & set(world.in_path)
    body = real_body(case, world)
    if not names and body == case.body:
        return
    for number in range(max((len(world.in_path[name]) for name in names), default=1)):
        real = case.derive()
        ids = {name: world.in_path[name][number % len(world.in_path[name])] for name in names}
        real.path_parameters = {**real.path_parameters, **ids}
        real.body = body
        yield real


def real_body(case: Case[Any], world: World) -> Any:
    """Fields that the body has not stay away."""
    if not isinstance(case.body, dict):
        return case.body
    right = {**world.in_body, **world.in_body_at.get(case.operation.path, {})}
    return {key: right.get(key, value) for key, value in case.body.items()}
