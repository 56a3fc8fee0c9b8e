"""Secrets that must be readable again are kept encrypted: AES-256-GCM (NIST SP 800-38D).

What needs only be compared is hashed instead (`keyed_hash`, `keyed_hashes`).
"""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from config.security.secret_keys import fingerprint, list_secret_keys

NONCE_BYTES = 12


class CannotDecrypt(Exception):
    """The content opens with none of CHANNEL_ENCRYPTION_KEYS: a key was taken away, or the bytes
    were changed."""


def encrypt(content: bytes, *, context: str) -> bytes:
    """Returns a fresh nonce, then ciphertext and tag.

    Args:
        context: what this is and whose, as "accounts.TwoFactor:<user id>". Needed again to decrypt,
            so that ciphertext which is copied to another row opens nothing.
    """
    nonce = os.urandom(NONCE_BYTES)
    key = settings.CHANNEL_ENCRYPTION_KEYS[0]
    return nonce + AESGCM(key).encrypt(nonce, content, context.encode())


def current_key_id() -> str:
    """The fingerprint of the key that encrypts: 16 hexadecimal digits that tell nothing of it. Kept
    beside a ciphertext, it shows which rows an old key is still needed for."""
    return fingerprint(settings.CHANNEL_ENCRYPTION_KEYS[0])


def decrypt(content: bytes, *, context: str) -> bytes:
    """Tries all keys, so that old ones can stay beside a new first one. Raises CannotDecrypt."""
    content = bytes(content)  # a BinaryField is a memoryview
    nonce, sealed = content[:NONCE_BYTES], content[NONCE_BYTES:]
    for key in settings.CHANNEL_ENCRYPTION_KEYS:
        try:
            return AESGCM(key).decrypt(nonce, sealed, context.encode())
        except (InvalidTag, ValueError):  # ValueError: too short for a nonce
            continue
    raise CannotDecrypt


def encrypt_anew(content: bytes, *, context: str) -> bytes | None:
    """Encrypts the content again under the first key; None when that key has encrypted it. Raises
    CannotDecrypt."""
    content = bytes(content)
    nonce, sealed = content[:NONCE_BYTES], content[NONCE_BYTES:]
    try:
        AESGCM(settings.CHANNEL_ENCRYPTION_KEYS[0]).decrypt(nonce, sealed, context.encode())
    except (InvalidTag, ValueError):
        return encrypt(decrypt(content, context=context), context=context)
    return None


def keyed_hash(text: str, *, purpose: str) -> str:
    """HMAC-SHA256 under SECRET_KEY, 64 hexadecimal digits: for what is too short for a bare hash.

    Kept ones are looked for with `keyed_hashes`, or compared with `is_keyed_hash`.
    """
    return keyed_hashes(text, purpose=purpose)[0]


def keyed_hashes(text: str, *, purpose: str) -> list[str]:
    """The hashes under SECRET_KEY and under each of its fallbacks: to find what was kept before a
    change."""
    keys = (f"{purpose}:{secret}".encode() for secret in list_secret_keys())
    return [hmac.new(key, text.encode(), hashlib.sha256).hexdigest() for key in keys]


def is_keyed_hash(kept: str, text: str, *, purpose: str) -> bool:
    """True if `kept` is the text's hash, under any of the keys."""
    known = keyed_hashes(text, purpose=purpose)
    return any(hmac.compare_digest(kept.encode(), one.encode()) for one in known)


def digest(secret: str) -> str:
    """SHA-256, 64 hexadecimal digits: enough for secrets that have 128 random bits or more."""
    return hashlib.sha256(secret.encode()).hexdigest()
