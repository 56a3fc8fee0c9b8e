"""A person's own account, the same for every role: it is theirs in every workspace."""

import uuid
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.errors import TwoFactorIsOff
from accounts.models import Session
from accounts.services import members, preferences
from accounts.services.signing_in import passwords, sessions, two_factor
from config.database.acting import over_all_tenants
from config.errors import ServiceError
from config.security.client_address import client_address
from config.security.devices import Device, read_device
from dashboard import door
from dashboard.account.data import describe_exports
from dashboard.account.forms import (
    ConfirmForm,
    LanguageForm,
    LeaveForm,
    PasswordForm,
    TurnOffForm,
)
from dashboard.account.qr import draw_qr
from dashboard.base import EVERYBODY, DashboardView, redirect_to
from dashboard.passwords import PASSWORD_CHANGED

SESSIONS_SHOWN = 100  # of programs that log in over and over; ending all others ends all


@dataclass(frozen=True)
class SessionRow:
    session: Session
    device: Device
    is_this: bool


class OwnView(DashboardView):
    allowed_roles = EVERYBODY

    def show_account(self, leave_form: LeaveForm, status: int = 200) -> HttpResponse:
        user = self.caller.user
        with over_all_tenants():
            rows = [
                SessionRow(one, read_device(one.user_agent), one == self.caller.session)
                for one in sessions.list_sessions(user)[:SESSIONS_SHOWN]
            ]
        return self.render(
            "account/account.html",
            status=status,
            language_form=LanguageForm(initial={"language": user.language}),
            leave_form=leave_form,
            has_two_factor=user.has_second_factor(),
            rows=sorted(rows, key=lambda row: not row.is_this),
            **describe_exports(user),
        )


class AccountView(OwnView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show_account(LeaveForm())


class LanguageView(DashboardView):
    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def post(self, request: HttpRequest) -> HttpResponse:
        preferences.choose_language(self.caller.user, request.POST.get("language", ""))
        return self.go_to("account")


class PasswordView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(PasswordForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = PasswordForm(request.POST)
        if not form.is_valid():
            return self.ask(form)
        given = form.cleaned_data
        try:
            passwords.change_password(
                self.caller.user,
                given["current_password"],
                given["new_password"],
                address=client_address(request),
            )
        except ServiceError as error:
            form.tell(error)
            return self.ask(form)
        messages.success(request, str(PASSWORD_CHANGED))
        return redirect_to(request, reverse("dashboard:sign_in"))

    def ask(self, form: PasswordForm) -> HttpResponse:
        status = 400 if form.errors else 200
        return self.render("account/password.html", status=status, form=form)


# --- The second factor ----------------------------------------------------------------------------


class TwoFactorView(DashboardView):
    """Shows whether the second factor is on; a POST begins to set it up."""

    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        user = self.caller.user
        return self.render(
            "account/two_factor.html",
            is_on=user.has_second_factor(),
            codes_left=two_factor.count_recovery_codes(user),
            is_required=self.caller.lacks_second_factor,
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        """A new secret, to be shown on the next page."""
        two_factor.set_up(self.caller.user)
        return self.go_to("two_factor_set_up")


class SetUpView(DashboardView):
    """The secret, until a code of the app confirms it."""

    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(ConfirmForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ConfirmForm(request.POST)
        if not form.is_valid():
            return self.ask(form)
        try:
            codes = two_factor.confirm(
                self.caller.user,
                form.cleaned_data["code"],
                tenant=self.tenant,
                address=client_address(request),
            )
        except ServiceError as error:
            form.tell(error)
            return self.ask(form)
        return self.render("account/recovery_codes.html", codes=codes)

    def ask(self, form: ConfirmForm) -> HttpResponse:
        setup = two_factor.find_setup(self.caller.user)
        if setup is None:
            return self.go_to("two_factor")
        return self.render(
            "account/set_up.html",
            status=form.status if form.errors else 200,
            form=form,
            secret=setup.secret,
            qr=draw_qr(setup.otpauth_uri),
        )


class TurnOffView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.caller.user.has_second_factor():
            return self.go_to("two_factor")
        return self.ask(TurnOffForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = TurnOffForm(request.POST)
        if not form.is_valid():
            return self.ask(form)
        try:
            two_factor.disable(self.caller, **form.cleaned_data, address=client_address(request))
        except TwoFactorIsOff:
            return self.go_to("two_factor")
        except ServiceError as error:
            form.tell(error)
            return self.ask(form)
        return self.go_to("two_factor", said=_("Two-factor authentication is now off."))

    def ask(self, form: TurnOffForm) -> HttpResponse:
        status = 400 if form.errors else 200
        return self.render("account/turn_off.html", status=status, form=form)


# --- Sessions, and leaving ------------------------------------------------------------------------


class EndSessionView(DashboardView):
    allowed_roles = EVERYBODY

    def post(self, request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
        sessions.end_session(self.caller.user, session_id)
        return self.go_to("account", said=_(sessions.SESSION_ENDED))


class EndOthersView(DashboardView):
    allowed_roles = EVERYBODY

    def post(self, request: HttpRequest) -> HttpResponse:
        if self.caller.session is not None:
            sessions.end_other_sessions(self.caller.user, self.caller.session)
        return self.go_to("account", said=_("You have been signed out everywhere else."))


class LeaveView(OwnView):
    may_lack_second_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.go_to("account")

    def post(self, request: HttpRequest) -> HttpResponse:
        form = LeaveForm(request.POST)
        if form.is_valid():
            try:
                return self.leave(form)
            except ServiceError as error:
                form.tell(error)
        return self.show_account(form, status=form.status)

    def leave(self, form: LeaveForm) -> HttpResponse:
        """Raises what the service does."""
        if form.cleaned_data["name"] != self.tenant.name:
            form.add_error("name", _("That is not the name of the workspace."))
            return self.show_account(form, status=form.status)
        members.leave_tenant(self.tenant, self.caller.user)
        messages.success(self.request, _("You have left the workspace."))
        response = redirect_to(self.request, reverse("dashboard:sign_in"))
        door.show_out(response, None)
        return response
