"""Tokens: JWTs (RFC 7519) that name a row. Access and refresh tokens and the dashboard's cookie a
Session, API tokens an ApiToken, two-factor challenges a Membership.

What the bearer may do is never taken from the token: it is read from the database at every request.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token, UntypedToken

from accounts.errors import InvalidToken
from accounts.models import ApiToken, Membership, Role, Session

SESSION_CLAIM = "sid"
MEMBERSHIP_CLAIM = "mid"
PASSWORD_CLAIM = "pwd"  # noqa: S105 - a claim's name


class MachineToken(Token):
    """An API token: it lives as long as its row says."""

    token_type = "api"  # noqa: S105 - a type's name
    lifetime = timedelta(days=1)  # simplejwt demands one; make_api_token says its own


class ChallengeToken(Token):
    """Between the password and the second factor."""

    token_type = "two_factor"  # noqa: S105 - a type's name
    lifetime = settings.TWO_FACTOR_CHALLENGE_LIFETIME


class CookieToken(Token):
    """What the dashboard's cookie holds. It lives as long as its session; no bearer token."""

    token_type = "cookie"  # noqa: S105 - a type's name
    lifetime = settings.REFRESH_TOKEN_LIFETIME


@dataclass(frozen=True)
class TokenPair:
    access_token: str
    refresh_token: str
    expires_in_seconds: int


@dataclass(frozen=True)
class RefreshClaims:
    session_id: uuid.UUID
    jti: uuid.UUID


@dataclass(frozen=True)
class SessionClaim:
    session_id: uuid.UUID


@dataclass(frozen=True)
class ApiTokenClaim:
    api_token_id: uuid.UUID


@dataclass(frozen=True)
class ChallengeClaims:
    membership_id: uuid.UUID
    # `User.get_session_auth_hash()` at the time; another now means another password
    password_fingerprint: str


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


def make_api_token(row: ApiToken) -> str:
    token = MachineToken()
    token["jti"] = str(row.id)
    token["exp"] = int(row.expires_at.timestamp())
    token["role"] = str(Role.API_USER)  # for whoever reads it; we do not
    return str(token)


def make_cookie(session: Session) -> str:
    token = CookieToken()
    token[SESSION_CLAIM] = str(session.id)
    token["exp"] = int(session.expires_at.timestamp())
    return str(token)


def make_challenge(membership: Membership) -> str:
    """Good until it expires or the password changes. It admits to nothing but the second step."""
    token = ChallengeToken()
    token[MEMBERSHIP_CLAIM] = str(membership.id)
    token[PASSWORD_CLAIM] = membership.user.get_session_auth_hash()
    return str(token)


def read_bearer_token(text: str) -> SessionClaim | ApiTokenClaim:
    """What a token in an Authorization header names. Raises InvalidToken."""
    kind = read_token(UntypedToken, text).get("token_type")
    if kind == MachineToken.token_type:
        return ApiTokenClaim(read_uuid(read_token(MachineToken, text), "jti"))
    return SessionClaim(read_uuid(read_token(AccessToken, text), SESSION_CLAIM))


def read_cookie(text: str) -> SessionClaim:
    """Raises InvalidToken."""
    return SessionClaim(read_uuid(read_token(CookieToken, text), SESSION_CLAIM))


def read_challenge(text: str) -> ChallengeClaims:
    """Raises InvalidToken."""
    token = read_token(ChallengeToken, text)
    return ChallengeClaims(
        membership_id=read_uuid(token, MEMBERSHIP_CLAIM),
        password_fingerprint=str(token.get(PASSWORD_CLAIM, "")),
    )


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
