"""Sources in our staff's back office: to look at; what stands in them, for a reason. Changes go
through the tenants' own API, but that staff may start a sync.
"""

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.timesince import timesince
from unfold.admin import TabularInline

from accounts.admin.base import (
    TENANT_FILTER,
    TEXT_SHOWN_CHARS,
    ReadOnly,
    ReadOnlyAdmin,
    ReasonNeededAdmin,
    log_action,
)
from accounts.admin.start_page import Card, Figure, list_address, start_card
from config.errors import ServiceError
from sources.models import Chunk, Connection, Document, Entry, Schedule, Source, SyncEvent
from sources.models.sources import Lane, SyncStatus
from sources.services.syncing import start_sync

REASONS_SHOWN = 5


class ScheduleInline(ReadOnly, TabularInline):  # type: ignore[misc]  # the theme's types
    model = Schedule
    fields = ["frequency", "enabled", "next_sync_at"]
    extra = 0


@admin.register(Source)
class SourceAdmin(ReadOnlyAdmin):
    list_display = [
        "tenant",
        "name",
        "source_type",
        "sync_status",
        "chunks_count",
        "last_synced_at",
        "deleted_at",
    ]
    list_display_links = ["name"]
    list_filter = [
        TENANT_FILTER,
        "sync_status",
        "source_type",
        ("deleted_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["tenant"]
    search_fields = ["name", "id", "tenant__slug"]
    ordering = ["tenant", "position", "created_at"]
    exclude = ["original_file"]  # no link: our staff does not read what customers keep
    readonly_fields = [
        "id",
        "created_at",
        "deleted_at",
        "sync_run_id",
        "sync_started_at",
        "sync_lease_until",
        "sync_attempts",
        "sync_progress",
        "reserved_count",
    ]
    inlines = [ScheduleInline]
    actions = ["sync_now"]

    @admin.action(description="Sync now", permissions=["sync"])
    def sync_now(self, request: HttpRequest, sources: QuerySet[Source]) -> None:
        for source in sources.select_related("tenant"):
            try:
                start_sync(source.tenant, source.pk)
            except ServiceError as error:
                self.message_user(request, f"{source}: {error.message}", messages.ERROR)
            else:
                log_action(request, [source], "Synced.")
                self.message_user(request, f"{source}: the sync has started.")

    def has_sync_permission(self, request: HttpRequest) -> bool:
        """True for staff who may change sources: those who may only look cannot start a sync."""
        return request.user.has_perm("sources.change_source")


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """The documents in all versions. Those that a sync has staged, or that wait to be deleted, do
    not answer."""

    list_display = [
        "tenant",
        "title",
        "source",
        "content_type",
        "chunks_count",
        "synced_at",
        "answers",
    ]
    list_display_links = ["title"]
    list_filter = [TENANT_FILTER, "content_type"]
    list_select_related = ["tenant", "source"]
    search_fields = ["title", "source__name"]
    ordering = ["tenant", "title"]

    @admin.display(boolean=True, description="answers")
    def answers(self, document: Document) -> bool:
        source = document.source
        return (
            source.first_generation <= document.generation <= source.generation
            and source.generation < document.removed_in
        )


@admin.register(Chunk)
class ChunkAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "source", "position", "location", "level", "language", "shown_text"]
    list_display_links = ["position"]
    list_filter = [TENANT_FILTER, "level", "language"]
    list_select_related = ["tenant", "source"]
    search_fields = ["source__name"]
    ordering = ["-id"]
    show_full_result_count = False
    exclude = ["text"]
    readonly_fields = ["shown_text"]

    @admin.display(description="text")
    def shown_text(self, chunk: Chunk) -> str:
        return chunk.text[:TEXT_SHOWN_CHARS]


@admin.register(SyncEvent)
class SyncEventAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "source", "action", "created_at"]
    list_display_links = ["action"]
    list_filter = [TENANT_FILTER, "action", "created_at"]
    list_select_related = ["tenant", "source"]
    search_fields = ["source__name", "source__id"]
    ordering = ["-created_at"]


@admin.register(Schedule)
class ScheduleAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "source", "frequency", "enabled", "next_sync_at"]
    list_display_links = ["frequency"]
    list_filter = [TENANT_FILTER, "frequency", "enabled"]
    list_select_related = ["tenant", "source"]
    search_fields = ["source__name", "source__id"]
    ordering = ["next_sync_at"]


@admin.register(Connection)
class ConnectionAdmin(ReadOnlyAdmin):
    """The read-only list of connections, without their encrypted columns."""

    list_display = ["tenant", "provider", "account", "state", "reason", "expires_at", "updated_at"]
    list_display_links = ["account"]
    list_filter = [TENANT_FILTER, "provider", "state"]
    list_select_related = ["tenant"]
    search_fields = ["account", "tenant__slug"]
    ordering = ["tenant", "provider", "account"]
    readonly_fields = ["id", "created_at", "updated_at"]


@admin.register(Entry)
class EntryAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "question", "created_by", "updated_at"]
    list_display_links = ["question"]
    list_filter = [TENANT_FILTER, "created_at"]
    list_select_related = ["tenant"]
    search_fields = ["question", "id"]
    ordering = ["-created_at"]
    readonly_fields = ["id", "created_at", "updated_at"]


# --- The start page -------------------------------------------------------------------------------


@start_card("sources.view_source")
def card_of_syncs() -> Card:
    """How many syncs have failed, and the commonest reasons."""
    sources = Source.all_tenants.filter(deleted_at=None)
    failed = sources.filter(sync_status=SyncStatus.ERROR)
    failed_count = failed.count()
    waiting = sources.filter(sync_status=SyncStatus.REAUTH_REQUIRED).count()
    reasons = failed.values_list("error_code").annotate(count=Count("pk")).order_by("-count")
    address = list_address("sources.source", f"sync_status__exact={SyncStatus.ERROR}")
    return Card(
        "Failed syncs",
        (
            Figure("Sources", f"{sources.count():,}", list_address("sources.source")),
            Figure("Failed", f"{failed_count:,}", address, "bad" if failed_count else ""),
            Figure("Waiting for a new sign-in", f"{waiting:,}", tone="warn" if waiting else ""),
            *(Figure(code or "no code", f"{count:,}") for code, count in reasons[:REASONS_SHOWN]),
        ),
    )


@start_card("sources.view_source")
def card_of_queues() -> Card:
    """How many runs wait in each lane that no worker has, and since when the oldest does."""
    return Card(
        "Queues",
        tuple(figure for lane in Lane for figure in figures_of(lane)),
    )


def figures_of(lane: Lane) -> tuple[Figure, Figure]:
    held = Source.all_tenants.filter(deleted_at=None, sync_run_id__isnull=False, sync_lane=lane)
    waiting = held.filter(sync_worker_id=None)
    oldest = waiting.order_by("sync_due_at").values_list("sync_due_at", flat=True).first()
    age = timesince(oldest, timezone.now(), depth=1) if oldest else "–"
    return (
        Figure(f"{lane.label}: waiting", f"{waiting.count():,}"),
        Figure(f"{lane.label}: oldest", age),
    )
