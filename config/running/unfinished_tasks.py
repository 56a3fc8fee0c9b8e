"""Gives tasks back to their queues that workers held when they were killed:
`python -m config.running.unfinished_tasks`, for the broker of REDIS_URL.
"""

import os
from typing import Any

from kombu import Connection


def give_back(redis_url: str) -> int:
    """Put every unacknowledged task of the broker back into its queue; return how many.

    Without it they wait for the visibility timeout, an hour. Only for a broker that no running
    worker uses: a task that somebody works on would be done twice.
    """
    with Connection(redis_url.replace("unix://", "redis+socket://", 1)) as connection:
        channel: Any = connection.default_channel  # Redis's own; the type is that of all brokers
        with channel.conn_or_acquire() as client:
            tags = [tag.decode() for tag in client.hkeys(channel.unacked_key)]
            for tag in tags:
                channel.qos.restore_by_tag(tag, client)
    return len(tags)


if __name__ == "__main__":
    give_back(os.environ["REDIS_URL"])
