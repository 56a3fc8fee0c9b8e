"""Secrets at rest: nothing opens them but the right key for the right row."""

import os
from typing import Any

import pytest

from config.security.encryption import (
    NONCE_BYTES,
    CannotDecrypt,
    decrypt,
    digest,
    encrypt,
    keyed_hash,
)

SECRET = "Geheimnis, así".encode()
CONTEXT = "accounts.TwoFactor:1"


@pytest.mark.parametrize("content", [SECRET, b"", os.urandom(100_000)], ids=len)
def test_what_was_encrypted_opens_again(content: bytes) -> None:
    sealed = encrypt(content, context=CONTEXT)

    assert decrypt(sealed, context=CONTEXT) == content
    assert decrypt(memoryview(sealed), context=CONTEXT) == content  # type: ignore[arg-type]


def test_ciphertext_shows_nothing_and_is_never_the_same_twice() -> None:
    sealed = [encrypt(SECRET, context=CONTEXT) for _ in range(1000)]

    assert len({one[:NONCE_BYTES] for one in sealed}) == 1000
    assert len({one[NONCE_BYTES:] for one in sealed}) == 1000
    assert not any(SECRET in one for one in sealed)


def test_ciphertext_of_another_row_does_not_open() -> None:
    sealed = encrypt(SECRET, context=CONTEXT)

    with pytest.raises(CannotDecrypt):
        decrypt(sealed, context="accounts.TwoFactor:2")


def test_any_changed_byte_is_noticed() -> None:
    sealed = encrypt(SECRET, context=CONTEXT)

    for position in range(len(sealed)):
        changed = bytearray(sealed)
        changed[position] ^= 1
        with pytest.raises(CannotDecrypt):
            decrypt(bytes(changed), context=CONTEXT)


@pytest.mark.parametrize("kept_bytes", [0, 1, 7, NONCE_BYTES, NONCE_BYTES + 15, -1])
def test_cut_ciphertext_does_not_open(kept_bytes: int) -> None:
    sealed = encrypt(SECRET, context=CONTEXT)

    with pytest.raises(CannotDecrypt):
        decrypt(sealed[:kept_bytes], context=CONTEXT)


def test_a_new_first_key_encrypts_and_the_old_one_still_opens(settings: Any) -> None:
    old, new = os.urandom(32), os.urandom(32)
    settings.CHANNEL_ENCRYPTION_KEYS = [old]
    before = encrypt(SECRET, context=CONTEXT)

    settings.CHANNEL_ENCRYPTION_KEYS = [new, old]
    after = encrypt(SECRET, context=CONTEXT)
    assert decrypt(before, context=CONTEXT) == decrypt(after, context=CONTEXT) == SECRET

    settings.CHANNEL_ENCRYPTION_KEYS = [new]
    assert decrypt(after, context=CONTEXT) == SECRET
    with pytest.raises(CannotDecrypt):
        decrypt(before, context=CONTEXT)


def test_a_failure_shows_neither_content_nor_key(settings: Any) -> None:
    sealed = encrypt(SECRET, context=CONTEXT)
    settings.CHANNEL_ENCRYPTION_KEYS = [os.urandom(32)]

    with pytest.raises(CannotDecrypt) as raised:
        decrypt(sealed, context=CONTEXT)

    assert raised.value.args == ()


# --- What is only compared ------------------------------------------------------------------------


def test_a_keyed_hash_depends_on_text_purpose_and_secret_key(settings: Any) -> None:
    hashes = {
        keyed_hash("123456", purpose="code"),
        keyed_hash("123457", purpose="code"),
        keyed_hash("123456", purpose="recovery"),
    }
    first = keyed_hash("123456", purpose="code")
    settings.SECRET_KEY = "k" * 64

    assert len(hashes | {keyed_hash("123456", purpose="code")}) == 4
    assert len(first) == 64
    assert digest("123456") not in hashes


def test_digest_is_sha256() -> None:
    assert digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
