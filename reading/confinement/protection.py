"""Warnings for the operator about how far our files on this machine are protected from a parser.

`python -m reading.confinement.protection yes|no` prints them; yes: Landlock is required.
Nothing is printed where all is well.
"""

import sys

from reading.confinement.landlock import has_landlock

ADVICE = (
    "Landlock is in Linux from 5.13 on; boot with `lsm=landlock,…` where it is built in and not"
    " switched on, and let the container's seccomp profile pass landlock_* (Docker's does)."
)
NOT_READ = (
    "Uploads, web pages and connected accounts are not read: this kernel has no Landlock, so a"
    f" parser with a hole could read the service's keys and other tenants' files. {ADVICE}"
    " ALLOW_FILES_WITHOUT_LANDLOCK=yes reads them all the same."
)
READ_ALL_THE_SAME = (
    "Files are read without Landlock: where namespaces are forbidden too, a parser with a hole"
    f" could read the service's keys and other tenants' files. {ADVICE}"
)


def describe_protection(*, is_required: bool) -> str:
    """Empty where Landlock is there."""
    if has_landlock():
        return ""
    return NOT_READ if is_required else READ_ALL_THE_SAME


if __name__ == "__main__":
    sys.stdout.write(describe_protection(is_required=sys.argv[1] == "yes"))
