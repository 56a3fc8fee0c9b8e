"""The end of a person's account."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.services.leaving.erasure import erase_own_account, list_kept_alive_by
from config.errors import ServiceError
from config.security.client_address import client_address
from dashboard import door
from dashboard.account.forms import EraseForm
from dashboard.base import EVERYBODY, DashboardView, redirect_to


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
