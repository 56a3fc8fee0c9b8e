"""Taking everything along, and the end of the workspace."""

import uuid
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models.tenants import DELETION_WAIT
from accounts.receipts import list_receipts
from accounts.services import deletion, exports
from config.connections import release_connection
from config.errors import ServiceError
from dashboard.base import is_partial
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ConfirmationForm

EXPORTS_SHOWN = 5
RECEIPTS_SHOWN = 50


class LeavingView(WorkspaceView):
    tab = "workspace_leaving"

    def get(self, request: HttpRequest) -> HttpResponse:
        form = ConfirmationForm()
        return self.show(
            "leaving.html",
            form=form,
            wait=DELETION_WAIT,
            receipts=list_receipts(self.tenant)[:RECEIPTS_SHOWN],
            **self.list_exports(),
        )

    def list_exports(self) -> dict[str, Any]:
        made = list(exports.list_exports(self.tenant)[:EXPORTS_SHOWN])
        return {
            "exports": made,
            "is_under_way": any(export.is_under_way for export in made),
        }


class ExportsView(LeavingView):
    """The part that shows how far the export is; posting asks for another."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if not is_partial(request):
            return self.go_to("workspace_leaving")
        return self.render_part("workspace/exports.html", **self.list_exports())

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            exports.ask_export(self.tenant)
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to(
            "workspace_leaving", said=_("The export is being made. This page shows how far it is.")
        )


class ArchiveView(WorkspaceView):
    def get(self, request: HttpRequest, export_id: uuid.UUID) -> FileResponse:
        file = exports.open_export(self.tenant, export_id)
        release_connection()  # a slow reader must not hold one
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"{self.tenant.slug}-{timezone.now():%Y-%m-%d}.zip",
            content_type="application/zip",
        )


class DeletionView(WorkspaceView):
    tab = "workspace_leaving"

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ConfirmationForm(request.POST)
        typed = form.cleaned_data["confirmation"] if form.is_valid() else ""
        try:
            deletion.ask_deletion(self.tenant, slug=typed, by=self.caller.membership)
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to("workspace_leaving", said=_("All admins are told by e-mail."))


class CancellationView(WorkspaceView):
    tab = "workspace_leaving"

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            deletion.cancel_deletion(self.tenant)
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to("workspace_leaving", said=_("The workspace stays."))
