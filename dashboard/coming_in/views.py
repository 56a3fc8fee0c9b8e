"""Signing in and out."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from accounts.services import sessions
from accounts.services.sessions import Login
from config.errors import ServiceError
from config.security.client_address import client_address
from dashboard import door
from dashboard.base import EVERYBODY, DashboardView, redirect_to
from dashboard.coming_in.base import OutsideView, next_address
from dashboard.coming_in.forms import SignInForm
from dashboard.problems import describe_problem


class LandingView(OutsideView):
    """`/`: what this is, and the way in."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render("landing.html")


class SignInView(OutsideView):
    def get(self, request: HttpRequest) -> HttpResponse:
        if self.caller is not None:
            return redirect_to(request, next_address(request, reverse("dashboard:start")))
        return self.render("coming_in/sign_in.html", form=SignInForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = SignInForm(request.POST)
        if form.is_valid():
            given = form.cleaned_data
            try:
                came_in = sessions.log_in(
                    given["email"],
                    given["password"],
                    tenant_slug=given["tenant_slug"],
                    address=client_address(request),
                )
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                if isinstance(came_in, Login):
                    address = next_address(request, reverse("dashboard:start"))
                    return self.welcome(came_in.session, address)
        return self.render("coming_in/sign_in.html", status=400, form=form)


class SignOutView(DashboardView):
    allowed_roles = EVERYBODY

    def post(self, request: HttpRequest) -> HttpResponse:
        response = redirect_to(request, reverse("dashboard:landing"))
        door.show_out(response, self.caller)
        return response
