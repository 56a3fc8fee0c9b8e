"""E-mails that must not be lost."""

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.tenancy import TenantModel
from accounts.models.tenants import Language
from config.security.personal import Personal
from config.security.sealing import SealedField


class OutgoingMail(TenantModel):
    """A mail that is on its way: written in the transaction that it tells of, sent by a worker.

        waiting ── the mail server takes it ──> sent (sent_at; its content is erased)
        waiting ── it does not: next_attempt_at moves on ──> waiting
        waiting ── the last attempt fails ──> failed (failed_at; its content is erased)

    The content may hold a link that lets its reader in, so it is encrypted.
    """

    personal = Personal(
        "mails",
        ("tenant__slug", "template", "language", "created_at", "sent_at", "failed_at"),
        address="recipient",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    recipient = models.EmailField(max_length=254)
    template = models.CharField(max_length=40)
    language = models.CharField(max_length=2, choices=Language)
    encrypted_context = SealedField()
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    # Null when nothing is left to do
    next_attempt_at = models.DateTimeField(default=timezone.now, null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    error_message = models.CharField(max_length=500, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                name="accounts_outgoingmail_due",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
            models.Index(fields=["recipient"], name="accounts_outgoingmail_to"),
        ]

    def __str__(self) -> str:
        return f"{self.template} to {self.recipient}"
