"""What the tests of the web server have it answer: a plain WSGI application."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from config.serving import shortage

Start = Callable[[str, list[tuple[str, str]]], Any]
LARGE = 8 * 1024 * 1024
asked: list[str] = []  # paths, in their order: also of requests that were asked twice


def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    asked.append(path)
    if path == "/refused":
        return answer(start, b"no", status="401 Unauthorized")
    if path == "/large":
        return answer(start, b"x" * LARGE)
    if path == "/file":
        file = open(os.environ["SERVED_FILE"], "rb")  # noqa: SIM115 - the server closes it
        size = os.fstat(file.fileno()).st_size
        start("200 OK", [("Content-Length", str(size))])
        return environ["wsgi.file_wrapper"](file)  # type: ignore[no-any-return]
    if path == "/endless":
        start("200 OK", [])
        return endless()
    if path == "/environ":
        return answer(start, json.dumps({key: str(value) for key, value in environ.items()}))
    if path == "/asked":
        return answer(start, json.dumps(asked))
    if path == "/shortage":
        return answer(start, shortage.tell())
    if path == "/held":
        threading.Event().wait()
    if path.startswith("/tenant/"):
        environ["wsgi.input"].belong_to(path.removeprefix("/tenant/"))
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length)
    return answer(start, f"{path} {len(body)} {environ['wsgi.input'].read(1)!r}")


def answer(start: Start, body: bytes | str, status: str = "200 OK") -> list[bytes]:
    data = body.encode() if isinstance(body, str) else body
    start(status, [("Content-Length", str(len(data)))])
    return [data]


def endless() -> Iterator[bytes]:
    try:
        while True:
            yield b"y" * 65536
    finally:
        asked.append("an endless answer has ended")
