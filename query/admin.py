"""Conversations and leads in our staff's back office: to look at, for a reason. Changes go through
the tenants' own pages; erasing is `bin/manage erase`."""

from datetime import timedelta

from django.contrib import admin
from django.db.models import Sum
from django.utils import timezone
from unfold.admin import ModelAdmin

from accounts.admin.base import (
    TENANT_FILTER,
    TEXT_SHOWN_CHARS,
    LookOnly,
    ReadOnlyAdmin,
    ReasonNeededAdmin,
)
from accounts.admin.start_page import Card, Figure, draw_days, list_address, start_card
from query.models import (
    AnswerMark,
    Conversation,
    Lead,
    LeadNote,
    MailRecipient,
    Message,
    Notification,
    NotificationRead,
    NotificationSetting,
    Outcome,
    OutcomeCount,
    QuestionGroup,
)

DAYS_SHOWN = 14


@admin.register(Conversation)
class ConversationAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "agent", "channel", "session_id", "created_at"]
    list_display_links = ["session_id", "created_at"]
    list_filter = [TENANT_FILTER, "channel", "created_at"]
    list_select_related = ["tenant", "agent"]
    search_fields = ["session_id", "id"]
    ordering = ["-created_at"]
    show_full_result_count = False
    readonly_fields = ["id", "created_at"]


@admin.register(Message)
class MessageAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "conversation", "outcome", "model", "created_at"]
    list_display_links = ["created_at"]
    list_filter = [TENANT_FILTER, "outcome", "created_at"]
    list_select_related = ["tenant", "conversation"]
    search_fields = ["conversation__session_id", "conversation__id"]
    ordering = ["-created_at"]
    show_full_result_count = False
    exclude = ["question", "answer"]
    readonly_fields = ["shown_question", "shown_answer", "created_at"]

    @admin.display(description="question")
    def shown_question(self, message: Message) -> str:
        return message.question[:TEXT_SHOWN_CHARS]

    @admin.display(description="answer")
    def shown_answer(self, message: Message) -> str:
        return message.answer[:TEXT_SHOWN_CHARS]


@admin.register(Lead)
class LeadAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "agent", "channel", "name", "status", "created_at", "notified_at"]
    list_display_links = ["created_at"]
    list_filter = [TENANT_FILTER, "status", "channel", "created_at"]
    list_select_related = ["tenant", "agent"]
    search_fields = ["session_id", "email", "phone", "id"]
    ordering = ["-created_at"]
    readonly_fields = ["id", "created_at"]


@admin.register(Notification)
class NotificationAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "kind", "lead", "created_at", "read_at"]
    list_display_links = ["kind"]
    list_filter = [TENANT_FILTER, "kind", "created_at"]
    list_select_related = ["tenant", "lead"]
    search_fields = ["lead__session_id", "lead__email"]
    ordering = ["-created_at"]
    readonly_fields = ["id", "created_at"]


@admin.register(AnswerMark)
class AnswerMarkAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "agent", "marked_by", "created_at"]
    list_display_links = ["created_at"]
    list_filter = [TENANT_FILTER, "created_at"]
    list_select_related = ["tenant", "agent"]
    search_fields = ["agent__name", "id"]
    ordering = ["-created_at"]
    show_full_result_count = False
    exclude = ["question", "answer", "sources", "note"]
    readonly_fields = ["id", "created_at"]


@admin.register(QuestionGroup)
class QuestionGroupAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "id", "created_at", "dismissed_at"]
    list_display_links = ["id"]
    list_filter = [TENANT_FILTER, "created_at"]
    list_select_related = ["tenant"]
    search_fields = ["id"]
    ordering = ["-created_at"]
    exclude = ["vector"]
    readonly_fields = ["id", "created_at"]


@admin.register(MailRecipient)
class MailRecipientAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    """Addresses that a tenant mails to. A reader who regrets a stop and has no such mail left to
    undo it from: delete the row."""

    list_display = ["tenant", "address", "created_at", "stopped_at", "held_count"]
    list_display_links = ["address"]
    list_filter = [TENANT_FILTER, "created_at", ("stopped_at", admin.EmptyFieldListFilter)]
    list_select_related = ["tenant"]
    search_fields = ["address"]
    ordering = ["-created_at"]
    fields = ["tenant", "address", "created_at", "stopped_at", "held_since", "held_count"]
    show_full_result_count = False


@admin.register(OutcomeCount)
class OutcomeCountAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "agent", "day", "outcome", "count"]
    list_display_links = ["day"]
    list_filter = [TENANT_FILTER, "outcome", "day"]
    list_select_related = ["tenant", "agent"]
    search_fields = ["agent__name"]
    ordering = ["-day"]


@admin.register(LeadNote)
class LeadNoteAdmin(ReasonNeededAdmin):
    list_display = ["tenant", "lead", "by", "created_at"]
    list_display_links = ["created_at"]
    list_filter = [TENANT_FILTER, "created_at"]
    list_select_related = ["tenant", "lead"]
    search_fields = ["by", "lead__id"]
    ordering = ["-created_at"]
    readonly_fields = ["created_at"]


@admin.register(NotificationRead)
class NotificationReadAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "notification", "membership"]
    list_display_links = ["notification"]
    list_filter = [TENANT_FILTER]
    list_select_related = ["tenant", "notification", "membership__tenant", "membership__user"]
    search_fields = ["membership__user__email"]
    ordering = ["-id"]


@admin.register(NotificationSetting)
class NotificationSettingAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "membership", "mailed_kinds", "read_until"]
    list_display_links = ["membership"]
    list_filter = [TENANT_FILTER]
    list_select_related = ["tenant", "membership__tenant", "membership__user"]
    search_fields = ["membership__user__email"]
    ordering = ["-id"]


# --- The start page -------------------------------------------------------------------------------


@start_card("query.view_outcomecount")
def card_of_questions() -> Card:
    """The questions of two weeks by outcome, and a bar a day."""
    today = timezone.localdate()
    days = [today - timedelta(days=number) for number in reversed(range(DAYS_SHOWN))]
    counts = OutcomeCount.all_tenants.filter(day__gte=days[0]).order_by()
    by_outcome = dict(counts.values_list("outcome").annotate(Sum("count")))
    by_day = dict(counts.values_list("day").annotate(Sum("count")))
    outcomes = (outcome for outcome in Outcome if by_outcome.get(outcome))
    return Card(
        f"Questions of {DAYS_SHOWN} days",
        (
            Figure("All", f"{sum(by_outcome.values()):,}", list_address("query.outcomecount")),
            *(Figure(outcome.label, f"{by_outcome[outcome]:,}") for outcome in outcomes),
        ),
        draw_days((f"{day:%d %b}", by_day.get(day, 0)) for day in days),
    )
