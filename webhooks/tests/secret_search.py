"""Looking for a secret wherever it might stand, in every form that it might have there."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

READ_BYTES = 8 * 1024 * 1024
KEY_FILES = frozenset({"secret_key", "encryption_key"})


def forms(secret: str) -> frozenset[bytes]:
    """As it is, quoted for JSON, for a URL, in base64 and in hexadecimal: also inside a longer text
    that was encoded as a whole."""
    plain = secret.encode()
    written = {plain, json.dumps(secret)[1:-1].encode()}
    written |= {quote(secret, safe=safe).encode() for safe in ("", "/", ":")}
    written |= {quote_plus(secret).encode(), repr(secret)[1:-1].encode()}
    written |= {form for text in list(written) for form in in_base64(text)}
    return frozenset(written | {form for text in list(written) for form in in_hexadecimal(text)})


def in_base64(text: bytes) -> Iterator[bytes]:
    """What of it stands there wherever it begins: every three bytes become four characters."""
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + text)
        within = whole[-(-8 * before // 6) : 8 * (before + len(text)) // 6]
        yield within
        yield within.translate(bytes.maketrans(b"+/", b"-_"))


def in_hexadecimal(text: bytes) -> Iterator[bytes]:
    yield text.hex().encode()
    yield text.hex().upper().encode()


class Search:
    """For secrets by their names. The answers name where, and which secret, but not its value."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.forms = {name: forms(secret) for name, secret in secrets.items()}
        self.longest = max(len(form) for known in self.forms.values() for form in known)

    def found_in(self, content: bytes | str) -> set[str]:
        content = content.encode(errors="replace") if isinstance(content, str) else content
        return {
            name for name, known in self.forms.items() if any(form in content for form in known)
        }

    def found_in_folder(self, folder: Path) -> dict[str, set[str]]:
        """By file. Links lead elsewhere, and key files are for keys."""
        files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
        found = {
            str(path.relative_to(folder)): self.found_in_file(path)
            for path in files
            if path.name not in KEY_FILES
        }
        return {path: names for path, names in found.items() if names}

    def found_in_file(self, path: Path) -> set[str]:
        found, end = set[str](), b""
        try:
            with path.open("rb") as file:
                while part := file.read(READ_BYTES):
                    found |= self.found_in(end + part)
                    end = part[-self.longest :]
        except FileNotFoundError:  # PostgreSQL has deleted it meanwhile
            pass
        return found

    def found_in_redis(self, client: Any) -> set[str]:
        return {
            name
            for key in client.scan_iter()
            for part in (key, *values(client, key))
            for name in self.found_in(part)
        }


def values(client: Any, key: bytes) -> Iterator[bytes]:
    """Of a key of any type. `client`: whose answers are bytes, which its types do not say."""
    kind = client.type(key).decode()
    if kind == "string":
        yield client.get(key) or b""
    elif kind == "hash":
        for name, value in client.hgetall(key).items():
            yield from (name, value)
    elif kind == "list":
        yield from client.lrange(key, 0, -1)
    elif kind == "set":
        yield from client.smembers(key)
    elif kind == "zset":
        yield from client.zrange(key, 0, -1)
    elif kind == "stream":
        yield repr(client.xrange(key)).encode()
