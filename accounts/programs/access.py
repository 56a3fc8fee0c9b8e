"""Codes, and the accesses that come of them: each secret once, also of many that bring it at once.

Code that ends a person's sessions locks the person first, then the membership: so do we.
"""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.activity import Actor, by_program, record
from accounts.errors import InvalidToken
from accounts.models import Action, Membership, Program, ProgramAccess, ProgramCode, User
from accounts.signing_in.tokens import (
    ProgramClaim,
    read_bearer_token,
    read_program_refresh_token,
)
from config.security.encryption import digest

# A program that publishes its description has one client_id for all devices of a person. Without a
# limit, each new sign-in would leave one more access that nobody ends.
MAX_DEVICES = 5


def lock_person(membership: Membership) -> User | None:
    """Locks and returns the person, or None if they are disabled or have left the workspace."""
    # The person before the membership, as everywhere: in the other order two would wait for each
    # other.
    people = User.objects.select_for_update(no_key=True)
    user = people.filter(pk=membership.user_id, is_active=True).first()
    members = Membership.objects.for_tenant(membership.tenant).select_for_update(no_key=True)
    return user if members.filter(pk=membership.pk).first() else None


def take_code(text: str, program: Program) -> ProgramCode | None:
    """Returns the code, locked, if it is good. A code that comes a second time is in two hands, so
    the access that came of it ends (RFC 6749, section 4.1.2)."""
    codes = ProgramCode.all_tenants.filter(code_hash=digest(text), program=program)
    found = codes.select_related("membership__tenant").first()
    if found is None or lock_person(found.membership) is None:
        return None
    code = codes.select_for_update(no_key=True, of=("self",)).filter(pk=found.pk).first()
    if code is None or (code.used_at is None and code.expires_at <= timezone.now()):
        return None
    if code.used_at is None:
        return code
    for access in open_accesses().filter(pk=code.pk):
        revoke(access, by=by_program(access))
    return None


def open_access(code: ProgramCode) -> ProgramAccess:
    """Opens an access in the place of what the same person permitted the same program here before.

    One that registered did so for itself. One that publishes what it is is the same on all devices
    of a person: of these, MAX_DEVICES stay signed in.
    """
    now = timezone.now()
    accesses = ProgramAccess.objects.for_tenant(code.tenant)
    before = accesses.filter(membership=code.membership, program=code.program, revoked_at=None)
    staying = MAX_DEVICES - 1 if code.program.published_at else 0
    newest = list(before.order_by("-created_at").values_list("pk", flat=True)[:staying])
    before.exclude(pk__in=newest).update(revoked_at=now)
    ProgramCode.objects.for_tenant(code.tenant).filter(pk=code.pk).update(used_at=now)
    access = accesses.create(
        id=code.pk,
        membership=code.membership,
        program=code.program,
        scope=code.scope,
        resource=code.resource,
        created_at=now,
        expires_at=next_end(now, now),
    )
    note_program(code.program_id, now)
    return access


def take_refresh_token(text: str, program: Program) -> ProgramAccess | None:
    """Returns the access, locked, if this is its latest refresh token. A replaced one ends the
    access, as it ends a session (RFC 9700, section 4.14.2)."""
    try:
        claims = read_program_refresh_token(text)
    except InvalidToken:
        return None
    mine = open_accesses().filter(pk=claims.access_id, program=program)
    # A refresh token that comes a second time is in two hands. Under the lock, one of two that
    # come at once is the second.
    access = mine.select_for_update(no_key=True, of=("self",)).first()
    if access is None or access.refresh_jti == claims.jti:
        return access
    revoke(access, by=by_program(access))
    return None


def continue_access(access: ProgramAccess) -> None:
    """Replaces the refresh token of the access and extends the access."""
    now = timezone.now()
    access.refresh_jti, access.expires_at = uuid.uuid4(), next_end(access.created_at, now)
    access.save(update_fields=["refresh_jti", "expires_at"])
    note_program(access.program_id, now)


def find_access(text: str) -> ProgramAccess | None:
    """Returns the access that a token of any program names: an access token, or a refresh token,
    even one that was replaced."""
    try:
        claim = read_bearer_token(text)
    except InvalidToken:
        try:
            access_id = read_program_refresh_token(text).access_id
        except InvalidToken:
            return None
    else:
        if not isinstance(claim, ProgramClaim):
            return None
        access_id = claim.access_id
    return open_accesses().filter(pk=access_id).first()


def open_accesses() -> models.QuerySet[ProgramAccess]:
    """The open accesses of all tenants, each with its program and its person."""
    now = timezone.now()
    accesses = ProgramAccess.all_tenants.filter(revoked_at=None, expires_at__gt=now)
    is_able = Q(membership__user__is_active=True)
    return accesses.filter(is_able).select_related("program", "membership__user", "tenant")


def revoke(access: ProgramAccess, *, by: Actor | None = None) -> bool:
    """Ends the access and returns True if it was open. The entry names `by`, or else the current
    actor."""
    accesses = ProgramAccess.objects.for_tenant(access.tenant).filter(pk=access.pk)
    if not accesses.filter(revoked_at=None).update(revoked_at=timezone.now()):
        return False
    record(access.tenant, Action.PROGRAM_REVOKED, access.program, by=by)
    return True


def next_end(created_at: datetime, now: datetime) -> datetime:
    """The end of an access that is used at `now`, in whole seconds, as a JWT counts them."""
    latest = created_at + settings.PROGRAM_ACCESS_MAX_LIFETIME
    return min(now + settings.PROGRAM_ACCESS_LIFETIME, latest).replace(microsecond=0)


def note_program(program_id: uuid.UUID, now: datetime) -> None:
    Program.objects.filter(pk=program_id).update(last_used_at=now)
