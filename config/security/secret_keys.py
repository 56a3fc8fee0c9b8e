"""SECRET_KEY, and SECRET_KEY_FALLBACKS beside it: the first signs, all of them verify.

A key that signs for one purpose is derived from them for that purpose alone (HKDF, RFC 5869), so
that what leaks of one, or is made with one, is of no use for another.
"""

import functools
import hashlib

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

DERIVED_KEY_BYTES = 32


def list_secret_keys() -> tuple[str, ...]:
    """The secret keys, the one that signs first."""
    return settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS


def list_derived_keys(purpose: str) -> dict[str, bytes]:
    """The keys derived for a purpose, by their fingerprint, the one that signs first."""
    keys = [derive_key(secret, purpose) for secret in list_secret_keys()]
    return {fingerprint(key): key for key in keys}


@functools.lru_cache(maxsize=64)
def derive_key(secret: str, purpose: str) -> bytes:
    info = f"knowledge-agents {purpose}".encode()
    return HKDF(SHA256(), DERIVED_KEY_BYTES, salt=None, info=info).derive(secret.encode())


def fingerprint(key: bytes) -> str:
    """16 hexadecimal digits that tell a key from others, and nothing else of it."""
    return hashlib.sha256(b"key id:" + key).hexdigest()[:16]
