"""The users of the embedded servers, and when these start and stop."""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from config.embedded.errors import EmbeddedServerError
from config.embedded.postgres import PostgresServer
from config.embedded.redis import RedisServer
from config.embedded.server import EmbeddedServer

USE_LOCK = "embedded.use.lock"
START_LOCK = "embedded.start.lock"
SERVER_TYPES: tuple[type[EmbeddedServer], ...] = (PostgresServer, RedisServer)


def servers_for(data_dir: Path, environ: Mapping[str, str]) -> list[EmbeddedServer]:
    """The servers that this copy must bring itself, because `environ` names none."""
    return [kind(data_dir) for kind in SERVER_TYPES if not environ.get(kind.variable, "").strip()]


def servers_named(data_dir: Path, names: Sequence[str]) -> list[EmbeddedServer]:
    return [kind(data_dir) for kind in SERVER_TYPES if kind.name in names]


@contextmanager
def use(servers: Sequence[EmbeddedServer]) -> Iterator[dict[str, str]]:
    """Have `servers`, all of one DATA_DIR, run for as long as the block lasts.

    Yields what to add to the environment: their DATABASE_URL, DATABASE_OWNER_URL and REDIS_URL.
    The last process to leave stops every server of the DATA_DIR. Raises EmbeddedServerError when
    one cannot run.
    """
    with keep(servers) as urls:
        ensure_running(servers)
        yield urls


@contextmanager
def keep(servers: Sequence[EmbeddedServer]) -> Iterator[dict[str, str]]:
    """Be a user of `servers`, as in `use`, but start none of them: nobody else stops them from now
    on, and their URLs are known before they run."""
    if not servers:
        yield {}
        return
    data_dir = servers[0].data_dir
    make_data_dir(data_dir)
    with locked(data_dir / USE_LOCK, fcntl.LOCK_SH) as users:
        try:
            yield {name: url for server in servers for name, url in server.urls.items()}
        finally:
            stop_if_last(data_dir, users)


def ensure_running(servers: Sequence[EmbeddedServer]) -> list[str]:
    """Start those of `servers` that do not run, and return their names. Call it inside `use` or
    `keep`."""
    if not servers:
        return []
    with locked(servers[0].data_dir / START_LOCK, fcntl.LOCK_EX):
        stopped = [server for server in servers if not server.is_running()]
        for server in stopped:
            server.start()
        return [server.name for server in stopped]


def stop_if_last(data_dir: Path, users: int) -> None:
    """Stop every embedded server of `data_dir`, unless somebody else holds the lock `users`.

    The start lock makes leaving one at a time: of two that leave together, the second finds itself
    alone.
    """
    with locked(data_dir / START_LOCK, fcntl.LOCK_EX):
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        for kind in SERVER_TYPES:
            kind(data_dir).stop()


def stop_if_unused(data_dir: Path) -> None:
    """Stop the servers that killed processes have left behind."""
    with locked(data_dir / USE_LOCK, fcntl.LOCK_SH) as users:
        stop_if_last(data_dir, users)


@contextmanager
def locked(path: Path, how: int) -> Iterator[int]:
    """Hold a lock on `path`; yields its file descriptor, which no program started meanwhile
    inherits.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except PermissionError:
        raise EmbeddedServerError(
            f"{path.parent} belongs to another user: choose another DATA_DIR, or be that user."
        ) from None
    try:
        fcntl.flock(descriptor, how)
        yield descriptor
    finally:
        os.close(descriptor)


def make_data_dir(data_dir: Path) -> None:
    """Make DATA_DIR. If we are root, others can pass through it (not list it): PostgreSQL runs as
    another account."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        if data_dir.stat().st_uid == os.geteuid():
            data_dir.chmod(0o711 if os.geteuid() == 0 else 0o700)
        (data_dir / "log").mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise EmbeddedServerError(
            f"DATA_DIR {data_dir} cannot be used: {error.strerror}."
        ) from error
