"""What is held of a person, for themself; and the end of their account."""

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.erasing import write_person_archive
from accounts.services.erasure import erase_own_account, list_kept_alive_by
from config.connections import release_connection
from config.errors import ServiceError
from config.security.client_address import client_address
from dashboard import door
from dashboard.account.forms import EraseForm
from dashboard.base import EVERYBODY, DashboardView, redirect_to


class OwnDataView(DashboardView):
    """A POST, so that no link of another site makes one."""

    allowed_roles = EVERYBODY

    def post(self, request: HttpRequest) -> FileResponse:
        file = write_person_archive(self.caller.user)
        release_connection()  # a slow reader must not hold one
        return FileResponse(
            file,
            as_attachment=True,
            filename=f"account-{timezone.now():%Y-%m-%d}.zip",
            content_type="application/zip",
        )


class EraseView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(EraseForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = EraseForm(request.POST)
        if not form.is_valid():
            return self.ask(form)
        try:
            erase_own_account(
                self.caller.user, form.cleaned_data["password"], address=client_address(request)
            )
        except ServiceError as error:
            form.tell(error)
            return self.ask(form)
        messages.success(request, _("Your account is being deleted. You are signed out."))
        response = redirect_to(request, reverse("dashboard:sign_in"))
        door.show_out(response, None)
        return response

    def ask(self, form: EraseForm) -> HttpResponse:
        return self.render(
            "account/erase.html",
            status=form.status if form.errors else 200,
            form=form,
            kept_alive=list_kept_alive_by(self.caller.user),
        )
