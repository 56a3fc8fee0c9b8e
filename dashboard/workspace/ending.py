"""Taking everything along, and the end of the workspace."""

import uuid
from typing import Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.errors import ExportNotFound
from accounts.models.tenants import DELETION_WAIT
from accounts.services.leaving import deletion, exports
from accounts.services.leaving.erasure import list_receipts
from config.database.pool import release_connection
from config.errors import ServiceError
from config.security.client_address import client_address
from dashboard.base import is_partial
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ConfirmationForm, ProofForm

EXPORTS_SHOWN = 5
RECEIPTS_SHOWN = 50


class LeavingView(WorkspaceView):
    tab = "workspace_leaving"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(
            "leaving.html",
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
            exports.ask_export(
                self.tenant,
                by=self.caller.user,
                password=ProofForm(request.POST).typed(),
                address=client_address(request),
            )
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to(
            "workspace_leaving",
            said=_("The export is being prepared. This page shows its progress."),
        )


class ArchiveView(WorkspaceView):
    """A page that asks for the password, and gives the file for it."""

    tab = "workspace_leaving"
    has_form_at_own_address = True

    def get(self, request: HttpRequest, export_id: uuid.UUID) -> HttpResponse:
        return self.ask(export_id, ProofForm())

    def ask(self, export_id: uuid.UUID, form: ProofForm) -> HttpResponse:
        export = exports.get_ready_export(self.tenant, export_id)
        status = form.status if form.errors else 200
        return self.show("archive.html", status, export=export, form=form)

    def post(self, request: HttpRequest, export_id: uuid.UUID) -> HttpResponse | FileResponse:
        form = ProofForm(request.POST)
        if not form.is_valid():
            return self.ask(export_id, form)
        try:
            file = exports.fetch_export(
                self.tenant,
                export_id,
                by=self.caller.user,
                password=form.typed(),
                address=client_address(request),
            )
        except ExportNotFound:
            raise
        except ServiceError as error:
            form.tell(error)
            return self.ask(export_id, form)
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
            deletion.ask_deletion(
                self.tenant,
                slug=typed,
                by=self.caller.membership,
                password=ProofForm(request.POST).typed(),
                address=client_address(request),
            )
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to("workspace_leaving", said=_("All admins are notified by e-mail."))


class CancellationView(WorkspaceView):
    tab = "workspace_leaving"

    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            deletion.cancel_deletion(self.tenant)
        except ServiceError as error:
            return self.refuse(describe_problem(error))
        return self.go_to("workspace_leaving", said=_("The deletion has been cancelled."))
