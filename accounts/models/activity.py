"""The activity of a workspace: who did what, when and from where. Entries are never changed."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models.tenancy import TenantModel
from accounts.models.tenants import Tenant
from config.export import Exported
from config.security.current_client import USER_AGENT_MAX_CHARS
from config.security.personal import About, Personal

ACTOR_MAX_CHARS = 254  # an e-mail address is the longest
# Actors that have no address.
BY_STAFF = "staff"
BY_SERVICE = "service"
TARGET_MAX_CHARS = 500


class Action(models.TextChoices):
    """The kinds of actions that are recorded. The column takes any text, so that an app can add
    more without a migration."""

    SIGN_IN = "sign_in"
    SIGN_OUT = "sign_out"
    SESSION_ENDED = "session_ended"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - no password
    TWO_FACTOR_ON = "two_factor_on"
    TWO_FACTOR_OFF = "two_factor_off"
    TWO_FACTOR_REQUIRED = "two_factor_required"
    TWO_FACTOR_OPTIONAL = "two_factor_optional"
    MEMBER_INVITED = "member_invited"
    MEMBER_JOINED = "member_joined"
    ROLE_CHANGED = "role_changed"
    MEMBER_REMOVED = "member_removed"
    MEMBER_LEFT = "member_left"
    API_TOKEN_CREATED = "api_token_created"  # noqa: S105 - nor a token
    API_TOKEN_REVOKED = "api_token_revoked"  # noqa: S105 - likewise
    PROGRAM_ALLOWED = "program_allowed"
    PROGRAM_REVOKED = "program_revoked"
    SOURCE_CREATED = "source_created"
    SOURCE_RENAMED = "source_renamed"
    SOURCE_DELETED = "source_deleted"
    FILE_REPLACED = "file_replaced"
    SOURCE_SYNCED = "source_synced_by_hand"
    SELECTION_CHANGED = "selection_changed"
    ACCOUNT_CONNECTED = "account_connected"
    ACCOUNT_RECONNECTED = "account_reconnected"
    ACCOUNT_DISCONNECTED = "account_disconnected"
    SCHEDULE_CHANGED = "schedule_changed"
    SOURCES_REORDERED = "sources_reordered"
    ENTRY_ADDED = "entry_added"
    ENTRY_CHANGED = "entry_changed"
    ENTRY_DELETED = "entry_deleted"
    AGENT_CREATED = "agent_created"
    AGENT_CHANGED = "agent_changed"
    AGENT_DELETED = "agent_deleted"
    SCOPE_CHANGED = "scope_changed"
    CHANNEL_CONNECTED = "channel_connected"
    CHANNEL_DISCONNECTED = "channel_disconnected"
    LEADS_EXPORTED = "leads_exported"
    WORKSPACE_RENAMED = "workspace_renamed"
    WORKSPACE_CHANGED = "workspace_changed"
    COMPANY_CHANGED = "company_changed"
    EXPORT_ASKED = "export_asked"
    EXPORT_DOWNLOADED = "export_downloaded"
    DELETION_ASKED = "deletion_asked"
    DELETION_CANCELLED = "deletion_cancelled"
    STAFF_ACCESS_OPENED = "staff_access_opened"
    STAFF_ACCESS_ENDED = "staff_access_ended"


class ActivityEntry(TenantModel):
    """An action of somebody.

    The database keeps it (a trigger): no UPDATE but to a pseudonym of who is erased just now, and
    DELETE only of what is older than two years, or with the tenant's own row. So it points to
    nothing but the tenant, whose foreign key cascades inside PostgreSQL: people, tokens and targets
    are named as they were then.
    """

    exported = Exported(
        "activity",
        ("created_at", "actor", "action", "target_kind", "target_id", "target_name", "details")
        + ("address", "user_agent"),
    )

    personal = Personal(
        "activity",
        ("tenant__slug", "created_at", "action", "target_kind", "address", "user_agent"),
        of="person_id",
        about=About(
            "activity_about_you",
            ("tenant__slug", "created_at", "action"),
            address="target_name",
            only=(("target_kind", "membership"),),
        ),
        named_in=("actor", "target_name", "details"),
        emptied=("address", "user_agent"),
        stays=True,
    )

    id = models.BigAutoField(primary_key=True)
    tenant = models.ForeignKey(
        Tenant, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    person_id = models.UUIDField(null=True, blank=True, help_text="of the User, also a former one")
    actor = models.CharField(
        max_length=ACTOR_MAX_CHARS, help_text="an e-mail address, a token's name, staff or service"
    )
    action = models.CharField(max_length=40)
    target_kind = models.CharField(max_length=20, blank=True)
    target_id = models.CharField(max_length=40, blank=True)
    target_name = models.CharField(max_length=TARGET_MAX_CHARS, blank=True)
    details = models.JSONField(default=dict, help_text="never a secret")
    address = models.CharField(max_length=50, blank=True)
    user_agent = models.CharField(max_length=USER_AGENT_MAX_CHARS, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-id"]
        verbose_name_plural = "activity entries"
        indexes = [
            models.Index(fields=["tenant", "-id"], name="accounts_activity_recent"),
            models.Index(fields=["tenant", "actor", "-id"], name="accounts_activity_actor"),
            models.Index(fields=["tenant", "action", "-id"], name="accounts_activity_action"),
            models.Index(fields=["created_at"], name="accounts_activity_age"),
            # What is held of a person, in all tenants.
            models.Index(
                fields=["person_id"],
                condition=models.Q(person_id__isnull=False),
                name="accounts_activity_person",
            ),
            models.Index(
                fields=["target_name"],
                condition=models.Q(target_kind="membership"),
                name="accounts_activity_about",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor}: {self.action}"


class ExportState(models.TextChoices):
    WAITING = "waiting"
    WORKING = "working"
    READY = "ready"
    FAILED = "failed"


class ExportFailure(models.TextChoices):
    GAVE_UP = "gave_up"  # each attempt ended with its worker
    TOO_LARGE = "too_large"  # for the time that a task has
    NO_STORAGE = "no_storage"


class WorkspaceExport(TenantModel):
    """Everything of a tenant as one archive, made because an admin asked.

        waiting ── a worker claims it: worker_id, lease_until ──> working
        working ── the archive is stored: file, expires_at ──> ready
        working ── its worker dies, the lease ends ──> working again, by another, from the start
        working ── it cannot be made, or was tried MAX_ATTEMPTS times: reason ──> failed

    A tenant has one that is unfinished, and one that is ready: the next takes its place.
    """

    personal = Personal(
        "exports_asked",
        ("tenant__slug", "created_at"),
        author="asked_by",
        named_in=("asked_by",),
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=10, choices=ExportState, default=ExportState.WAITING)
    asked_by = models.CharField(max_length=ACTOR_MAX_CHARS, help_text="as in ActivityEntry")
    created_at = models.DateTimeField(default=timezone.now)
    done_count = models.PositiveIntegerField(default=0)
    total_count = models.PositiveIntegerField(default=0, help_text="rows and files; 0: not counted")
    reason = models.CharField(max_length=20, blank=True, choices=ExportFailure)
    attempts = models.PositiveSmallIntegerField(default=0)
    worker_id = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    archive = models.CharField(max_length=200, blank=True, editable=False, help_text="storage key")
    size_bytes = models.PositiveBigIntegerField(default=0)
    finished_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant"],
                condition=models.Q(state__in=[ExportState.WAITING, ExportState.WORKING]),
                name="accounts_workspaceexport_one",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=ExportState.values),
                name="accounts_workspaceexport_state",
            ),
        ]
        indexes = [
            models.Index(
                fields=["lease_until"],
                condition=models.Q(state__in=[ExportState.WAITING, ExportState.WORKING]),
                name="accounts_workspaceexport_due",
            ),
            models.Index(fields=["asked_by"], name="accounts_workspaceexport_asker"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.created_at:%Y-%m-%d}"

    @property
    def is_under_way(self) -> bool:
        return self.state in (ExportState.WAITING, ExportState.WORKING)
