"""bin/manage erase: one session, a visitor, everything of a tenant, or somebody who signs in."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from redis import RedisError

from accounts.errors import SomethingIsLeft
from accounts.leaving.erasing import erase_person
from accounts.leaving.receipts import (
    describe_receipt,
    let_receipt_go,
    subject_of,
    take_receipt,
)
from accounts.models import AskedBy, ErasureKind, ErasureReceipt, Tenant, User
from accounts.services.leaving.erasure import begin_erasure
from config.errors import ServiceError
from query.conversations.erasure import erase_session, erase_tenant, finish_tenant
from query.services.visitors import CountedRows, FoundVisitor, erase_visitor, find_visitor

AGAIN = "Not everything is erased yet. Run the same command again."
UNDER_WAY = (
    "They are already being erased, or the process that did so has died: try again in ten minutes."
)


class Command(BaseCommand):
    help = "Erase, print how much of each kind was deleted, and close the receipt of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="required without --account")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--session", metavar="ID", help="with every agent and channel")
        what.add_argument("--person", metavar="CONTACT", help="a visitor's e-mail or phone")
        what.add_argument("--everything", action="store_true", help="the whole tenant")
        what.add_argument(
            "--account", metavar="EMAIL", help="e-mail address of somebody who signs in"
        )
        parser.add_argument("--yes", action="store_true", help="does not ask")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            printed = self.erase(options)
        except ValueError as error:
            raise CommandError(str(error)) from error
        except (ServiceError, RedisError, IntegrityError, SomethingIsLeft) as error:
            raise CommandError(f"{AGAIN} ({type(error).__name__}: {error})") from error
        self.stdout.write(json.dumps(printed, cls=DjangoJSONEncoder))

    def erase(self, options: dict[str, Any]) -> dict[str, Any]:
        if options.get("account"):
            return {"receipt": describe_receipt(self.erase_account(options))}
        slug = (options.get("tenant") or "").lower()
        tenant = Tenant.objects.filter(slug=slug).first()
        if tenant is None:
            return {"tenant": slug, "receipt": self.finish(slug)}
        if options.get("person"):
            found = find_visitor(tenant, options["person"])
            if not found.is_nothing:
                self.confirm(describe(found), found.contact, options)
            receipt = erase_visitor(tenant, found, asked_by=AskedBy.OPERATOR)
            return {"tenant": slug, "receipt": describe_receipt(receipt)}
        if options.get("everything"):
            self.confirm(f"Everything of {tenant.name}", slug, options)
            erased = erase_tenant(tenant)
        else:
            erased = erase_session(tenant, options["session"])
        return {"tenant": slug} | erased.counts | {"receipt": describe_receipt(erased.receipt)}

    def finish(self, slug: str) -> dict[str, Any]:
        """Finishes an erasure that was killed after the tenant's last row was deleted. Raises
        CommandError."""
        begun = ErasureReceipt.objects.filter(
            kind=ErasureKind.TENANT, subject=subject_of(slug), finished_at=None
        )
        receipt = begun.first()
        if receipt is None:
            raise CommandError(f"There is no tenant with the slug {slug!r}.")
        finish_tenant(receipt)
        return describe_receipt(receipt)

    def erase_account(self, options: dict[str, Any]) -> ErasureReceipt:
        email = User.objects.normalize_email(options["account"])
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"Nobody signs in as {email}.")
        self.confirm(f"The account of {email}", email, options)
        try:
            with transaction.atomic():  # before a worker hears of it
                receipt = begin_erasure(user, AskedBy.OPERATOR)
                is_ours = take_receipt(receipt)
        except ServiceError as error:
            raise CommandError(error.message) from error
        if not is_ours:
            raise CommandError(UNDER_WAY)
        try:
            erase_person(receipt)
        finally:
            let_receipt_go(receipt)
        receipt.refresh_from_db()
        return receipt

    def confirm(self, what: str, typed: str, options: dict[str, Any]) -> None:
        """Raises CommandError."""
        if options.get("yes"):
            return
        if not sys.stdin.isatty():
            raise CommandError("This needs a terminal to ask, or --yes.")
        self.stdout.write(f"{what} will be deleted for good.")
        if input(f"Type {typed} to continue: ").strip() != typed:
            raise CommandError("Nothing was erased.")


def describe(found: FoundVisitor) -> str:
    """The rows found of a visitor, in words that a person agrees to."""
    return (
        f"{describe_rows(found.conversations, 'conversation(s)')},"
        f" {describe_rows(found.leads, 'lead(s)')} and {found.others} other row(s)"
    )


def describe_rows(rows: CountedRows, what: str) -> str:
    if rows.first is None or rows.last is None:
        return f"0 {what}"
    return f"{rows.count} {what} from {rows.first:%Y-%m-%d} to {rows.last:%Y-%m-%d}"
