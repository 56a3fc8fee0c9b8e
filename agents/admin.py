"""Agents in our staff's back office: to look at. Changes go through the tenants' own API."""

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from accounts.admin.base import TENANT_FILTER, ReadOnlyAdmin
from agents.models import Agent, AgentSource


@admin.register(Agent)
class AgentAdmin(ReadOnlyAdmin):
    list_display = [
        "tenant",
        "name",
        "status",
        "scope",
        "active_channels",
        "lead_capture_enabled",
        "store_transcripts",
        "created_at",
    ]
    list_display_links = ["name"]
    list_filter = [
        TENANT_FILTER,
        "status",
        "is_scoped",
        "lead_capture_enabled",
        "store_transcripts",
    ]
    list_select_related = ["tenant"]
    search_fields = ["name", "id", "tenant__slug"]
    ordering = ["tenant", "created_at"]
    exclude = ["persona", "welcome_msg"]  # what customers have it say is theirs
    readonly_fields = ["id", "scope", "created_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        agents: QuerySet[Agent] = super().get_queryset(request)
        links = AgentSource.all_tenants.filter(agent=OuterRef("pk")).order_by()
        count = links.values("agent").annotate(count=Count("pk")).values("count")
        return agents.annotate(sources_count=Coalesce(Subquery(count, IntegerField()), 0))

    @admin.display(description="sources")
    def scope(self, agent: Agent) -> str:
        if not agent.is_scoped:
            return "all"
        return str(agent.sources_count)  # type: ignore[attr-defined]  # get_queryset adds it


@admin.register(AgentSource)
class AgentSourceAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "agent", "source"]
    list_display_links = ["agent"]
    list_filter = [TENANT_FILTER]
    list_select_related = ["tenant", "agent", "source"]
    search_fields = ["agent__name", "source__name", "tenant__slug"]
    ordering = ["tenant", "agent"]
