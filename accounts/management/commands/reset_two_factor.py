"""bin/manage reset_two_factor: for one of our staff who lost the phone and the recovery codes, when
no superuser is left who could look after them at /admin/."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.services.signing_in.two_factor import switch_off_for


class Command(BaseCommand):
    help = (
        "Turn off two-factor authentication for a person. Staff have to set it up again"
        " when they next log in."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        email = User.objects.normalize_email(options["email"])
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"There is no account {email!r}.")
        switch_off_for(user)
        self.stdout.write(f"Two-factor is off for {email}.")
