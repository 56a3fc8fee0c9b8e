"""bin/manage create_user: a member of a tenant."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.management.output import member_output
from accounts.management.passwords import HELP, forget_password_option, read_password
from accounts.models import Role, Tenant
from accounts.services.tenants import create_user
from config.errors import ServiceError


class Command(BaseCommand):
    help = (
        "Add a member to a tenant and print them as one JSON object. A person who already has an"
        f' account keeps its password, and "created" is then false. {HELP}'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="its slug")
        parser.add_argument("--email", required=True)
        forget_password_option(parser, "--password")
        parser.add_argument("--role", required=True, help=", ".join(Role.values))

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"].lower()).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['tenant']!r}.")
        try:
            made = create_user(
                tenant, email=options["email"], password=read_password(), role=options["role"]
            )
        except ServiceError as error:
            raise CommandError(error.message) from error
        self.stdout.write(json.dumps(member_output(made), ensure_ascii=False))
