"""bin/manage create_tenant: a tenant and its first admin."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.output import member_output
from accounts.models import Language
from accounts.services.tenants import create_tenant
from config.errors import ServiceError


class Command(BaseCommand):
    help = "Makes a tenant and its first admin, and prints them as one JSON object."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", required=True, help="3 to 63 letters, digits and hyphens")
        parser.add_argument("--name", required=True)
        parser.add_argument("--plan", required=True, help="free, starter, pro or enterprise")
        parser.add_argument("--admin-email", required=True)
        parser.add_argument("--admin-password", required=True, help="at least 10 characters")
        parser.add_argument(
            "--language", choices=Language.values, default=Language.SPANISH, help="of our e-mails"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("slug", "name", "plan", "admin_email", "admin_password", "language")
        try:
            made = create_tenant(**{name: options[name] for name in names})
        except ServiceError as error:
            raise CommandError(error.message) from error
        tenant = made.tenant
        content = {"name": tenant.name, "plan": tenant.plan.slug} | member_output(made)
        self.stdout.write(json.dumps(content, ensure_ascii=False))
