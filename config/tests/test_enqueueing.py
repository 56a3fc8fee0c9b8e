"""What is kept between two tasks is never what a task fails for."""

import socket
from typing import Any

import pytest
from celery import current_app

from accounts.tasks import send_due_mails
from config.jobs.enqueueing import enqueue, forget_connection, kept_connection

NOBODY_LISTENS = "redis://127.0.0.1:1/0"


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(current_app.conf, "task_always_eager", False)
    monkeypatch.setattr(send_due_mails, "expires", 0.001)  # no worker has it
    forget_connection()


def client() -> Any:
    """Redis', of the kept connection."""
    connection: Any = kept_connection(send_due_mails)
    return connection.default_channel.client


def test_a_thread_keeps_its_connection() -> None:
    assert enqueue(send_due_mails)
    first = kept_connection(send_due_mails)
    assert enqueue(send_due_mails, countdown_seconds=0.001)

    assert kept_connection(send_due_mails) is first


def test_a_connection_that_ended_meanwhile_is_made_anew() -> None:
    assert enqueue(send_due_mails)
    pool = client().connection_pool
    connection = pool.get_connection()
    connection._sock.shutdown(socket.SHUT_RDWR)
    pool.release(connection)

    assert enqueue(send_due_mails)


def test_a_broker_that_is_back_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as away:
        away.setitem(current_app.conf, "broker_write_url", NOBODY_LISTENS)
        assert not enqueue(send_due_mails)

    assert enqueue(send_due_mails)
