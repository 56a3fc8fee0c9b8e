"""Counts the way that one message takes through the code while it is answered: bench/walk.py."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.models import Tenant
from agents.models import Agent
from bench.evaluation.datasets import EvalCorpus, EvalFile
from bench.evaluation.run import fresh_tenant, index_files
from bench.walk import Follower, Walk, as_text
from query.conversations.memory import forget_session
from query.pipeline import answer_question
from query.understanding.inquiries import Inquiry

FILES = (
    EvalFile(
        "envios.md",
        "# Envíos\n\nEl envío a la península cuesta 4,90 euros y tarda dos días laborables. Los"
        " pedidos de más de 50 euros se envían gratis.\n\n# Horario\n\nAbrimos de lunes a viernes"
        " de 9 a 14 h.\n".encode(),
    ),
    EvalFile(
        "cafes.csv",
        "Café;Origen;Precio (€)\nHuila;Colombia;11,50\nYirgacheffe;Etiopía;14,00\n".encode(),
    ),
)
BEFORE = "¿Cuánto cuesta el envío a la península?"
MESSAGE = "me gustaria comprar 3, ¿cuanto costaria el envvio de esos mañana?"
SESSION = "walk"


class Command(BaseCommand):
    help = "Asks one fixed message of a small company and counts its way through the code."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--stays", action="store_true", help="list the stays, too")
        parser.add_argument("--message", default=MESSAGE)
        parser.add_argument("--before", default=BEFORE)

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = EvalCorpus("walk", "walk", FILES, ())
        with fresh_tenant(corpus) as tenant:
            index_files(tenant, corpus, lambda: None)
            walk = walk_through(tenant, options["before"], options["message"])
        self.stdout.write(as_text(walk, shows_stays=options["stays"]))


def walk_through(tenant: Tenant, before: str, message: str) -> Walk:
    agent = Agent.objects.for_tenant(tenant).create(
        name="walk",
        lead_capture_enabled=True,
        lead_notification_email="leads@example.org",
    )
    answer_question(Inquiry(tenant, before, agent, session_id=SESSION))
    try:
        with Follower(message) as follower:
            answer_question(Inquiry(tenant, message, agent, session_id=SESSION))
    finally:
        forget_session(tenant, SESSION)
    return Walk(tuple(follower.stops))
