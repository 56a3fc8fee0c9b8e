"""The base of both embedded servers: where their files are and how one is started and stopped."""

import hashlib
import os
import socket
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from config.embedded.errors import EmbeddedServerError

SOCKET_PATH_MAX_BYTES = 107  # sizeof(sun_path) - 1, unix(7)


class EmbeddedServer(ABC):
    """A server of one DATA_DIR. `start` and `stop` are called under the start lock only."""

    name: ClassVar[str]  # also the name of its folder and of its log
    variable: ClassVar[str]  # the environment variable that points to it
    socket_name: ClassVar[str]

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.folder = data_dir / self.name
        self.log = data_dir / "log" / f"{self.name}.log"

    @property
    def socket_folder(self) -> Path:
        """The server's folder by a path that is short enough for a socket address."""
        if len(os.fsencode(self.folder / self.socket_name)) <= SOCKET_PATH_MAX_BYTES:
            return self.folder
        return short_link(self.data_dir) / self.name

    def accepts_connections(self) -> bool:
        """True if a server listens, even one whose process cannot be seen from here (another
        container's)."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.socket_folder / self.socket_name))
        except OSError:
            return False
        return True

    @property
    @abstractmethod
    def url(self) -> str: ...

    @property
    def urls(self) -> dict[str, str]:
        """The server's URLs, by the environment variables that they go to."""
        return {self.variable: self.url}

    @abstractmethod
    def is_running(self) -> bool: ...

    @abstractmethod
    def start(self) -> None:
        """Start the server and wait until it answers. Raises EmbeddedServerError."""

    @abstractmethod
    def stop(self) -> None:
        """Stop the server, if it runs, and wait until it is gone."""


def short_link(data_dir: Path) -> Path:
    """A short symbolic link to `data_dir` in /tmp, made again when something has removed it.

    The sockets themselves stay in DATA_DIR, in folders that only we can enter. The name holds our
    user id and the link must be ours, so nobody can put one there before us that leads elsewhere.
    """
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    link = Path(f"/tmp/knowledge-agents-{os.getuid()}-{digest}")  # noqa: S108 - checked below
    try:
        link.symlink_to(data_dir)
    except FileExistsError:
        if (
            not link.is_symlink()
            or link.lstat().st_uid != os.getuid()
            or link.readlink() != data_dir
        ):
            raise EmbeddedServerError(
                f"{link} is in the way: remove it, or choose a shorter DATA_DIR."
            ) from None
    return link
