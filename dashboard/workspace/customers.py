"""The messages of a workspace's own customers to its agents: customers may ask for a copy, or for
deletion.

Both say first how much is found and of when, and are done when somebody agrees to just that: a
number that is looked for may also be a price.
"""

import io

from django.http import FileResponse, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from redis import RedisError

from accounts.errors import SomethingIsLeft
from accounts.models import AskedBy
from config.errors import ServiceUnavailable
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ContactForm
from query.services.visitors import (
    FoundVisitor,
    erase_visitor,
    find_visitor,
    read_visitor,
    write_archive,
)


class CustomerView(WorkspaceView):
    """A POST, so that the address stands in no log."""

    tab = "workspace_leaving"
    is_erasure = False

    def post(self, request: HttpRequest) -> HttpResponse | FileResponse:
        form = ContactForm(request.POST)
        given = form.cleaned_data if form.is_valid() else {"contact": "", "shown": ""}
        try:
            found = find_visitor(self.tenant, given["contact"])
        except ValueError:
            return self.refuse(
                _(
                    "Enter an e-mail address, or a full phone number with its country"
                    " code: +34600111222."
                )
            )
        if not found.is_nothing and given["shown"] != found.fingerprint:
            return self.show(
                "customer.html",
                found=found,
                is_erasure=self.is_erasure,
                has_changed=bool(given["shown"]),
            )
        return self.finish(found)

    def finish(self, found: FoundVisitor) -> HttpResponse | FileResponse:
        """Answers the request, once nothing was found or somebody confirmed what was found."""
        raise NotImplementedError


class CustomerDataView(CustomerView):
    def finish(self, found: FoundVisitor) -> HttpResponse | FileResponse:
        if found.is_nothing:
            return self.go_to("workspace_leaving", said=_("Nothing was found."))
        file = io.BytesIO()
        write_archive(file, read_visitor(self.tenant, found))
        file.seek(0)
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"customer-{timezone.now():%Y-%m-%d}.zip",
            content_type="application/zip",
        )


class CustomerErasureView(CustomerView):
    is_erasure = True

    def finish(self, found: FoundVisitor) -> HttpResponse:
        """Erases the visitor. Runs without findings too, to close the receipt of a run that was
        killed."""
        try:
            receipt = erase_visitor(self.tenant, found, asked_by=AskedBy.ADMIN)
        except (RedisError, SomethingIsLeft):
            return self.refuse(describe_problem(ServiceUnavailable()))
        if not receipt.erased:
            return self.go_to("workspace_leaving", said=_("Nothing was found."))
        return self.go_to(
            "workspace_leaving", said=_("Everything that was found has been deleted.")
        )
