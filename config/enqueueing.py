"""Handing a task to a worker without depending on the broker: what is enqueued is in the database
too, where beat finds it."""

from __future__ import annotations

import logging
from typing import Any

from celery import Task
from kombu.exceptions import OperationalError as BrokerError

logger = logging.getLogger(__name__)

# A request waits no longer for a broker that is away.
BROKER_OPTIONS = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5, "max_retries": 0}


def enqueue(task: Task[..., object], *arguments: str, countdown_seconds: float = 0) -> bool:
    """Whether the broker took it. Call it after the commit of what the task is to find.

    Not `delay_on_commit`: that fails its caller when the broker is away, and on a connection that
    may hang.
    """
    try:
        with task.app.connection_for_write(transport_options=BROKER_OPTIONS) as connection:
            options: dict[str, Any] = {"connection": connection, "retry": False}
            if countdown_seconds:
                options["countdown"] = countdown_seconds
            task.apply_async(arguments, **options)
    except BrokerError as error:
        logger.warning("%s waits for beat: %s", task.name, error)
        return False
    return True
