"""The archive of a person's own data: a worker makes it, the page shows its progress."""

import io
import uuid
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.leaving import person_exports
from config.database.pool import release_connection
from config.errors import ServiceError
from dashboard.base import EVERYBODY, DashboardView, is_partial
from dashboard.problems import describe_problem


def describe_exports(user: User) -> dict[str, Any]:
    """The values of the template account/exports.html."""
    exports = person_exports.list_exports(user)
    return {
        "exports": exports,
        "is_under_way": any(export.is_under_way for export in exports),
        "next_export_at": person_exports.next_export_at(exports),
    }


class OwnDataView(DashboardView):
    """Posting asks for an archive; the rest is the part that shows how far it is."""

    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        if not is_partial(request):
            return self.go_to("account")
        return self.render_part("account/exports.html", **describe_exports(self.caller.user))

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            person_exports.ask_export(self.caller.user)
        except ServiceError as error:
            messages.error(request, describe_problem(error))
            return self.go_to("account")
        return self.go_to(
            "account", said=_("Your archive is being prepared. This page shows its progress.")
        )


class OwnArchiveView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest, export_id: uuid.UUID) -> FileResponse:
        archive = person_exports.open_export(self.caller.user, export_id)
        release_connection()  # a slow reader must not hold one
        return FileResponse(
            io.BytesIO(archive),
            as_attachment=True,
            filename=f"account-{timezone.now():%Y-%m-%d}.zip",
            content_type="application/zip",
        )
