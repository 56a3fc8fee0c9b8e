"""Every answer carries an X-Request-ID, and so does every line of the log."""

import logging
import uuid
from typing import Any

import pytest
from django.test import Client

from config.rest.request_id import RequestIdFilter, current_request_id
from config.settings import LOGGING

FORGED = ["a b", "a\nb", "x" * 65, "ñ", "<script>", "a;b", ""]


def test_a_well_formed_id_is_taken_over(client: Client) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": "proxy-7.A_b"})

    assert answer.headers["X-Request-ID"] == "proxy-7.A_b"


@pytest.mark.parametrize("path", ["/healthz", "/nothing", "/auth/me", "/admin/"])
def test_without_one_a_new_one_is_made(client: Client, path: str) -> None:
    first, second = (client.get(path).headers["X-Request-ID"] for _ in range(2))

    assert uuid.UUID(first).version == uuid.UUID(second).version == 4
    assert first != second


@pytest.mark.parametrize("forged", FORGED)
def test_an_id_that_could_forge_a_line_is_replaced(client: Client, forged: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": forged})

    assert uuid.UUID(answer.headers["X-Request-ID"]).version == 4


def test_outside_a_request_there_is_none(client: Client) -> None:
    client.get("/healthz", headers={"X-Request-ID": "gone"})

    assert current_request_id.get() == "-"


def test_lines_of_the_log_carry_it() -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "hello", None, None)
    token = current_request_id.set("r-1")

    RequestIdFilter().filter(record)
    current_request_id.reset(token)

    logging_config: Any = LOGGING
    formatter = logging.Formatter(logging_config["formatters"]["line"]["format"])
    assert formatter.format(record).endswith("INFO x [r-1] hello")
