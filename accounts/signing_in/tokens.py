"""Tokens: JWTs (RFC 7519) that name a row. Access and refresh tokens and the dashboard's cookie a
Session, API tokens an ApiToken, two-factor challenges a Membership, programs' tokens a
ProgramAccess.

What the bearer may do is never taken from the token: it is read from the database at every request.
"""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import Token

from accounts.errors import InvalidToken
from accounts.models import ApiToken, Membership, ProgramAccess, Role, Session
from accounts.signing_in.token_keys import KeyRing

SESSION_CLAIM = "sid"
MEMBERSHIP_CLAIM = "mid"
PASSWORD_CLAIM = "pwd"  # noqa: S105 - a claim's name
ACCESS_CLAIM = "pid"


class SignedToken(Token):
    """A token signed with one of our keys (accounts/signing_in/token_keys.py)."""

    _token_backend = KeyRing()


class AccessToken(SignedToken):
    """The token that a person's client calls with."""

    token_type = "access"  # noqa: S105 - a type's name
    lifetime = settings.ACCESS_TOKEN_LIFETIME


class RefreshToken(SignedToken):
    """The token that this client exchanges for its next tokens. Lives as long as its session."""

    token_type = "refresh"  # noqa: S105 - a type's name
    lifetime = settings.REFRESH_TOKEN_LIFETIME


class UntypedToken(SignedToken):
    """A token of any type, read to find out its type."""

    token_type = "untyped"  # noqa: S105 - a type's name
    lifetime = timedelta(0)

    def verify_token_type(self) -> None:
        return


class MachineToken(SignedToken):
    """An API token: it lives as long as its row says."""

    token_type = "api"  # noqa: S105 - a type's name
    lifetime = timedelta(days=1)  # simplejwt demands one; make_api_token says its own


class ChallengeToken(SignedToken):
    """The token between the password and the second factor."""

    token_type = "two_factor"  # noqa: S105 - a type's name
    lifetime = settings.TWO_FACTOR_CHALLENGE_LIFETIME


class CookieToken(SignedToken):
    """The token in the dashboard's cookie. Lives as long as its session; not a bearer token."""

    token_type = "cookie"  # noqa: S105 - a type's name
    lifetime = settings.REFRESH_TOKEN_LIFETIME


class ProgramToken(SignedToken):
    """The token that a program calls with: valid only for the address in its `aud` (RFC 8707)."""

    token_type = "program"  # noqa: S105 - a type's name
    lifetime = settings.ACCESS_TOKEN_LIFETIME


class ProgramRefreshToken(SignedToken):
    """The token that a program exchanges for its next tokens. Lives as long as its access."""

    token_type = "program_refresh"  # noqa: S105 - a type's name
    lifetime = settings.PROGRAM_ACCESS_LIFETIME


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
class ProgramClaim:
    access_id: uuid.UUID
    audience: str


@dataclass(frozen=True)
class ProgramRefreshClaims:
    access_id: uuid.UUID
    jti: uuid.UUID


@dataclass(frozen=True)
class ChallengeClaims:
    membership_id: uuid.UUID
    # `User.get_session_auth_hash()` at the time; another now means another password
    password_fingerprint: str


def make_tokens(session: Session) -> TokenPair:
    """Makes a session's tokens. The refresh token is valid as long as its jti is the session's
    `refresh_jti`."""
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
    token["role"] = str(Role.API_USER)  # for programs that read it; we do not
    return str(token)


def make_program_tokens(access: ProgramAccess) -> TokenPair:
    """Makes an access's tokens. The refresh token is valid as long as its jti is the access's
    `refresh_jti`."""
    token = ProgramToken()
    token[ACCESS_CLAIM] = str(access.id)
    token["aud"] = access.resource
    refresh = ProgramRefreshToken()
    refresh[ACCESS_CLAIM] = str(access.id)
    refresh["jti"] = str(access.refresh_jti)
    refresh["exp"] = int(access.expires_at.timestamp())
    return TokenPair(
        access_token=str(token),
        refresh_token=str(refresh),
        expires_in_seconds=int(ProgramToken.lifetime.total_seconds()),
    )


def make_challenge(membership: Membership) -> str:
    """Makes a challenge, valid until it expires or the password changes, and only for the second
    step."""
    token = ChallengeToken()
    token[MEMBERSHIP_CLAIM] = str(membership.id)
    token[PASSWORD_CLAIM] = membership.user.get_session_auth_hash()
    return str(token)


def read_bearer_token(text: str) -> SessionClaim | ApiTokenClaim | ProgramClaim:
    """Returns the session, API token or program access that a bearer token names. Raises
    InvalidToken."""
    token = read_token(UntypedToken, text)
    match token.get("token_type"):
        case MachineToken.token_type:
            return ApiTokenClaim(read_uuid(token, "jti"))
        case ProgramToken.token_type:
            return ProgramClaim(read_uuid(token, ACCESS_CLAIM), str(token.get("aud", "")))
        case AccessToken.token_type:
            return SessionClaim(read_uuid(token, SESSION_CLAIM))
    raise InvalidToken


def read_challenge(text: str) -> ChallengeClaims:
    """Verifies and reads a challenge. Raises InvalidToken."""
    token = read_token(ChallengeToken, text)
    return ChallengeClaims(
        membership_id=read_uuid(token, MEMBERSHIP_CLAIM),
        password_fingerprint=str(token.get(PASSWORD_CLAIM, "")),
    )


def read_refresh_token(text: str) -> RefreshClaims:
    """Verifies and reads a refresh token. Raises InvalidToken."""
    token = read_token(RefreshToken, text)
    return RefreshClaims(session_id=read_uuid(token, SESSION_CLAIM), jti=read_uuid(token, "jti"))


def read_program_refresh_token(text: str) -> ProgramRefreshClaims:
    """Verifies and reads a program's refresh token. Raises InvalidToken."""
    token = read_token(ProgramRefreshToken, text)
    return ProgramRefreshClaims(read_uuid(token, ACCESS_CLAIM), read_uuid(token, "jti"))


def read_token(token_class: type[SignedToken], text: str) -> SignedToken:
    try:
        return token_class(text)  # type: ignore[arg-type]  # the stub says Token, the code takes text
    except TokenError as error:
        raise InvalidToken from error


def read_uuid(token: Token, claim: str) -> uuid.UUID:
    try:
        return uuid.UUID(str(token.get(claim, "")))
    except ValueError as error:
        raise InvalidToken from error
