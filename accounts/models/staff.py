"""Our own staff: their sessions in the back office, which belong to no tenant, and whose words they
opened to themselves."""

import uuid
from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models.people import User
from accounts.models.tenancy import TenantModel
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


ACCESS_LIFETIME = timedelta(hours=1)
REASON_MAX_CHARS = 300


class StaffAccess(TenantModel):
    """A permission of one of our staff to read what a tenant's customers wrote, for a reason that
    its admins can read.

        running ── ended by the person who opened it: ended_at ──> ended
        running ── ends_at: ACCESS_LIFETIME after its beginning ──> over

    Without one that runs nobody does, superusers neither (accounts/admin/base.py).
    """

    personal = Personal(of="user", named_in=("reason",))

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    reason = models.CharField(max_length=REASON_MAX_CHARS)
    began_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-began_at"]
        verbose_name_plural = "staff accesses"
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(reason=""), name="accounts_staffaccess_reason"
            ),
            models.CheckConstraint(
                condition=models.Q(ends_at__lte=models.F("began_at") + ACCESS_LIFETIME),
                name="accounts_staffaccess_an_hour",
            ),
        ]
        indexes = [models.Index(fields=["user", "ends_at"], name="accounts_staffaccess_running")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.began_at:%Y-%m-%d %H:%M}"
