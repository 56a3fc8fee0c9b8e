"""The staff session of a request: found through Django's session, and kept there."""

import uuid
from datetime import timedelta
from typing import cast

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import StaffSession, User
from accounts.services.staff_sessions import begin_staff_session, find_staff_session

NAME_KEY = "staff_session"
# A page with a form is opened with a proof of STAFF_PROOF_LIFETIME; so long it may be filled in.
FILLING_IN = timedelta(minutes=15)


def let_staff_in(request: HttpRequest) -> None:
    """Begins a staff session for the person whom Django has just logged in."""
    session = begin_staff_session(cast(User, request.user))
    request.session[NAME_KEY] = str(session.pk)
    request.staff_session = session  # type: ignore[attr-defined]  # as find_staff keeps it


def find_staff(request: HttpRequest) -> StaffSession | None:
    """The open session of somebody who is staff now. Looked up once a request."""
    if not hasattr(request, "staff_session"):
        request.staff_session = look_staff_up(request)  # type: ignore[attr-defined]  # ours
    found: StaffSession | None = request.staff_session  # type: ignore[attr-defined]
    return found


def look_staff_up(request: HttpRequest) -> StaffSession | None:
    user, name = request.user, request.session.get(NAME_KEY)
    if not isinstance(user, User) or not user.is_active or not user.is_staff or not name:
        return None
    return find_staff_session(user, uuid.UUID(name))


def is_proved(session: StaffSession, *, is_filled_in: bool) -> bool:
    """True if both factors were given recently enough to open a page whose changes cannot be
    undone, or (`is_filled_in`) to send its form."""
    longest = settings.STAFF_PROOF_LIFETIME + (FILLING_IN if is_filled_in else timedelta())
    return timezone.now() - session.proved_at < longest
