"""The cookie of a browser, which names a person's session."""

from accounts.models import Session
from accounts.signing_in.authentication import Caller, get_person
from accounts.signing_in.tokens import (
    SESSION_CLAIM,
    CookieToken,
    SessionClaim,
    read_token,
    read_uuid,
)


def make_cookie(session: Session) -> str:
    token = CookieToken()
    token[SESSION_CLAIM] = str(session.id)
    token["exp"] = int(session.expires_at.timestamp())
    return str(token)


def read_cookie(text: str) -> SessionClaim:
    """Return the session that a cookie names. Raises InvalidToken."""
    return SessionClaim(read_uuid(read_token(CookieToken, text), SESSION_CLAIM))


def find_caller(cookie: str) -> Caller:
    """Return the person whose session the cookie names. One query.

    Raises Unauthorized once the session has ended.
    """
    return get_person(read_cookie(cookie).session_id)
