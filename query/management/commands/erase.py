"""bin/manage erase: what is kept of one session, or everything of a tenant."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError
from redis import RedisError

from accounts.models import Tenant
from config.errors import ServiceError
from query.conversations.erasure import erase_session, erase_tenant

AGAIN = "Not everything is erased yet. Run the same command again."


class Command(BaseCommand):
    help = "Erases a session, or a tenant with all its data, and prints how much of what went."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--session", metavar="ID", help="with every agent and channel")
        what.add_argument("--everything", action="store_true", help="the whole tenant")
        parser.add_argument("--yes", action="store_true", help="does not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"].lower()).first()
        if tenant is None:
            raise CommandError(f"There is no tenant with the slug {options['tenant']!r}.")
        if options["everything"] and not options["yes"]:
            self.confirm(tenant)
        try:
            if options["everything"]:
                counts = erase_tenant(tenant)
            else:
                counts = erase_session(tenant, options["session"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        except (ServiceError, RedisError, IntegrityError) as error:
            raise CommandError(f"{AGAIN} ({type(error).__name__})") from error
        self.stdout.write(json.dumps({"tenant": options["tenant"].lower()} | counts))

    def confirm(self, tenant: Tenant) -> None:
        """Raises CommandError."""
        if not sys.stdin.isatty():
            raise CommandError("This needs a terminal to ask, or --yes.")
        self.stdout.write(f"Everything of {tenant.name} will be gone, for good.")
        if input(f"Type {tenant.slug} to go on: ").strip() != tenant.slug:
            raise CommandError("Nothing was erased.")
