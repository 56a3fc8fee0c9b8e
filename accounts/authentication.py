"""Who is calling: a bearer token to a Caller.

Every request looks its session or API token up, so revocation acts at once.
"""

import hmac
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from accounts.errors import MembershipGone
from accounts.models import ApiToken, Membership, Role, Session, Tenant, User
from accounts.tokens import ApiTokenClaim, read_bearer_token
from config.errors import Unauthorized
from config.security.encryption import digest

SCHEME = "bearer"
LAST_USED_PRECISION = timedelta(minutes=1)  # not a write for every request


@dataclass(frozen=True)
class Caller:
    """`request.auth`: the person and the tenant that they act in, or that a machine acts in for
    them: with an API token, `session` is None and the role is `api_user`.
    """

    user: User
    tenant: Tenant
    membership: Membership
    session: Session | None
    token_name: str = ""  # of a machine's API token, which its owner chose

    @property
    def is_machine(self) -> bool:
        return self.session is None

    @property
    def role(self) -> Role:
        return Role.API_USER if self.is_machine else Role(self.membership.role)


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
        caller = get_caller(token.strip())
        return caller.user, caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def get_caller(token: str) -> Caller:
    """Raises Unauthorized when what the token names has ended, its person is disabled, or no member
    now.
    """
    claim = read_bearer_token(token)
    if isinstance(claim, ApiTokenClaim):
        return get_machine(claim.api_token_id, token)
    return get_person(claim.session_id)


def get_person(session_id: uuid.UUID) -> Caller:
    session = (
        Session.all_tenants.select_related("membership__user", "tenant__plan")
        .filter(id=session_id)
        .first()
    )
    if session is None:
        raise MembershipGone
    membership = session.membership
    has_ended = session.revoked_at is not None or session.expires_at <= timezone.now()
    if has_ended or not membership.user.is_active:
        raise Unauthorized
    return Caller(
        user=membership.user, tenant=session.tenant, membership=membership, session=session
    )


def get_machine(api_token_id: uuid.UUID, token: str) -> Caller:
    now = timezone.now()
    row = (
        ApiToken.all_tenants.select_related("membership__user", "tenant__plan")
        .filter(id=api_token_id, revoked_at=None, expires_at__gt=now)
        .filter(membership__user__is_active=True)
        .first()
    )
    if row is None or not hmac.compare_digest(row.token_hash, digest(token)):
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


def note_use(row: ApiToken) -> None:
    now = timezone.now()
    if row.last_used_at and now - row.last_used_at < LAST_USED_PRECISION:
        return
    long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_PRECISION)
    ApiToken.objects.for_tenant(row.tenant).filter(long_ago, id=row.id).update(last_used_at=now)
