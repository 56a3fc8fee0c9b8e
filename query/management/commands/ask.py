"""Asks one question on the command line and prints the answer."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.models import Agent
from agents.services import get_agent
from query.pipeline import answer_question
from query.understanding.inquiries import Inquiry


class Command(BaseCommand):
    help = (
        "Ask an agent, or the tenant's default configuration, and print the answer and its sources."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--agent", metavar="ID")
        parser.add_argument("question")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = Tenant.objects.filter(slug=options["tenant"].lower()).first()
        if tenant is None:
            raise CommandError(f"There is no tenant with the slug {options['tenant']!r}.")
        agent = find_agent(tenant, options["agent"]) if options["agent"] else None
        answer = answer_question(Inquiry(tenant, options["question"], agent))
        self.stdout.write(answer.text)
        for number, source in enumerate(answer.sources, start=1):
            self.stdout.write(
                f"[{number}] {source.source_file}, {source.location} ({source.similarity:.2f})"
            )


def find_agent(tenant: Tenant, agent_id: str) -> Agent:
    """The agent, also an inactive one: this command is for trying agents out."""
    try:
        return get_agent(tenant, uuid.UUID(agent_id))
    except (ValueError, AgentNotFound) as error:
        raise CommandError(AgentNotFound.default_message) from error
