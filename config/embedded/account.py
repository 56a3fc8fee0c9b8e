"""The account that runs PostgreSQL, which refuses to run as root.

An ordinary user runs it as themselves. For root it is the owner of the data that is there, or an
account of its own that can do nothing else (not `nobody`: other services run as that, and would own
our data).
"""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from config.embedded.errors import EmbeddedServerError

ACCOUNT_NAME = "knowledge-agents"

# In a mount namespace of its own, bring the data and the programs to a place that the account can
# reach: the clone or DATA_DIR may be below a folder of root's, such as /root, that nobody else can
# enter, and that is not ours to open. Arguments: mount point, data, programs, user id, group id,
# then the command.
MOUNT_SCRIPT = """
set -e
at=$1; data=$2; packages=$3; user=$4; group=$5; shift 5
mount -t tmpfs -o mode=755,size=64k tmpfs "$at"
mkdir "$at/data" "$at/packages"
mount --bind "$data" "$at/data"
mount --bind "$packages" "$at/packages"
exec setpriv --reuid "$user" --regid "$group" --clear-groups -- "$@"
"""


@dataclass(frozen=True)
class Launcher:
    """How to run PostgreSQL's programs on one data folder; `data` and `programs` are the paths that
    they see.
    """

    prefix: tuple[str, ...]
    data: Path
    programs: Path

    def command(self, program: str, *arguments: str) -> list[str]:
        return [*self.prefix, str(self.programs / program), *arguments]


def make_launcher(data: Path, programs: Path) -> Launcher:
    """The account and the way by which the programs of PostgreSQL run on `data`, which exists and
    has its owner already.

    Raises EmbeddedServerError when the owner cannot reach its files.
    """
    if os.geteuid() != 0:
        return Launcher((), data, programs)
    owner = data.stat()
    direct = Launcher(setpriv(owner.st_uid, owner.st_gid), data, programs)
    if can_reach(direct):
        return direct
    mounted = mounting_launcher(data, programs, owner)
    if can_reach(mounted):
        return mounted
    raise EmbeddedServerError(
        "PostgreSQL does not run as root, and the account that runs it for us"
        f" ({account_name(owner.st_uid)}) cannot reach {data} and {programs}.\n"
        "Put the clone and DATA_DIR below a folder that everybody may enter (not /root), or run"
        " this as an ordinary user, or set DATABASE_URL."
    )


def mounting_launcher(data: Path, programs: Path, owner: os.stat_result) -> Launcher:
    """The way through a mount namespace, for folders that the account cannot reach."""
    packages = programs.parents[2]  # the programs' libraries are beside their package
    at = Path("/media" if Path("/mnt") in (*data.parents, *programs.parents) else "/mnt")
    command = ["unshare", "--mount", "--", "sh", "-c", MOUNT_SCRIPT, "sh", str(at)]
    arguments = [str(data), str(packages), str(owner.st_uid), str(owner.st_gid)]
    return Launcher(
        (*command, *arguments), at / "data", at / "packages" / programs.relative_to(packages)
    )


def setpriv(user_id: int, group_id: int) -> tuple[str, ...]:
    return ("setpriv", "--reuid", str(user_id), "--regid", str(group_id), "--clear-groups", "--")


def can_reach(launcher: Launcher) -> bool:
    """True if the account can run the programs and write the data."""
    test = ["test", "-x", str(launcher.programs / "postgres"), "-a", "-w", str(launcher.data)]
    return (
        subprocess.run([*launcher.prefix, *test], capture_output=True, check=False).returncode == 0
    )


def give_to_account(folders: Sequence[Path]) -> None:
    """Make the PostgreSQL account the owner of `folders`, creating the account the first time. Does
    nothing unless we are root."""
    if os.geteuid() != 0:
        return
    entry = find_account() or create_account()
    for folder in folders:
        os.chown(folder, entry.pw_uid, entry.pw_gid)


def find_account() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT_NAME)
    except KeyError:
        return None


def create_account() -> pwd.struct_passwd:
    command = [
        "useradd",
        "--system",
        "--user-group",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
    ]
    try:
        subprocess.run(
            [*command, "--shell", "/usr/sbin/nologin", ACCOUNT_NAME],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        if entry := find_account():  # another copy was faster
            return entry
        words = (
            error.stderr.strip() if isinstance(error, subprocess.CalledProcessError) else str(error)
        )
        raise EmbeddedServerError(
            f"PostgreSQL does not run as root, and the account {ACCOUNT_NAME} cannot be made for"
            f" it: {words}\nRun this as an ordinary user, or set DATABASE_URL."
        ) from error
    return pwd.getpwnam(ACCOUNT_NAME)


def account_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user id {user_id}"
