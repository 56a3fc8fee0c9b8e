"""bin/manage create_tenant: a tenant and its first admin."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.output import member_output
from accounts.management.passwords import HELP, forget_password_option, read_password
from accounts.models import Language
from accounts.services.tenants import create_tenant
from config.errors import ServiceError


class Command(BaseCommand):
    help = f"Create a tenant and its first admin, and print them as one JSON object. {HELP}"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--slug", required=True, help="3 to 63 letters, digits and hyphens")
        parser.add_argument("--name", required=True)
        parser.add_argument("--plan", required=True, help="free, starter, pro or enterprise")
        parser.add_argument("--admin-email", required=True)
        forget_password_option(parser, "--admin-password")
        parser.add_argument(
            "--language", choices=Language.values, default=Language.SPANISH, help="of our e-mails"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("slug", "name", "plan", "admin_email", "language")
        given = {name: options[name] for name in names}
        try:
            made = create_tenant(**given, admin_password=read_password())
        except ServiceError as error:
            raise CommandError(error.message) from error
        tenant = made.tenant
        content = {"name": tenant.name, "plan": tenant.plan.slug} | member_output(made)
        self.stdout.write(json.dumps(content, ensure_ascii=False))
