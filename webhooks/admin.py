"""Chats in our staff's back office: to look at, and without a word of what was said."""

from django.contrib import admin

from accounts.admin.base import TENANT_FILTER, ReadOnlyAdmin, ReasonNeededAdmin
from webhooks.models import Chat, InboundMessage, Reply


@admin.register(Chat)
class ChatAdmin(ReasonNeededAdmin):
    """A page of chats, opened with a reason, because a chat's id may be a phone number."""

    list_display = ["tenant", "connection", "last_inbound_at", "due_at", "leased_until", "failures"]
    list_display_links = ["last_inbound_at"]
    list_filter = [TENANT_FILTER, "connection__channel_type", "last_inbound_at"]
    list_select_related = ["tenant", "connection"]
    search_fields = ["id", "external_id"]
    ordering = ["-last_inbound_at"]
    show_full_result_count = False


@admin.register(InboundMessage)
class InboundMessageAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "chat", "kind", "received_at", "handled_at", "error_message"]
    list_display_links = ["received_at"]
    list_filter = [TENANT_FILTER, "kind", ("handled_at", admin.EmptyFieldListFilter)]
    list_select_related = ["tenant", "chat"]
    search_fields = ["chat__id"]
    ordering = ["-received_at"]
    show_full_result_count = False
    exclude = ["encrypted_text", "provider_message_id"]  # the latter may hold a phone number


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "chat", "created_at", "next_attempt_at", "sent_at", "failed_at"]
    list_display_links = ["created_at"]
    list_filter = [
        TENANT_FILTER,
        ("sent_at", admin.EmptyFieldListFilter),
        ("failed_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["tenant", "chat"]
    search_fields = ["chat__id"]
    ordering = ["-created_at"]
    show_full_result_count = False
    exclude = ["encrypted_parts"]
    readonly_fields = ["created_at"]
