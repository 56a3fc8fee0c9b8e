"""The rows about syncs that are kept beside their source: turns, history, schedules."""

from __future__ import annotations

import uuid

from django.db import models

from accounts.models import ScheduleFrequency
from accounts.models.tenancy import TenantModel
from config.export import Exported
from config.security.personal import COMPANYS_OWN
from sources.models.sources import Lane, Source


class LaneTurn(TenantModel):
    """The time when a tenant last had its turn in a lane: of those who wait, the others come
    first."""

    lane = models.CharField(max_length=12, choices=Lane)
    taken_at = models.DateTimeField()

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "lane"], name="sources_laneturn_lane")
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.lane}"


class SyncEvent(TenantModel):
    """History of a source. An action of a sync carries its counts and timings in `details`."""

    class Action(models.TextChoices):
        SOURCE_CREATED = "source_created"
        SYNC_STARTED = "sync_started"
        SYNC_COMPLETED = "sync_completed"
        SYNC_FAILED = "sync_failed"
        SYNC_SUPERSEDED = "sync_superseded"
        REAUTH_REQUIRED = "reauth_required"
        SOURCE_RENAMED = "source_renamed"
        SOURCE_DELETED = "source_deleted"
        SCHEDULE_STOPPED = "schedule_stopped"

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="events")
    action = models.CharField(max_length=30, choices=Action)
    details = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["tenant", "source", "-created_at"], name="sources_syncevent_recent"
            )
        ]

    def __str__(self) -> str:
        return self.action


class Schedule(TenantModel):
    """The schedule by which a source is synced automatically. A source without one is synced by
    hand."""

    exported = Exported("schedules", ("source_id", "frequency", "enabled", "next_sync_at"))

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="schedules")
    frequency = models.CharField(max_length=10, choices=ScheduleFrequency)
    enabled = models.BooleanField(default=False, help_text="never for manual")
    next_sync_at = models.DateTimeField(null=True, blank=True, help_text="null: not scheduled")

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "source"], name="sources_schedule_source"),
            models.CheckConstraint(
                condition=models.Q(frequency__in=ScheduleFrequency.values),
                name="sources_schedule_frequency",
            ),
            models.CheckConstraint(
                condition=models.Q(enabled=False, next_sync_at=None)
                | models.Q(enabled=True, next_sync_at__isnull=False),
                name="sources_schedule_enabled_has_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_sync_at"],
                condition=models.Q(enabled=True),
                name="sources_schedule_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.source_id}: {self.frequency}"
