"""Invitations: somebody is asked into a tenant by mail, and comes by the link in it."""

import secrets
import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import DatabaseError, models, transaction
from django.utils import timezone

from accounts.activity import record
from accounts.errors import (
    ActivationBroke,
    ActivationFailed,
    AlreadyMember,
    InvalidRole,
    WrongActivationPassword,
)
from accounts.models import Action, Membership, Role, Tenant, User
from accounts.services.mails import queue_mail
from accounts.services.members import INVITATION_MAIL, lock_member
from accounts.services.signing_in import sessions
from accounts.services.signing_in.sessions import Challenge, Login
from accounts.services.tenants import check_password_strength, clean_value
from accounts.signing_in.guessing import Secret, count_invitation, guarded
from config.database.acting import over_all_tenants
from config.security.encryption import digest

TOKEN_BYTES = 32
LOCK_TRIES = 3  # expiry may delete the person between two statements


@transaction.atomic
def invite_member(tenant: Tenant, *, email: str, role: str, inviter: User) -> Membership:
    """Mails an activation link. An invitation that has expired is renewed, with the new role.

    Neither the answer nor the statements that it takes tell whether the address has an account.

    Raises InvalidRole, InvalidValue, AlreadyMember (also of somebody whose link is still good),
    TooManyRequests.
    """
    if role not in Role.values:
        raise InvalidRole
    email = clean_value(User._meta.get_field("email"), User.objects.normalize_email(email))
    token = secrets.token_urlsafe(TOKEN_BYTES)
    membership = add_invitation(tenant, lock_person(email), role=role, token=token)
    count_invitation(tenant, email)
    mail_link(membership, token=token, inviter=inviter)
    record(tenant, Action.MEMBER_INVITED, membership, role=role)
    return membership


@transaction.atomic
def resend_invitation(tenant: Tenant, user_id: uuid.UUID | None, *, inviter: User) -> Membership:
    """Another link to somebody who has not come yet; the one before opens nothing now.

    Raises UserNotFound, AlreadyMember, TooManyRequests.
    """
    membership = lock_member(tenant, user_id)
    if membership.activated_at is not None:
        raise AlreadyMember
    token = secrets.token_urlsafe(TOKEN_BYTES)
    renew_invitation(membership, role=membership.role, token=token)
    count_invitation(tenant, membership.user.email)
    mail_link(membership, token=token, inviter=inviter)
    record(tenant, Action.MEMBER_INVITED, membership, role=membership.role, again=True)
    return membership


def lock_person(email: str) -> User:
    """Returns the person with this address, whose row is locked, and makes an account without a
    password if there is none. Because of the lock two invitations at once come one after the other,
    and expiry does not delete the account in between."""
    person = User(id=User.objects.id_for(email), email=email, password=make_password(None))
    people = User.objects.select_for_update(no_key=True)
    for _ in range(LOCK_TRIES):
        User.objects.bulk_create([person], ignore_conflicts=True)
        known = people.filter(email=email).first()
        if known is not None:
            return known
    # Somebody who has changed address since has the id.
    return people.get_or_create(email=email, defaults={"password": person.password})[0]


def add_invitation(tenant: Tenant, user: User, *, role: str, token: str) -> Membership:
    """Invites the person, or renews their invitation. Raises AlreadyMember."""
    membership, is_new = Membership.objects.for_tenant(tenant).get_or_create(
        user=user, defaults={**terms_of(role, token), "activated_at": None}
    )
    if not is_new:
        refuse_member(membership, timezone.now())
        renew_invitation(membership, role=role, token=token)
    return membership


def terms_of(role: str, token: str) -> dict[str, Any]:
    return {
        "role": role,
        "invitation_hash": digest(token),
        "invitation_expires_at": timezone.now() + settings.INVITATION_LIFETIME,
    }


def renew_invitation(membership: Membership, *, role: str, token: str) -> None:
    terms = terms_of(role, token)
    for name, value in terms.items():
        setattr(membership, name, value)
    membership.save(update_fields=list(terms))


def refuse_member(membership: Membership, now: datetime) -> None:
    """Raises AlreadyMember unless the membership is an invitation that has expired."""
    expires_at = membership.invitation_expires_at
    if membership.activated_at is not None:
        raise AlreadyMember
    if expires_at is not None and expires_at > now:
        raise AlreadyMember(
            "This person has already been invited. To send another link, remove them and"
            " invite them again."
        )


def mail_link(membership: Membership, *, token: str, inviter: User) -> None:
    queue_mail(
        membership.tenant,
        recipient=membership.user.email,
        template=INVITATION_MAIL,
        context={
            "tenant_name": membership.tenant.name,
            "inviter_email": inviter.email,
            "role": membership.role,
            # Behind the #: no server is sent it, so it stands in no log and no Referer.
            "link": f"{settings.BASE_URL}/activate#token={token}",
            "days": str(settings.INVITATION_LIFETIME.days),
            "token": token,
        },
    )


@over_all_tenants()
def activate(token: str, password: str, *, address: str) -> Login | Challenge:
    """Adds the bearer of an invitation's token to the tenant, and logs them in.

    The password becomes theirs when they have none yet. Else it must be the one that they have: a
    link never replaces a password. With two-factor on they join when they have given a code.

    Raises ActivationFailed, for whatever is wrong; WeakPassword and ActivationBroke, after which
    the link is as good as before; TooManyRequests.
    """
    with guarded(Secret.PASSWORD, account=digest(token), address=address):
        try:
            return accept_invitation(token, password)
        except DatabaseError as error:
            raise ActivationBroke from error


@transaction.atomic
def accept_invitation(token: str, password: str) -> Login | Challenge:
    membership = lock_invitation(token)
    user = membership.user
    if not user.has_usable_password():
        set_first_password(user, password)
    elif not user.check_password(password):
        raise WrongActivationPassword
    return sessions.admit(user, tenant_slug=membership.tenant.slug)


def lock_invitation(token: str) -> Membership:
    """Locks and returns the invitation: of many requests with one token at once, each sees what the
    one before has done.

    Raises ActivationFailed.
    """
    owner_ids = open_invitations(token).values("user_id")
    # Evaluated for its lock alone: what was true before it may not be true now.
    list(User.objects.select_for_update(no_key=True).filter(pk__in=owner_ids))
    membership = open_invitations(token).select_related("user", "tenant").first()
    if membership is None:
        raise ActivationFailed
    return membership


def open_invitations(token: str) -> models.QuerySet[Membership]:
    return Membership.all_tenants.filter(
        invitation_hash=digest(token),
        invitation_expires_at__gt=timezone.now(),
        activated_at=None,
        user__is_active=True,
    )


def set_first_password(user: User, password: str) -> None:
    """Sets the password, and ends sessions that a one-time code opened, as every change of password
    does.

    Raises WeakPassword.
    """
    check_password_strength(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    sessions.revoke_sessions_of(user)
