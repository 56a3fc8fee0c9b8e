"""Programs that people let into their workspaces: registering, permitting, exchanging, revoking."""

import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.activity import by_person, record
from accounts.errors import InvalidRedirectUri, MembershipGone
from accounts.models import (
    Action,
    AuthMethod,
    Membership,
    Program,
    ProgramAccess,
    ProgramCode,
    Role,
    Tenant,
)
from accounts.models.tenancy import TenantQuerySet
from accounts.programs.access import lock_person, revoke
from accounts.programs.clients import readable_name
from accounts.programs.consents import Consent, read_consent
from accounts.programs.redirects import may_register
from accounts.programs.requests import ProgramRequest
from accounts.programs.server import OAuthAnswer, server
from accounts.signing_in.guessing import refuse_for
from config.database.acting import over_all_tenants
from config.errors import Conflict, NotFound
from config.security.encryption import digest
from config.security.rate_limits import Limit, take

__all__ = ["Consent", "OAuthAnswer", "read_consent"]  # and what is defined below

MAX_PROGRAMS = 50  # that one person has permitted in one workspace
SECRET_BYTES = 32
# Of one address. Programs that run as services register for all their users from a few.
REGISTRATIONS = Limit("program_registrations", 60, 3600)
# Likewise, for tokens: each access asks every quarter of an hour, so this is for 9,000 of them.
TOKEN_REQUESTS = Limit("program_tokens", 600, 60)

Parameters = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class NewProgram:
    """A new program. `secret` is shown once, and is "" if the program needs none."""

    program: Program
    secret: str


# --- Registering ----------------------------------------------------------------------------------


def register_program(
    *, name: str, redirect_uris: list[str], client_uri: str, auth_method: AuthMethod, address: str
) -> NewProgram:
    """Registers a program, for anybody (RFC 7591): it opens nothing before a person permits it.

    Args:
        address: config.security.client_address.
    Raises InvalidRedirectUri, TooManyRequests, LimitsUnavailable.
    """
    if not all(map(may_register, redirect_uris)):
        raise InvalidRedirectUri
    refuse_for(take(REGISTRATIONS, address))
    has_secret = auth_method != AuthMethod.NONE
    secret = secrets.token_urlsafe(SECRET_BYTES) if has_secret else ""
    program = Program.objects.create(
        client_id=secrets.token_urlsafe(24),
        name=readable_name(name, redirect_uris[0]),
        redirect_uris=redirect_uris,
        client_uri=client_uri,
        auth_method=auth_method,
        secret_hash=digest(secret) if secret else "",
    )
    return NewProgram(program, secret)


# --- Permitting -----------------------------------------------------------------------------------


@transaction.atomic
def allow(tenant: Tenant, membership: Membership, consent: Consent) -> str:
    """Permits the program what it asks, and returns the address that leads the person back to it
    with a code. An earlier permission stays until the program has exchanged the code.

    Args:
        membership: with its `user`, as read when they were let in.
    Raises MembershipGone when they were removed, disabled or got another password since; Conflict
    beyond MAX_PROGRAMS.
    """
    user = lock_person(membership)
    if user is None or user.password != membership.user.password:
        raise MembershipGone
    others = list_accesses(tenant, of=membership).exclude(program=consent.program)
    if others.count() >= MAX_PROGRAMS:
        raise Conflict(f"You have given access here to {MAX_PROGRAMS} programs: revoke one first.")
    code = secrets.token_urlsafe(SECRET_BYTES)
    ProgramCode.objects.for_tenant(tenant).create(
        membership=membership,
        program=consent.program,
        code_hash=digest(code),
        redirect_uri=consent.redirect_uri,
        scope=consent.scope,
        resource=consent.resource,
        code_challenge=consent.code_challenge,
        expires_at=timezone.now() + settings.PROGRAM_CODE_LIFETIME,
    )
    record(
        tenant, Action.PROGRAM_ALLOWED, consent.program, by=by_person(user), scopes=consent.scopes
    )
    return consent.url_back(code=code)


def deny(consent: Consent) -> str:
    """Returns the address that leads the person back to the program with a refusal."""
    return consent.url_back(error="access_denied", error_description="The person denied access.")


# --- What was permitted ---------------------------------------------------------------------------


def list_accesses(tenant: Tenant, *, of: Membership | None = None) -> TenantQuerySet[ProgramAccess]:
    """The open accesses of the workspace, or of one member; newest first, each with its program and
    person. One query."""
    accesses = ProgramAccess.objects.for_tenant(tenant).filter(
        revoked_at=None, expires_at__gt=timezone.now()
    )
    if of is not None:
        accesses = accesses.filter(membership=of)
    return accesses.select_related("program", "membership__user").order_by("-created_at", "-id")


@transaction.atomic
def revoke_access(tenant: Tenant, access_id: uuid.UUID | None, *, by: Membership) -> None:
    """Revokes the access: the program's next request is refused. Admins revoke any, others their
    own.

    Raises NotFound, for what is another's too.
    """
    own = None if by.role == Role.ADMIN else by
    access = list_accesses(tenant, of=own).filter(pk=access_id).first() if access_id else None
    if access is None or not revoke(access):
        raise NotFound


# --- What programs call ---------------------------------------------------------------------------


def issue_tokens(form: Parameters, *, authorization: str, address: str) -> OAuthAnswer:
    """Exchanges a code or a refresh token for tokens. A refusal is an answer too, and the tokens
    that it revoked stay revoked.

    Args:
        authorization: the header of that name; "" when there is none.
        address: config.security.client_address.
    Raises InvalidProgramRequest, TooManyRequests, LimitsUnavailable.
    """
    refuse_for(take(TOKEN_REQUESTS, address))
    with over_all_tenants(), transaction.atomic():
        answer: OAuthAnswer = server.create_token_response(
            ProgramRequest("POST", form, authorization=authorization)
        )
    return answer


def revoke_token(form: Parameters, *, authorization: str, address: str) -> OAuthAnswer:
    """Ends the access of any of its tokens (RFC 7009). Takes and raises as `issue_tokens`."""
    refuse_for(take(TOKEN_REQUESTS, address))
    with over_all_tenants(), transaction.atomic():
        answer: OAuthAnswer = server.create_endpoint_response(
            "revocation", ProgramRequest("POST", form, authorization=authorization)
        )
    return answer
