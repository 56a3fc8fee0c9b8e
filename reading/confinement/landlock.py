"""Takes all files from the calling process but those below some folders, for good: landlock(7)."""

import ctypes
import os
import struct
from pathlib import Path

from reading.confinement.kernel import expect, libc

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all architectures
VERSION_FLAG, RULE_PATH_BENEATH = 1, 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# Rights over files, by the version that brought them: REFER, TRUNCATE and IOCTL_DEV came later.
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
NETWORK_VERSION, NETWORK_RIGHTS = 4, 0b11  # to bind and to connect TCP
SCOPE_VERSION, SCOPES = 6, 0b11  # no abstract sockets and no signals of others


def has_landlock() -> bool:
    return landlock_version() > 0


def landlock_version() -> int:
    """Less than 1 where the kernel has none, or a container's filter hides it."""
    return int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION_FLAG))


def restrict_reading(readable: tuple[Path, ...]) -> bool:
    """False where the kernel has no Landlock; raises ConfinementFailed when it has and refuses.
    Wants no_new_privs.
    """
    version = landlock_version()
    if version < 1:
        return False
    handled = rules_of(version)
    size = ctypes.c_size_t(len(handled))
    ruleset = expect(libc.syscall(CREATE_RULESET, handled, size, 0), "landlock")
    for folder in readable:
        allow_reading(ruleset, folder)
    expect(libc.syscall(RESTRICT_SELF, ruleset, 0), "landlock")
    os.close(ruleset)
    return True


def rules_of(version: int) -> bytes:
    """struct landlock_ruleset_attr, as far as that version knows it: all that it can refuse."""
    # A kernel refuses a ruleset with rights that it does not know
    files = FILE_RIGHTS[max(known for known in FILE_RIGHTS if known <= version)]
    if version < NETWORK_VERSION:
        return struct.pack("Q", files)
    if version < SCOPE_VERSION:
        return struct.pack("QQ", files, NETWORK_RIGHTS)
    return struct.pack("QQQ", files, NETWORK_RIGHTS, SCOPES)


def allow_reading(ruleset: int, folder: Path) -> None:
    descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", READ_FILE | READ_DIR, descriptor)
    expect(libc.syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0), "landlock")
    os.close(descriptor)
