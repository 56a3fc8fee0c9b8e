"""What a workspace's own customers have written to its agents: they ask for it, or want it gone."""

import io
import zipfile

from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from redis import RedisError

from accounts.exporting import as_json
from accounts.models import AskedBy
from accounts.receipts import SomethingIsLeft
from config.errors import ServiceUnavailable
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ContactForm
from query.conversations.visitors import erase_visitor, read_visitor


class CustomerView(WorkspaceView):
    tab = "workspace_leaving"

    def contact(self) -> str:
        form = ContactForm(self.request.POST)
        return str(form.cleaned_data["contact"]) if form.is_valid() else ""

    def refuse_contact(self) -> HttpResponse:
        return self.refuse(
            _("Enter an e-mail address, or a phone number with its country: +34600111222.")
        )


class CustomerDataView(CustomerView):
    """A POST, so that the address stands in no log."""

    def post(self, request: HttpRequest) -> HttpResponse | FileResponse:
        try:
            found = read_visitor(self.tenant, self.contact())
        except ValueError:
            return self.refuse_contact()
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, lines in found.items():
                archive.writestr(f"{name}.jsonl", "".join(f"{as_json(line)}\n" for line in lines))
        file.seek(0)
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"customer-{timezone.now():%Y-%m-%d}.zip",
            content_type="application/zip",
        )


class CustomerErasureView(CustomerView):
    def post(self, request: HttpRequest) -> HttpResponse:
        try:
            receipt = erase_visitor(self.tenant, self.contact(), asked_by=AskedBy.ADMIN)
        except ValueError:
            return self.refuse_contact()
        except (RedisError, SomethingIsLeft):
            return self.refuse(describe_problem(ServiceUnavailable()))
        if not receipt.erased:
            return self.go_to("workspace_leaving", said=_("Nothing was found."))
        return self.go_to("workspace_leaving", said=_("Everything that was found is deleted."))
