"""The notifications of a workspace; each member has their own read marks and mail settings."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from config.errors import ServiceError
from dashboard.base import READERS, DashboardView, redirect_to
from dashboard.notifications.forms import MailsForm
from dashboard.paging import keyset_page
from dashboard.problems import describe_problem
from query.models import Notification
from query.services.notifications import (
    COUNTED_MAX,
    count_unread,
    get_mailed_kinds,
    get_notification,
    list_notifications,
    mark_all_read,
    mark_read,
    set_mailed_kinds,
    unread_ids,
)

STOPPED = Notification.Kind.MAILS_STOPPED


class NotificationsView(DashboardView):
    allowed_roles = READERS

    def get(self, request: HttpRequest) -> HttpResponse:
        page = keyset_page(request, list_notifications(self.tenant), owner=self.tenant)
        unread = unread_ids(self.tenant, self.caller.membership, page.rows)
        return self.render(
            "notifications/notifications.html",
            page=page,
            lines=[(one, one.pk in unread) for one in page.rows],
            has_unread=bool(unread),
        )


class BellView(DashboardView):
    """The content of the bell. Pages load it afterwards, so that none of them waits for it."""

    allowed_roles = READERS

    def get(self, request: HttpRequest) -> HttpResponse:
        count = count_unread(self.tenant, self.caller.membership)
        return self.render_part(
            "notifications/bell.html", count=count, is_many=count >= COUNTED_MAX
        )


class ReadAllView(DashboardView):
    allowed_roles = READERS

    def post(self, request: HttpRequest) -> HttpResponse:
        mark_all_read(self.tenant, self.caller.membership)
        return self.go_to("notifications", said=_("All notifications are marked as read."))


class ReadView(DashboardView):
    allowed_roles = READERS

    def post(self, request: HttpRequest, notification_id: uuid.UUID) -> HttpResponse:
        notification = get_notification(self.tenant, notification_id)
        mark_read(self.tenant, self.caller.membership, notification)
        return self.go_to("notifications")


class OpenView(DashboardView):
    """Marks a notification as read and redirects to its subject."""

    allowed_roles = READERS

    def post(self, request: HttpRequest, notification_id: uuid.UUID) -> HttpResponse:
        notification = get_notification(self.tenant, notification_id)
        mark_read(self.tenant, self.caller.membership, notification)
        return redirect_to(request, address_of(notification))


def address_of(notification: Notification) -> str:
    if notification.lead_id:
        return reverse("dashboard:lead", args=[notification.lead_id])
    if notification.source_id:
        return reverse("dashboard:source", args=[notification.source_id])
    if notification.agent_id:
        return reverse("dashboard:agent_channels", args=[notification.agent_id])
    return reverse("dashboard:agents" if notification.kind == STOPPED else "dashboard:leads")


class MailsView(DashboardView):
    allowed_roles = READERS

    def get(self, request: HttpRequest) -> HttpResponse:
        kinds = get_mailed_kinds(self.tenant, self.caller.membership)
        return self.render("notifications/mails.html", form=MailsForm(initial={"kinds": kinds}))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = MailsForm(request.POST)
        if form.is_valid():
            try:
                set_mailed_kinds(self.tenant, self.caller.membership, form.cleaned_data["kinds"])
            except ServiceError as error:
                form.add_error("kinds", describe_problem(error))
            else:
                return self.go_to("notification_mails", said=_("Saved."))
        return self.render("notifications/mails.html", status=400, form=form)
