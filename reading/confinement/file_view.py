"""A file system of its own for the calling process: the folders that it may read, read-only, and
nothing else: no /proc, no /dev, no socket, nobody's data.

Root makes it; others where the kernel lets them have a user namespace (which many containers and
some distributions forbid).
"""

import ctypes
import os
import platform
from pathlib import Path

from reading.confinement.kernel import ConfinementFailed, expect, libc

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
MNT_DETACH = 2
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_SETATTR = 442  # Linux 5.12; the same on all architectures
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
READ_ONLY = (ctypes.c_uint64 * 4)(0b111, 0, 0, 0)  # MOUNT_ATTR_RDONLY | NOSUID | NODEV
BASE = "/tmp"  # noqa: S108 - covered in this process's own view of the file system, and left


def enter_view(folders: tuple[Path, ...]) -> bool:
    """Enters a file system that holds only the folders. False if that is not possible: the process
    sees the same as before. It must have one thread, and must not have been made undumpable yet."""
    try:
        begin_namespace()
        mount("none", "/", flags=MS_REC | MS_PRIVATE)  # nobody else sees what is mounted here
    except (ConfinementFailed, OSError):
        return False
    try:
        build(folders)
    except (ConfinementFailed, OSError):
        libc.umount2(BASE.encode(), MNT_DETACH)
        return False
    # The old root lies over the new one: while it is mounted, all of it can still be reached
    expect(libc.umount2(b".", MNT_DETACH), "umount2")
    os.chdir("/")
    return True


def begin_namespace() -> None:
    user_id, group_id = os.geteuid(), os.getegid()
    if user_id == 0:
        expect(libc.unshare(CLONE_NEWNS), "unshare")
        return
    expect(libc.unshare(CLONE_NEWNS | CLONE_NEWUSER), "unshare")
    # Itself alone, as itself
    # The kernel wants it before gid_map of everybody who is not root: user_namespaces(7)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user_id} {user_id} 1")
    Path("/proc/self/gid_map").write_text(f"{group_id} {group_id} 1")


def build(folders: tuple[Path, ...]) -> None:
    """Ends in the new root, with the old one mounted over it, as pivot_root(2) has it."""
    outermost = [folder for folder in folders if not set(folder.parents) & {*folders}]
    # Opened before one of them can be covered
    opened = [(folder, os.open(folder, os.O_PATH | os.O_CLOEXEC)) for folder in outermost]
    # It holds the places to mount on, and nothing else: 64 KB are enough
    mount("tmpfs", BASE, kind="tmpfs", flags=MS_NOSUID | MS_NODEV, options="mode=755,size=64k")
    for folder, descriptor in opened:
        place = f"{BASE}{folder}"
        os.makedirs(place, mode=0o755)
        mount(f"/proc/self/fd/{descriptor}", place, flags=MS_BIND | MS_REC)
        os.close(descriptor)
    size = ctypes.c_size_t(ctypes.sizeof(READ_ONLY))
    attributes = ctypes.byref(READ_ONLY)
    # A bind mount ignores the flags that it is made with, so they are set afterwards
    changed = libc.syscall(MOUNT_SETATTR, AT_FDCWD, BASE.encode(), AT_RECURSIVE, attributes, size)
    expect(changed, "mount_setattr")
    os.chdir(BASE)
    expect(libc.syscall(PIVOT_ROOT[platform.machine()], b".", b"."), "pivot_root")


def mount(source: str, target: str, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    texts = [text.encode() if text else None for text in (source, target, kind, options)]
    source_, target_, kind_, options_ = texts
    mounted = libc.mount(source_, target_, kind_, ctypes.c_ulong(flags), options_)
    expect(mounted, f"mount on {target}")
