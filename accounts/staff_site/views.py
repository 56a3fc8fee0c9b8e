"""The pages at the doors of the back office, beside logging in."""

import uuid
from typing import Any

import segno
from django.contrib import messages
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views import View

from accounts.models import StaffSession, User
from accounts.services.signing_in import two_factor
from accounts.services.signing_in.sessions import SESSION_ENDED, find_membership
from accounts.services.staff_access import end_staff_access, list_running, open_staff_access
from accounts.services.staff_sessions import (
    end_staff_session,
    list_staff_sessions,
    prove_staff_session,
)
from accounts.staff_site.doors import find_staff, is_proved, let_staff_in
from accounts.staff_site.forms import (
    NewFactorForm,
    OwnPasswordForm,
    StaffAccessForm,
    StaffProofForm,
)
from config.errors import ServiceError
from config.security.client_address import client_address
from config.security.devices import read_device
from config.security.own_pages import is_page_below

BAD_REQUEST = 400


class OwnPasswordView(PasswordChangeView):
    form_class = OwnPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": client_address(self.request)}

    def form_valid(self, form: Any) -> HttpResponse:
        """Begins another session: the change has ended all the person's sessions, this one too."""
        response = super().form_valid(form)
        let_staff_in(self.request)
        return response


class StaffView(View):
    """A page for somebody whose staff session is open. `shared`: values that all pages of the site
    need."""

    shared: dict[str, Any] = {}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        session = find_staff(request)
        if session is None:
            return HttpResponseRedirect(reverse("admin:login"))
        self.session: StaffSession = session
        self.user: User = session.user
        return super().dispatch(request, *args, **kwargs)

    def show(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        return TemplateResponse(
            self.request, f"admin/{template}", self.shared | context, status=status
        )

    def next_page(self, otherwise: str) -> str:
        """Returns the page that they wanted, if it is in the back office."""
        wanted = self.request.GET.get("next", "")
        return wanted if is_page_below(wanted, reverse("admin:index")) else reverse(otherwise)


class SetUpFactorView(StaffView):
    """The page where staff set up a second factor, and the only one that they see before."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(NewFactorForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = NewFactorForm(request.POST)
        if form.is_valid():
            membership = find_membership(self.user, "")
            try:
                codes = two_factor.confirm(
                    self.user,
                    form.cleaned_data["code"],
                    tenant=membership.tenant if membership else None,
                    address=client_address(request),
                )
            except ServiceError as error:
                form.add_error("code", error.message)
            else:
                return self.show("staff_recovery_codes.html", title="Recovery codes", codes=codes)
        return self.ask(form)

    def ask(self, form: Form) -> HttpResponse:
        if self.user.has_second_factor():
            return HttpResponseRedirect(reverse("admin:index"))
        if not is_proved(self.session, is_filled_in=True):  # a browser that was left open
            query = urlencode({"next": self.request.get_full_path()})
            return HttpResponseRedirect(f"{reverse('admin:staff_proof')}?{query}")
        setup = two_factor.find_setup(self.user) or two_factor.set_up(self.user)
        return self.show(
            "staff_two_factor.html",
            status=BAD_REQUEST if form.errors else 200,
            title="Set up two-factor authentication",
            form=form,
            secret=setup.secret,
            qr=segno.make_qr(setup.otpauth_uri).svg_data_uri(scale=5),
        )


class StaffProofView(StaffView):
    """A page that asks for both factors again, before a change that cannot be undone."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(StaffProofForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = StaffProofForm(request.POST)
        if form.is_valid():
            try:
                prove_staff_session(
                    self.session, **form.cleaned_data, address=client_address(request)
                )
            except ServiceError as error:
                form.add_error(None, error.message)
            else:
                return HttpResponseRedirect(self.next_page("admin:index"))
        return self.ask(form)

    def ask(self, form: Form) -> HttpResponse:
        status = BAD_REQUEST if form.errors else 200
        return self.show("staff_proof.html", status=status, title="Is it still you?", form=form)


class StaffSessionsView(StaffView):
    def get(self, request: HttpRequest) -> HttpResponse:
        rows = [
            (one, read_device(one.user_agent), one == self.session)
            for one in list_staff_sessions(self.user)
        ]
        return self.show("staff_sessions.html", title="Your sessions", rows=rows)


class EndStaffSessionView(StaffView):
    def post(self, request: HttpRequest, session_id: uuid.UUID) -> HttpResponse:
        try:
            end_staff_session(self.user, session_id)
        except ServiceError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, SESSION_ENDED)
        return HttpResponseRedirect(reverse("admin:staff_sessions"))


class StaffAccessView(StaffView):
    """Opens what a tenant's customers wrote, to the person who asks alone."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not request.user.has_perm("accounts.add_staffaccess"):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(StaffAccessForm(initial={"tenant": request.GET.get("tenant", "")}))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = StaffAccessForm(request.POST)
        if not form.is_valid():
            return self.ask(form)
        tenant = form.cleaned_data["tenant"]
        access = open_staff_access(tenant, self.user, reason=form.cleaned_data["reason"])
        LogEntry.objects.log_actions(
            self.user.pk, [access], ADDITION, change_message=f"Opened {tenant.slug}."
        )
        messages.success(request, f"You have access to {tenant.name} for an hour.")
        return HttpResponseRedirect(self.next_page("admin:staff_access"))

    def ask(self, form: Form) -> HttpResponse:
        return self.show(
            "staff_access.html",
            status=BAD_REQUEST if form.errors else 200,
            title="Customers\u2019 words",
            form=form,
            accesses=list_running(self.user),
        )


class EndStaffAccessView(StaffView):
    def post(self, request: HttpRequest, access_id: uuid.UUID) -> HttpResponse:
        end_staff_access(self.user, access_id)
        messages.success(request, "Your access has been closed.")
        return HttpResponseRedirect(reverse("admin:staff_access"))
