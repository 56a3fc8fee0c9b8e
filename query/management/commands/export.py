"""bin/manage export: what is held of one account, visitor or session, as a ZIP of JSON lines.

The archive of a whole workspace is asked for in the dashboard.
"""

import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.leaving.person_archive import write_person_archive
from accounts.models import Tenant, User
from query.services.visitors import find_visitor, read_sessions, read_visitor, write_archive


class Command(BaseCommand):
    help = "Write the data held about a person or a workspace into an archive."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="required without --account")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--session", metavar="ID", help="with every agent and channel")
        what.add_argument("--person", metavar="CONTACT", help="a visitor's e-mail or phone")
        what.add_argument(
            "--account", metavar="EMAIL", help="e-mail address of somebody who signs in"
        )
        parser.add_argument("--out", required=True, type=Path, metavar="FILE.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        if options.get("account"):
            self.export_account(options["account"], out)
        else:
            self.export_visitor(options, out)
        out.chmod(0o600)
        self.stdout.write(f"{out}: {out.stat().st_size:,} bytes.")

    def export_account(self, email: str, out: Path) -> None:
        user = User.objects.filter(email=User.objects.normalize_email(email)).first()
        if user is None:
            raise CommandError(f"Nobody signs in as {email}.")
        with write_person_archive(user) as archive, out.open("wb") as file:
            shutil.copyfileobj(archive, file)

    def export_visitor(self, options: dict[str, Any], out: Path) -> None:
        slug = (options.get("tenant") or "").lower()
        tenant = Tenant.objects.filter(slug=slug).first()
        if tenant is None:
            raise CommandError(f"There is no tenant with the slug {slug!r}.")
        try:
            if options.get("person"):
                found = read_visitor(tenant, find_visitor(tenant, options["person"]))
            else:
                found = read_sessions(tenant, {options["session"]})
        except ValueError as error:
            raise CommandError(str(error)) from error
        with out.open("wb") as file:
            write_archive(file, found)
