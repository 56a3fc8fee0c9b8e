"""Asks one question on the command line and prints the answer."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Tenant
from query.errors import AgentNotFound
from query.pipeline import answer_question


class Command(BaseCommand):
    help = "Asks a tenant's default configuration and prints the answer with its sources."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--agent", metavar="ID")
        parser.add_argument("question")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"].lower()).first()
        if tenant is None:
            raise CommandError(f"There is no tenant with the slug {options['tenant']!r}.")
        if options["agent"]:  # agents do not exist yet (issue 5): as in the API, each id is unknown
            raise CommandError(AgentNotFound.default_message)
        answer = answer_question(tenant, options["question"])
        self.stdout.write(answer.text)
        for number, source in enumerate(answer.sources, start=1):
            self.stdout.write(
                f"[{number}] {source.source_file}, {source.location} ({source.similarity:.2f})"
            )
