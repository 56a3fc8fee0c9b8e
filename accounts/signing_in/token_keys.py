"""The keys that sign and verify tokens."""

from __future__ import annotations

from typing import Any

import jwt
from jwt.exceptions import InvalidTokenError
from rest_framework_simplejwt.backends import TokenBackend

from config.security.secret_keys import list_derived_keys, list_secret_keys

ALGORITHM = "HS256"
PURPOSE = "tokens"


class KeyRing(TokenBackend):
    """A token says by `kid` (RFC 7515, 4.1.4) which of our keys signed it, and no other is tried.

    Those from before November 2026 say none: SECRET_KEY itself signed them, or one of its
    fallbacks. They are good for as long as they were made for.
    """

    def __init__(self) -> None:
        super().__init__(ALGORITHM)

    def encode(self, payload: dict[str, Any]) -> str:
        key_id, key = next(iter(list_derived_keys(PURPOSE).items()))
        return jwt.encode(payload, key, algorithm=ALGORITHM, headers={"kid": key_id})

    def get_verifying_key(self, token: Any) -> bytes | str:
        """Raises InvalidTokenError, which `decode` takes."""
        header = jwt.get_unverified_header(token)
        if "kid" in header:
            key = list_derived_keys(PURPOSE).get(header["kid"])
            if key is None:
                raise InvalidTokenError
            return key
        for secret in list_secret_keys():
            if is_signed_with(secret, token):
                return secret
        raise InvalidTokenError


def is_signed_with(secret: str, token: Any) -> bool:
    try:
        jwt.PyJWS().decode(token, secret, algorithms=[ALGORITHM])
    except InvalidTokenError:
        return False
    return True
