"""An archive of everything held about a person who signs in.

Rows of the person; and of rows that only name them, what concerns them
(config/security/personal.py). Each is found by an index, however many rows other people have.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from django.db import models

from accounts.leaving.archives import Told, write_rows
from accounts.models import User
from config.database.acting import over_all_tenants
from config.security.personal import about_person, list_personal, of_person


@dataclass(frozen=True)
class Part:
    """A file of the archive."""

    name: str
    rows: models.QuerySet[Any]
    columns: tuple[str, ...]


def list_parts(user: User) -> Iterator[Part]:
    """The parts of the archive, over all tenants, since a person may be in several."""
    for model, rule in list_personal():
        rows = model._base_manager.order_by()
        if rule.name:
            yield Part(rule.name, rows.filter(of_person(rule, user)), rule.columns)
        if rule.about:
            about = rows.filter(about_person(rule, rule.about, user))
            yield Part(rule.about.name, about, rule.about.columns)


@over_all_tenants()
def count_parts(user: User) -> int:
    """The number of rows that the archive will have."""
    return sum(part.rows.count() for part in list_parts(user))


@over_all_tenants()
def write_person_archive(user: User, *, told: Told = lambda done: None) -> IO[bytes]:
    """Writes a ZIP of JSON lines with the data of the person, without what their companies wrote.
    The file is at its start; the caller closes it. `told` gets the number of rows in it, after each
    batch."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller's
    done = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for part in list_parts(user):
            rows = part.rows.order_by("pk").values(*part.columns)
            done = write_rows(archive, part.name, rows, done, told)
    file.seek(0)
    return file
