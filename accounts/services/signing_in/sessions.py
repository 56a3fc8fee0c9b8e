"""Logging in and out, and what a session goes through in between."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import update_last_login
from django.db import models, transaction
from django.db.models import ExpressionWrapper, F, Q
from django.db.models.functions import Coalesce, Least
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.activity import by_person, record
from accounts.errors import InvalidCredentials, InvalidToken, NoWorkspaceAccess, SessionNotFound
from accounts.leaving.expiry import SESSIONS_KEPT
from accounts.models import (
    Action,
    Membership,
    ProgramAccess,
    ProgramCode,
    Session,
    StaffSession,
    User,
)
from accounts.services.mails import queue_mail
from accounts.signing_in.guessing import Secret, guarded
from accounts.signing_in.tokens import (
    RefreshClaims,
    TokenPair,
    make_challenge,
    make_tokens,
    read_refresh_token,
)
from config.database.acting import over_all_tenants
from config.security.current_client import current_client
from config.security.devices import is_new_place, network_of, read_device

SESSION_ENDED = gettext_noop("The session has ended.")
LAST_SEEN_PRECISION = timedelta(minutes=5)  # not a write for every page


@dataclass(frozen=True)
class Login:
    """Fresh tokens, and the session of the membership that they stand for."""

    tokens: TokenPair
    membership: Membership
    session: Session


@dataclass(frozen=True)
class Challenge:
    """The first factor was right; `token` and a code of the second make a Login."""

    token: str


@over_all_tenants()
def log_in(email: str, password: str, *, tenant_slug: str = "", address: str) -> Login | Challenge:
    """Opens a session in the named tenant, or in the one that the person has been in longest.

    Takes the same time whatever is wrong: Django hashes a password for unknown people too.
    Raises InvalidCredentials, NoWorkspaceAccess (also for a tenant that does not exist),
    TooManyRequests.
    """
    with guarded(Secret.PASSWORD, account=email, address=address):
        user = authenticate(username=email, password=password)
        if not isinstance(user, User):
            raise InvalidCredentials
    return admit(user, tenant_slug=tenant_slug)


@over_all_tenants()
def admit(user: User, *, tenant_slug: str = "") -> Login | Challenge:
    """Lets a person on after the first factor: to a session, or to the challenge for the second
    factor.

    Raises NoWorkspaceAccess, InvalidCredentials.
    """
    membership = find_membership(user, tenant_slug)
    if membership is None:
        raise NoWorkspaceAccess
    if user.has_second_factor():
        return Challenge(make_challenge(membership))
    return start_session(membership)


@over_all_tenants()
def find_membership(user: User, tenant_slug: str) -> Membership | None:
    """The oldest of those that the person has accepted, then of the open invitations.

    Its `user` is the very `user` given, not read again: start_session compares their password.
    """
    memberships = open_memberships(user).order_by(
        models.F("activated_at").asc(nulls_last=True), "created_at", "id"
    )
    if tenant_slug:
        memberships = memberships.filter(tenant__slug=tenant_slug.lower())
    return memberships.first()


def list_memberships(user: User) -> models.QuerySet[Membership]:
    """The person's memberships in all tenants, by name, for a caller that reads over all tenants.
    One query."""
    return open_memberships(user).order_by("tenant__name", "tenant__slug")


def open_memberships(user: User) -> models.QuerySet[Membership]:
    """The person's memberships with their tenants, without invitations that have expired."""
    return user.memberships.select_related("tenant").exclude(expired_invitation())


def expired_invitation() -> models.Q:
    return models.Q(activated_at=None, invitation_expires_at__lte=timezone.now())


@over_all_tenants()
@transaction.atomic
def start_session(membership: Membership, *, signed_in_at: datetime | None = None) -> Login:
    """Opens a session; coming to a tenant accepts its invitation.

    Args:
        membership: with its `user`, as that was when the proof was checked.
        signed_in_at: when that was; None: just now.
    Raises InvalidCredentials when the person was disabled or got another password since,
    NoWorkspaceAccess when they were removed: what revokes sessions holds the same lock, so none is
    opened behind its back.
    """
    user = User.objects.select_for_update(no_key=True).filter(pk=membership.user_id).first()
    if user is None or not user.is_active or user.password != membership.user.password:
        raise InvalidCredentials
    accept_invitation(membership)
    is_first = user.last_login is None
    update_last_login(User, user)
    session = open_session(membership, signed_in_at or timezone.now())
    if not is_first and is_from_new_place(user, session):
        mail_new_place(user, session)
    record(membership.tenant, Action.SIGN_IN, by=by_person(user))
    return Login(make_tokens(session), membership, session)


def accept_invitation(membership: Membership) -> None:
    """An accepted one keeps its time. Raises NoWorkspaceAccess when the membership is gone, or the
    invitation has expired: also between the password and the second factor."""
    changed = (
        Membership.objects.for_tenant(membership.tenant)
        .filter(pk=membership.pk)
        .exclude(expired_invitation())
        .update(
            activated_at=Coalesce("activated_at", timezone.now()),
            invitation_hash="",
            invitation_expires_at=None,
        )
    )
    if not changed:
        raise NoWorkspaceAccess
    if membership.activated_at is None:
        joined = by_person(membership.user)
        record(membership.tenant, Action.MEMBER_JOINED, membership, by=joined, role=membership.role)


def open_session(membership: Membership, signed_in_at: datetime) -> Session:
    now, client = timezone.now(), current_client.get()
    session = Session(
        tenant=membership.tenant,
        membership=membership,
        signed_in_at=signed_in_at,
        user_agent=client.user_agent,
        address=client.address,
        last_seen_at=now,
    )
    session.expires_at = session.next_expiry()
    session.save(force_insert=True)
    return session


@over_all_tenants()
def is_from_new_place(user: User, session: Session) -> bool:
    """True if none of the person's sessions of the last SESSIONS_KEPT had its network, or none its
    kind of device. One query."""
    if not session.address:  # a command's or a task's
        return False
    since = timezone.now() - SESSIONS_KEPT
    others = Session.all_tenants.filter(membership__user=user).exclude(pk=session.pk)
    recent = others.filter(Q(created_at__gte=since) | Q(last_seen_at__gte=since))
    known = list(recent.values_list("address", "user_agent").distinct())
    told = [place for place in known if any(place)]
    if known and not told:  # they began before places were kept
        return False
    return is_new_place(session.address, session.user_agent, told)


@over_all_tenants()
def has_been_at(user: User, address: str) -> bool:
    """True if a session of the person, of the last SESSIONS_KEPT, came from this network. One
    query."""
    sessions = Session.all_tenants.filter(membership__user=user).exclude(address="")
    recent = sessions.filter(created_at__gte=timezone.now() - SESSIONS_KEPT)
    addresses = recent.values_list("address", flat=True).distinct()
    return network_of(address) in {network_of(each) for each in addresses}


def mail_new_place(user: User, session: Session) -> None:
    tenant = session.tenant
    began_at = session.created_at.astimezone(tenant.zone)
    queue_mail(
        tenant,
        recipient=user.email,
        template="new_sign_in",
        context={
            "tenant_name": tenant.name,
            "signed_in_at": f"{began_at:%Y-%m-%d %H:%M} ({tenant.zone})",
            "device": str(read_device(session.user_agent)),
            "address": session.address,
            "link": f"{settings.BASE_URL}/dashboard/account",
        },
        language=user.language,
    )


def note_visit(session: Session) -> bool:
    """Keeps a session that is used in the dashboard open: whether it was written down again, which
    it is every few minutes."""
    now = timezone.now()
    if session.last_seen_at and now - session.last_seen_at < LAST_SEEN_PRECISION:
        return False
    session.last_seen_at, session.address = now, current_client.get().address
    session.expires_at = session.next_expiry()
    still_open = Session.objects.for_tenant(session.tenant).filter(pk=session.pk, revoked_at=None)
    return bool(
        still_open.update(last_seen_at=now, address=session.address, expires_at=session.expires_at)
    )


@over_all_tenants()
def refresh_session(refresh_token: str, *, tenant_slug: str = "") -> Login:
    """Replaces the refresh token. Each is good once, also when several requests bring it at once.

    A token that comes a second time is in two hands, and we cannot tell which is the thief's: the
    session ends, access tokens included (RFC 9700, section 4.14.2).

    Args:
        tenant_slug: of another tenant of the person, to go on there: the session here ends.
    Raises InvalidToken, NoWorkspaceAccess (the token stays good then).
    """
    claims = read_refresh_token(refresh_token)
    with transaction.atomic():
        if tenant_slug:
            lock_person_of(claims.session_id)
        if replace_refresh_jti(claims):
            return continue_session(claims.session_id, tenant_slug)
    revoke_session(claims.session_id)
    raise InvalidToken


def lock_person_of(session_id: uuid.UUID) -> None:
    """Locks the person before the session itself, as every function that ends sessions does:
    start_session locks the person first, and in the other order both would wait for each other."""
    sessions = Session.all_tenants.filter(id=session_id)
    people = User.objects.filter(pk__in=sessions.values("membership__user_id"))
    # A sign-in that is under way holds the same lock, so its session is seen and ended too.
    people.select_for_update(no_key=True).first()


def continue_session(session_id: uuid.UUID, tenant_slug: str) -> Login:
    session = (
        Session.all_tenants.select_related("membership__tenant", "membership__user")
        .filter(id=session_id, membership__user__is_active=True)
        .first()
    )
    if session is None:
        raise InvalidToken
    if tenant_slug and tenant_slug.lower() != session.membership.tenant.slug:
        return switch_tenant(session, tenant_slug)
    return Login(make_tokens(session), session.membership, session)


def switch_tenant(session: Session, tenant_slug: str) -> Login:
    membership = find_membership(session.membership.user, tenant_slug)
    if membership is None:
        raise NoWorkspaceAccess
    if not revoke_sessions(Session.all_tenants.filter(id=session.id)):  # ended meanwhile
        raise InvalidToken
    return start_session(membership, signed_in_at=session.signed_in_at)


@over_all_tenants()
@transaction.atomic
def move_session(session: Session, tenant_slug: str) -> Login:
    """Ends the session and starts one in another workspace of its person.

    Args:
        session: with its membership and their user.
    Raises NoWorkspaceAccess, and nothing has ended then; InvalidToken when it has ended already.
    """
    lock_person_of(session.id)
    return switch_tenant(session, tenant_slug)


def replace_refresh_jti(claims: RefreshClaims) -> bool:
    """Replaces the refresh token's id, and returns True if this call did it: one conditional
    UPDATE, so that at most one of many does.

    Its WHERE names columns of the session's own row alone. A joined table would be read from the
    snapshot when PostgreSQL checks the row again after waiting for another's update.
    """
    now = timezone.now()
    oldest_end = ExpressionWrapper(
        F("signed_in_at") + settings.SESSION_MAX_LIFETIME, models.DateTimeField()
    )
    changed = Session.all_tenants.filter(
        Session.open_now(), id=claims.session_id, refresh_jti=claims.jti
    ).update(
        refresh_jti=uuid.uuid4(),
        last_refreshed_at=now,
        last_seen_at=now,
        expires_at=Least(now + settings.REFRESH_TOKEN_LIFETIME, oldest_end),
    )
    return changed == 1


@over_all_tenants()
def log_out(refresh_token: str) -> None:
    """Ends the session of any of its refresh tokens; one that has ended stays so.

    Raises InvalidToken.
    """
    revoke_session(read_refresh_token(refresh_token).session_id, Action.SIGN_OUT)


@over_all_tenants()
@transaction.atomic
def revoke_session(session_id: uuid.UUID, action: Action = Action.SESSION_ENDED) -> bool:
    """Ends the session. True if it was open; its end is then recorded as `action` of its person."""
    sessions = Session.all_tenants.filter(id=session_id)
    if not revoke_sessions(sessions):
        return False
    ended = sessions.select_related("tenant", "membership__user").get()
    record(ended.tenant, action, by=by_person(ended.membership.user))
    return True


def revoke_sessions(sessions: models.QuerySet[Session]) -> int:
    """Ends them and says how many were open. Access tokens stop with the next request."""
    return sessions.filter(revoked_at=None).update(revoked_at=timezone.now())


def list_sessions(user: User) -> models.QuerySet[Session]:
    """The person's open ones, in every tenant, each with it; those used last come first. The caller
    makes the query over all tenants."""
    seen = Coalesce("last_seen_at", "last_refreshed_at")
    open_now = Session.all_tenants.filter(Session.open_now(), membership__user=user)
    return open_now.select_related("tenant").order_by(seen.desc())


@over_all_tenants()
def end_session(user: User, session_id: uuid.UUID) -> None:
    """Raises SessionNotFound, for another person's session too."""
    session = list_sessions(user).filter(pk=session_id).first()
    if session is None or not revoke_session(session.pk):
        raise SessionNotFound


@over_all_tenants()
@transaction.atomic
def end_other_sessions(user: User, keep: Session) -> int:
    """How many were open beside `keep`."""
    others = list_sessions(user).exclude(pk=keep.pk).values_list("pk", flat=True)
    return sum(revoke_session(other) for other in list(others))


@over_all_tenants()
def revoke_sessions_of(user: User) -> None:
    """Ends the person's sessions in every tenant and in the back office, and the accesses of their
    programs. Belongs in the transaction that changes the password."""
    StaffSession.objects.filter(user=user, ended_at=None).update(ended_at=timezone.now())
    revoke_sessions(Session.all_tenants.filter(membership__user=user))
    ProgramCode.all_tenants.filter(membership__user=user, used_at=None).delete()
    accesses = ProgramAccess.all_tenants.filter(membership__user=user, revoked_at=None)
    accesses.update(revoked_at=timezone.now())
