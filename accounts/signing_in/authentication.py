"""Authenticates requests: turns a bearer token into a Caller.

Every request looks its session or API token up, so revocation acts at once.
"""

import hmac
import uuid
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.activity import Actor, acting_as, by_api_token, by_person, by_program
from accounts.errors import MembershipGone
from accounts.models import (
    ApiToken,
    Membership,
    ProgramAccess,
    Role,
    Scope,
    Session,
    Tenant,
    User,
)
from accounts.signing_in.tokens import ApiTokenClaim, ProgramClaim, SessionClaim, read_bearer_token
from config.database.acting import over_all_tenants, turn_to_tenant
from config.errors import Unauthorized
from config.security.encryption import digest

SCHEME = "bearer"
LAST_USED_PRECISION = timedelta(minutes=1)  # not a write for every request


@dataclass(frozen=True)
class Caller:
    """`request.auth`: the person and the tenant that they act in, or that a machine acts in for
    them, and then `session` is None. With an API token the role is `api_user`; a program that
    somebody let in (`access`, with its `program`) has their role, and no more than its scopes.
    """

    user: User
    tenant: Tenant
    membership: Membership
    session: Session | None
    token_name: str = ""  # of a machine's API token, which its owner chose
    access: ProgramAccess | None = None

    @property
    def is_machine(self) -> bool:
        return self.session is None

    @property
    def actor(self) -> Actor:
        """The person or machine that entries of the activity name."""
        if self.access is not None:
            return by_program(self.access)
        if self.token_name:
            return by_api_token(self.token_name)
        return by_person(self.user)

    @property
    def role(self) -> Role:
        has_own_role = self.session is not None or self.access is not None
        return Role(self.membership.role) if has_own_role else Role.API_USER

    @property
    def lacks_second_factor(self) -> bool:
        """True if the workspace requires a second factor, and the person (or the person behind a
        program) has not set one up yet. Does not apply to API tokens. One query, if required."""
        is_person = self.session is not None or self.access is not None
        return is_person and self.tenant.requires_two_factor and not self.user.has_second_factor()

    def as_current_actor(self) -> AbstractContextManager[None]:
        """Write down what the block does as done by this caller."""
        return acting_as(self.actor)

    @property
    def scopes(self) -> frozenset[Scope]:
        return frozenset(Scope) if self.access is None else self.access.scopes


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        """Returns the person and the Caller, or None without an Authorization header: a permission
        class refuses those. One query.

        Raises Unauthorized.
        """
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != SCHEME:
            raise Unauthorized
        caller = self.get_caller(token.strip())
        turn_to_tenant(caller.tenant.pk)
        return caller.user, caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"

    def get_caller(self, token: str) -> Caller:
        """Raises Unauthorized, for a program's token too: it is for another address."""
        claim = read_bearer_token(token)
        if isinstance(claim, ProgramClaim):
            raise Unauthorized
        return caller_of(claim, token)


class ProgramOrTokenAuthentication(TokenAuthentication):
    """Authenticates MCP requests: also takes tokens of programs that people let in, whose audience
    is the MCP address."""

    def get_caller(self, token: str) -> Caller:
        claim = read_bearer_token(token)
        if not isinstance(claim, ProgramClaim):
            return caller_of(claim, token)
        if claim.audience != settings.MCP_RESOURCE:
            raise Unauthorized
        return get_program(claim.access_id)


def caller_of(claim: SessionClaim | ApiTokenClaim, token: str) -> Caller:
    """Raises Unauthorized when what the token names has ended, its person is disabled, or no member
    now.
    """
    if isinstance(claim, ApiTokenClaim):
        return get_machine(claim.api_token_id, token)
    return get_person(claim.session_id)


@over_all_tenants()
def get_person(session_id: uuid.UUID) -> Caller:
    session = (
        Session.all_tenants.select_related("membership__user", "tenant__plan")
        .filter(id=session_id)
        .first()
    )
    if session is None:
        raise MembershipGone
    membership = session.membership
    if not session.is_open or not membership.user.is_active:
        raise Unauthorized
    return Caller(
        user=membership.user, tenant=session.tenant, membership=membership, session=session
    )


@over_all_tenants()
def get_machine(api_token_id: uuid.UUID, token: str) -> Caller:
    row = (
        ApiToken.all_tenants.select_related("membership__user", "tenant__plan")
        .filter(id=api_token_id, revoked_at=None, membership__user__is_active=True)
        .first()
    )
    if row is None or row.expires_at <= timezone.now():
        raise Unauthorized
    if not hmac.compare_digest(row.token_hash, digest(token)):
        raise Unauthorized
    note_use(row)
    membership = row.membership
    return Caller(
        user=membership.user,
        tenant=row.tenant,
        membership=membership,
        session=None,
        token_name=row.name,
    )


@over_all_tenants()
def get_program(access_id: uuid.UUID) -> Caller:
    """Returns the caller behind a program's access. One query, and one more a minute to note its
    use. Raises Unauthorized as caller_of does."""
    row = (
        ProgramAccess.all_tenants.select_related("membership__user", "tenant__plan", "program")
        .filter(id=access_id, revoked_at=None, membership__user__is_active=True)
        .first()
    )
    if row is None or row.expires_at <= timezone.now() or row.resource != settings.MCP_RESOURCE:
        raise Unauthorized
    note_use(row)
    return Caller(
        user=row.membership.user,
        tenant=row.tenant,
        membership=row.membership,
        session=None,
        access=row,
    )


def note_use(row: ApiToken | ProgramAccess) -> None:
    now = timezone.now()
    if row.last_used_at and now - row.last_used_at < LAST_USED_PRECISION:
        return
    long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_PRECISION)
    rows = type(row).objects.for_tenant(row.tenant)
    rows.filter(long_ago, id=row.id).update(last_used_at=now)
