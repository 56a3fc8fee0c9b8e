"""Handing a task to a worker without depending on the broker: what is enqueued is in the database
too, where beat finds it."""

from __future__ import annotations

import logging
import os
import threading
from typing import Any

from celery import Task
from kombu import Connection
from kombu.exceptions import OperationalError as BrokerError

logger = logging.getLogger(__name__)

# A request waits no longer for a broker that is away.
BROKER_OPTIONS = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5, "max_retries": 0}

_kept = threading.local()


def enqueue(
    task: Task[..., object],
    *arguments: str,
    countdown_seconds: float = 0,
    expires_seconds: float = 0,
) -> bool:
    """Enqueues a task; True if the broker took it. Call it after the commit of the rows that the
    task is to find. It expires after the task's own time, unless told.

    Not `delay_on_commit`: that fails its caller when the broker is away, and on a connection that
    may hang. A thread keeps its connection: a new one for each task costs 4 ms of processor time.
    """
    times = {"countdown": countdown_seconds, "expires": expires_seconds}
    options: dict[str, Any] = {name: seconds for name, seconds in times.items() if seconds}
    try:
        try:
            task.apply_async(arguments, **options | over(kept_connection(task)))
        except BrokerError:  # perhaps it has only ended meanwhile: the broker was started again
            task.apply_async(arguments, **options | over(new_connection(task)))
    except BrokerError as error:
        forget_connection()
        logger.warning("%s waits for beat: %s", task.name, error)
        return False
    return True


def over(connection: Connection) -> dict[str, Any]:
    """The options that celery-types does not know."""
    return {"connection": connection, "retry": False}


def kept_connection(task: Task[..., object]) -> Connection:
    """The connection that is kept for this thread, in this process, to this broker."""
    if getattr(_kept, "owner", None) != owner_of(task):
        return new_connection(task)
    connection: Connection = _kept.connection
    return connection


def new_connection(task: Task[..., object]) -> Connection:
    forget_connection()
    _kept.connection = task.app.connection_for_write(transport_options=BROKER_OPTIONS)
    _kept.owner = owner_of(task)
    connection: Connection = _kept.connection
    return connection


def owner_of(task: Task[..., object]) -> tuple[int, str | None]:
    """The process and the broker: a fork inherits the connections that its parent keeps, and must
    not use them."""
    return os.getpid(), task.app.conf.broker_write_url


def forget_connection() -> None:
    connection: Connection | None = getattr(_kept, "connection", None)
    if connection is not None and _kept.owner[0] == os.getpid():
        connection.release()
    _kept.__dict__.clear()
