"""Sessions of our staff in the back office: begun, found again at each request, proved, ended."""

import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts.errors import SessionNotFound
from accounts.leaving.expiry import SESSIONS_KEPT
from accounts.models import StaffSession, User
from accounts.services.signing_in.two_factor import check_password
from accounts.services.staff import check_second_factor
from config.security.current_client import current_client
from config.security.devices import is_new_place

SEEN_PRECISION = timedelta(minutes=1)  # not a write for every page


def begin_staff_session(user: User) -> StaffSession:
    """Begins a session for somebody who has just given both factors. They are told by mail if it
    comes from a new place, as the first one does."""
    client = current_client.get()
    since = timezone.now() - SESSIONS_KEPT
    recent = StaffSession.objects.filter(user=user, last_seen_at__gte=since)
    return StaffSession.objects.create(
        user=user,
        address=client.address,
        user_agent=client.user_agent,
        is_from_new_place=is_new_place(
            client.address, client.user_agent, recent.values_list("address", "user_agent")
        ),
    )


def find_staff_session(user: User, session_id: uuid.UUID) -> StaffSession | None:
    """Returns the person's session while it is open, and notes that it was seen. One query, and one
    more a minute."""
    found = StaffSession.objects.open_now().filter(pk=session_id, user=user).first()
    now = timezone.now()
    if found is not None and now - found.last_seen_at > SEEN_PRECISION:
        still_open = StaffSession.objects.filter(pk=found.pk, ended_at=None)
        still_open.update(last_seen_at=now, address=current_client.get().address)
    return found


def lacks_second_factor(user: User) -> bool:
    """True if the person must set up a second factor before anything else."""
    return settings.STAFF_NEED_TWO_FACTOR and not user.has_second_factor()


def prove_staff_session(session: StaffSession, password: str, code: str, *, address: str) -> None:
    """Checks both factors again. Raises IncorrectPassword, NoPasswordSet, InvalidOtp,
    TooManyRequests."""
    check_password(session.user, password, address=address)
    check_second_factor(session.user, code, address=address)
    StaffSession.objects.filter(pk=session.pk).update(proved_at=timezone.now())


def list_staff_sessions(user: User) -> models.QuerySet[StaffSession]:
    """The person's open sessions, those used last first."""
    return StaffSession.objects.open_now().filter(user=user).order_by("-last_seen_at")


def end_staff_sessions(sessions: models.QuerySet[StaffSession]) -> int:
    """Ends the sessions, and returns how many were still open. Their next request leads to the
    login."""
    return sessions.filter(ended_at=None).update(ended_at=timezone.now())


@transaction.atomic
def end_staff_session(user: User, session_id: uuid.UUID) -> None:
    """Raises SessionNotFound, for somebody else's too."""
    if not end_staff_sessions(list_staff_sessions(user).filter(pk=session_id)):
        raise SessionNotFound
