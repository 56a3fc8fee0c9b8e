"""Makes the calling process nobody: a user that no other process is, without a capability."""

import errno
import os
import resource
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

from reading.confinement.kernel import expect, libc

# Far above what user databases, containers and systemd's dynamic users are given (they end below
# 600,100,000); a process id has 22 bits at most.
FIRST_USER = 2_000_000_000
CAPABILITY_VERSION_3 = 0x20080522
THREADS_MAX = 64  # of a user who has this process alone
# Of an ordinary user, whose other processes count as well: against floods of threads
ACCOUNT_THREADS_MAX = 4096
OWN_FILES = (Path(__file__), Path(os.__file__))


def become_nobody(private: tuple[Path, ...], *, reached_by: tuple[Path, ...]) -> bool:
    """Changes to a user of our own, if this process is root. False where that is impossible: for an
    ordinary user, where a container knows no such user, or where that user could not read the
    interpreter, our code or the folders `private`, or not come to the folders `reached_by`. In
    every case drops all capabilities. Raises ConfinementFailed."""
    is_root = os.geteuid() == 0
    is_another = is_root and may_be_read(private) and is_reached(reached_by) and change_user()
    limit_threads(THREADS_MAX if is_another else ACCOUNT_THREADS_MAX)
    drop_capabilities()
    return is_another


def change_user() -> bool:
    # No two processes that run share it, so that none can signal or trace its neighbour
    user = FIRST_USER + os.getpid()
    try:
        # In this order: a process that is not root any more cannot give up its groups
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EPERM):  # a user namespace without that user
            return False
        raise
    return True


def limit_threads(most: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    # A limit that is lower already cannot be raised, and holds as well
    most = min(most, hard) if hard != resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def drop_capabilities() -> None:
    header = struct.pack("Ii", CAPABILITY_VERSION_3, 0)
    expect(libc.capset(header, bytes(24)), "capset")


def is_reached(folders: tuple[Path, ...]) -> bool:
    """True if everybody can reach the folders: none lies below one that only root may enter, such
    as /root."""
    # Where it gets no view of its own, it walks the real path as a stranger
    parents = {parent for folder in folders for parent in folder.resolve().parents}
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in parents)


def may_be_read(readable: tuple[Path, ...]) -> bool:
    """True if everybody may read the files as they are: a clone with a umask of 077 has private
    files."""
    return all(is_for_everybody(path) for path in (*OWN_FILES, *files_below(readable)))


def files_below(folders: tuple[Path, ...]) -> Iterator[Path]:
    """Yields the folders and the files in them: a handful for a model."""
    for folder in folders:
        yield folder
        yield from folder.iterdir()


def is_for_everybody(path: Path) -> bool:
    mode = path.stat().st_mode
    wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    return mode & wanted == wanted
