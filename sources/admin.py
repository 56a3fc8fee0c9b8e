"""Sources in our staff's back office: to look at. Changes go through the tenants' own API."""

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from sources.models import Chunk, Document, Source, SyncEvent

TEXT_SHOWN_CHARS = 500
TENANT_FILTER = ("tenant", admin.RelatedOnlyFieldListFilter)


class ReadOnlyAdmin(ModelAdmin):
    """Rows that the service alone writes."""

    list_filter_submit = True

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Source)
class SourceAdmin(ReadOnlyAdmin):
    list_display = [
        "tenant",
        "name",
        "source_type",
        "sync_status",
        "chunks_count",
        "last_synced_at",
    ]
    list_display_links = ["name"]
    list_filter = [TENANT_FILTER, "sync_status", "source_type"]
    list_select_related = ["tenant"]
    search_fields = ["name", "id", "tenant__slug"]
    ordering = ["tenant", "position", "created_at"]
    exclude = ["original_file"]  # a link to it would lead nowhere: originals are not served


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "title", "source", "content_type", "chunks_count", "synced_at"]
    list_display_links = ["title"]
    list_filter = [TENANT_FILTER, "content_type"]
    list_select_related = ["tenant", "source"]
    search_fields = ["title", "source__name"]
    ordering = ["tenant", "title"]


@admin.register(Chunk)
class ChunkAdmin(ReadOnlyAdmin):
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
