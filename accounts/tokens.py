"""Access and refresh tokens: JWTs (RFC 7519) that name a Session.

What the bearer may do is never in the token: it is read from the database at every request.
"""

import uuid
from dataclasses import dataclass

from django.conf import settings
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token

from accounts.errors import InvalidToken
from accounts.models import Session

SESSION_CLAIM = "sid"


@dataclass(frozen=True)
class TokenPair:
    access_token: str
    refresh_token: str
    expires_in_seconds: int


@dataclass(frozen=True)
class RefreshClaims:
    session_id: uuid.UUID
    jti: uuid.UUID


def make_tokens(session: Session) -> TokenPair:
    """The refresh token is good as long as its jti is the session's `refresh_jti`."""
    access = AccessToken()
    access[SESSION_CLAIM] = str(session.id)
    refresh = RefreshToken()
    refresh[SESSION_CLAIM] = str(session.id)
    refresh["jti"] = str(session.refresh_jti)
    refresh["exp"] = int(session.expires_at.timestamp())
    return TokenPair(
        access_token=str(access),
        refresh_token=str(refresh),
        expires_in_seconds=int(settings.ACCESS_TOKEN_LIFETIME.total_seconds()),
    )


def read_access_token(text: str) -> uuid.UUID:
    """The id of the session that an access token names. Raises InvalidToken."""
    return read_uuid(read_token(AccessToken, text), SESSION_CLAIM)


def read_refresh_token(text: str) -> RefreshClaims:
    """Raises InvalidToken."""
    token = read_token(RefreshToken, text)
    return RefreshClaims(session_id=read_uuid(token, SESSION_CLAIM), jti=read_uuid(token, "jti"))


def read_token(token_class: type[Token], text: str) -> Token:
    try:
        return token_class(text)  # type: ignore[arg-type]  # the stub says Token, the code takes text
    except TokenError as error:
        raise InvalidToken from error


def read_uuid(token: Token, claim: str) -> uuid.UUID:
    try:
        return uuid.UUID(str(token.get(claim, "")))
    except ValueError as error:
        raise InvalidToken from error
