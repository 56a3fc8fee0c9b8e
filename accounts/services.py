"""What callers do with accounts: log in and out, make tenants and people."""

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import update_last_login
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from accounts.errors import (
    AlreadyMember,
    InvalidCredentials,
    InvalidRole,
    InvalidSlug,
    InvalidToken,
    NoWorkspaceAccess,
    SlugAlreadyInUse,
    WeakPassword,
)
from accounts.models import Membership, Plan, Role, Session, Tenant, User
from accounts.models.tenants import validate_slug
from accounts.tokens import RefreshClaims, TokenPair, make_tokens, read_refresh_token
from config.errors import InvalidValue


@dataclass(frozen=True)
class Login:
    """Fresh tokens, and the membership that they stand for."""

    tokens: TokenPair
    membership: Membership


@dataclass(frozen=True)
class NewMember:
    membership: Membership
    is_new_user: bool  # False: the person had an account, and keeps its password

    @property
    def tenant(self) -> Tenant:
        return self.membership.tenant


# --- Sessions -------------------------------------------------------------------------------------


def log_in(email: str, password: str, *, tenant_slug: str = "") -> Login:
    """Opens a session in the named tenant, or in the one that the person has been in longest.

    Takes the same time whatever is wrong: Django hashes a password for unknown people too.
    Raises InvalidCredentials, NoWorkspaceAccess (also for a tenant that does not exist).
    """
    user = authenticate(username=email, password=password)
    if not isinstance(user, User):
        raise InvalidCredentials
    membership = find_membership(user, tenant_slug)
    if membership is None:
        raise NoWorkspaceAccess
    update_last_login(User, user)
    return Login(make_tokens(open_session(membership)), membership)


def find_membership(user: User, tenant_slug: str) -> Membership | None:
    memberships = user.memberships.select_related("tenant").order_by("created_at", "id")
    if tenant_slug:
        memberships = memberships.filter(tenant__slug=tenant_slug.lower())
    return memberships.first()


def open_session(membership: Membership) -> Session:
    return Session.objects.for_tenant(membership.tenant).create(
        membership=membership, expires_at=timezone.now() + settings.REFRESH_TOKEN_LIFETIME
    )


def refresh_session(refresh_token: str) -> Login:
    """Replaces the refresh token. Each is good once, also when several requests bring it at once.

    A token that comes a second time is in two hands, and we cannot tell which is the thief's: the
    session ends, access tokens included (RFC 9700, section 4.14.2). Raises InvalidToken.
    """
    claims = read_refresh_token(refresh_token)
    if not replace_refresh_jti(claims):
        revoke_session(claims.session_id)
        raise InvalidToken
    session = (
        Session.all_tenants.select_related("membership__tenant")
        .filter(id=claims.session_id, membership__user__is_active=True)
        .first()
    )
    if session is None:
        raise InvalidToken
    return Login(make_tokens(session), session.membership)


def replace_refresh_jti(claims: RefreshClaims) -> bool:
    """Whether this call replaced it: one conditional UPDATE, so at most one of many does.

    Its WHERE names columns of the session's own row alone. A joined table would be read from the
    snapshot when PostgreSQL checks the row again after waiting for another's update.
    """
    now = timezone.now()
    changed = Session.all_tenants.filter(
        id=claims.session_id, refresh_jti=claims.jti, revoked_at=None, expires_at__gt=now
    ).update(
        refresh_jti=uuid.uuid4(),
        last_refreshed_at=now,
        expires_at=now + settings.REFRESH_TOKEN_LIFETIME,
    )
    return changed == 1


def log_out(refresh_token: str) -> None:
    """Ends the session of any of its refresh tokens; one that has ended stays so.

    Raises InvalidToken.
    """
    revoke_session(read_refresh_token(refresh_token).session_id)


def revoke_session(session_id: uuid.UUID) -> None:
    revoke_sessions(Session.all_tenants.filter(id=session_id))


def revoke_sessions(sessions: models.QuerySet[Session]) -> int:
    """Ends them and says how many were open. Access tokens stop with the next request."""
    return sessions.filter(revoked_at=None).update(revoked_at=timezone.now())


# --- Tenants and people ---------------------------------------------------------------------------


@transaction.atomic
def create_tenant(
    *, slug: str, name: str, plan: str, admin_email: str, admin_password: str
) -> NewMember:
    """A tenant and its first admin.

    Raises InvalidSlug, SlugAlreadyInUse, InvalidValue, and what create_user raises.
    """
    tenant = Tenant(
        slug=clean_slug(slug), name=clean(Tenant._meta.get_field("name"), name), plan=get_plan(plan)
    )
    try:
        with transaction.atomic():
            tenant.save(force_insert=True)
    except IntegrityError as error:
        raise SlugAlreadyInUse from error
    return create_user(tenant, email=admin_email, password=admin_password, role=Role.ADMIN)


@transaction.atomic
def create_user(tenant: Tenant, *, email: str, password: str, role: str) -> NewMember:
    """A member of a tenant. Somebody who has an account keeps its password.

    Raises InvalidRole, InvalidValue, WeakPassword, AlreadyMember.
    """
    if role not in Role.values:
        raise InvalidRole
    user, is_new_user = get_or_create_user(email, password)
    membership, is_new = Membership.objects.for_tenant(tenant).get_or_create(
        user=user, defaults={"role": role}
    )
    if not is_new:
        raise AlreadyMember
    return NewMember(membership, is_new_user)


def get_or_create_user(email: str, password: str) -> tuple[User, bool]:
    email = clean(User._meta.get_field("email"), User.objects.normalize_email(email))
    known = User.objects.filter(email=email).first()
    if known is not None:
        return known, False
    check_password_strength(password, User(email=email))
    return User.objects.get_or_create(email=email, defaults={"password": make_password(password)})


def check_password_strength(password: str, user: User) -> None:
    """Raises WeakPassword, whose message says what is missing."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise WeakPassword(" ".join(error.messages)) from error


def clean_slug(slug: str) -> str:
    slug = slug.strip().lower()
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise InvalidSlug from error
    return slug


def clean(field: "models.Field[str, str]", value: str) -> str:
    """The value as the model's field accepts it. Raises InvalidValue."""
    try:
        return str(field.clean(value.strip(), None))
    except ValidationError as error:
        raise InvalidValue(f"{field.name}: {' '.join(error.messages)}") from error


def get_plan(slug: str) -> Plan:
    plan = Plan.objects.filter(slug=slug).first()
    if plan is None:
        known = ", ".join(Plan.objects.values_list("slug", flat=True))
        raise InvalidValue(f"There is no plan {slug!r}. Plans: {known}.")
    return plan
