"""Mails that are on their way: whether they went out, not what they say."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.admin.base import TENANT_FILTER, LookOnly, log_action
from accounts.models import OutgoingMail
from accounts.services.staff import send_mails_now


@admin.register(OutgoingMail)
class OutgoingMailAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    list_display = [
        "tenant",
        "recipient",
        "template",
        "status",
        "attempts",
        "created_at",
        "next_attempt_at",
    ]
    list_filter = [
        TENANT_FILTER,
        "template",
        ("sent_at", admin.EmptyFieldListFilter),
        ("failed_at", admin.EmptyFieldListFilter),
    ]
    list_filter_submit = True
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug", "recipient"]
    fields = [
        *list_display,  # type: ignore[list-item]  # all are names
        "language",
        "sent_at",
        "failed_at",
        "error_message",
    ]
    actions = ["send_now"]
    show_full_result_count = False

    def has_delete_permission(self, request: HttpRequest, obj: OutgoingMail | None = None) -> bool:
        return False

    def has_send_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_outgoingmail")

    @admin.display
    def status(self, mail: OutgoingMail) -> str:
        if mail.sent_at:
            return "sent"
        return "failed" if mail.failed_at else "waiting"

    @admin.action(description="Send selected mails now", permissions=["send"])
    def send_now(self, request: HttpRequest, mails: QuerySet[OutgoingMail]) -> None:
        """Sends the mails again soon, except those that were sent or given up and have no content
        left."""
        log_action(request, mails, "Sent now.")
        self.message_user(request, f"{send_mails_now(mails)} mails are sent within half a minute.")
