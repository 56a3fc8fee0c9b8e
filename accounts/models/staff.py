"""Our own staff's sessions in the back office. They belong to no tenant."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models.people import User
from config.security.current_client import USER_AGENT_MAX_CHARS
from config.security.personal import Personal


class StaffSessionQuerySet(models.QuerySet["StaffSession"]):
    def open_now(self) -> Self:
        now = timezone.now()
        return self.filter(
            ended_at=None,
            began_at__gt=now - settings.STAFF_SESSION_LIFETIME,
            last_seen_at__gt=now - settings.STAFF_SESSION_IDLE,
        )


class StaffSession(models.Model):
    """A login of one of our staff at /admin/; Django's session names it.

        open ── logged out, ended by its owner or a superuser ──> ended (ended_at)
        open ── their password or their powers change, or they are disabled ──> ended
        open ── unused for STAFF_SESSION_IDLE, or STAFF_SESSION_LIFETIME old ──> over

    Every request looks it up. It is kept for a while after its end: another place is told by mail.
    """

    personal = Personal(
        "staff_sessions",
        ("began_at", "last_seen_at", "ended_at", "address", "user_agent"),
        of="user",
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="staff_sessions")
    began_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now, help_text="to the minute")
    proved_at = models.DateTimeField(default=timezone.now, help_text="when both factors were given")
    ended_at = models.DateTimeField(null=True, blank=True)
    is_from_new_place = models.BooleanField(default=False, help_text="its owner is told by mail")
    told_at = models.DateTimeField(null=True, blank=True)
    address = models.CharField(max_length=50, blank=True)
    user_agent = models.CharField(max_length=USER_AGENT_MAX_CHARS, blank=True)

    objects = StaffSessionQuerySet.as_manager()

    class Meta:
        ordering = ["-began_at"]

    def __str__(self) -> str:
        return str(self.id)
