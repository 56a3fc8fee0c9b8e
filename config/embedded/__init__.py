"""PostgreSQL and Redis out of PyPI packages, as ordinary servers of this copy of the service.

Used only for what DATABASE_URL and REDIS_URL leave open. Imports nothing from Django.

Every process that needs the servers is inside `use()` or `keep()`. The kernel counts them: each
holds a shared lock on one file, and a process that leaves and then gets that lock exclusively was
the last one, and stops the servers. So nothing depends on a process ending well: `kill -9` drops
its lock like a normal end.
"""

from config.embedded.errors import EmbeddedServerError
from config.embedded.lifecycle import (
    ensure_running,
    keep,
    locked,
    make_data_dir,
    servers_for,
    servers_named,
    stop_if_unused,
    use,
)
from config.embedded.server import EmbeddedServer

__all__ = [
    "EmbeddedServer",
    "EmbeddedServerError",
    "ensure_running",
    "keep",
    "locked",
    "make_data_dir",
    "servers_for",
    "servers_named",
    "stop_if_unused",
    "use",
]
