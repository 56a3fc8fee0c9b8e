"""Who is calling: a bearer token to a Caller.

Every request looks its session up, so revocation acts at once.
"""

import uuid
from dataclasses import dataclass

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.models import Membership, Role, Session, Tenant, User
from accounts.tokens import read_access_token
from config.errors import Unauthorized

SCHEME = "bearer"


@dataclass(frozen=True)
class Caller:
    """`request.auth`: the person and the tenant that they act in."""

    user: User
    tenant: Tenant
    membership: Membership
    session: Session

    @property
    def role(self) -> Role:
        return Role(self.membership.role)


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        """None without an Authorization header: a permission class refuses then. One query.

        Raises Unauthorized.
        """
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != SCHEME:
            raise Unauthorized
        caller = get_caller(read_access_token(token.strip()))
        return caller.user, caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def get_caller(session_id: uuid.UUID) -> Caller:
    """Raises Unauthorized when the session has ended, its person is disabled or no member now."""
    session = (
        Session.all_tenants.select_related("membership__user", "tenant__plan")
        .filter(id=session_id, revoked_at=None, expires_at__gt=timezone.now())
        .filter(membership__user__is_active=True)
        .first()
    )
    if session is None:
        raise Unauthorized
    membership = session.membership
    return Caller(
        user=membership.user, tenant=session.tenant, membership=membership, session=session
    )
