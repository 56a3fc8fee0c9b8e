"""The ways in that a mailed code opens: signing up, signing in with it, a forgotten password.

Each is two steps: an address, to which a code goes, and the code. The first answers alike whether
or not the address has an account.
"""

from typing import ClassVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse

from accounts.models import Purpose
from accounts.services.signing_in import codes, passwords
from accounts.services.signing_in.sessions import Login
from accounts.services.signing_in.signup import sign_up
from agents.services import create_first_agent
from config.database.acting import as_tenant
from config.errors import ServiceError
from config.security.client_address import client_address
from dashboard import door
from dashboard.base import redirect_to
from dashboard.coming_in.base import OutsideView, keep_next
from dashboard.coming_in.forms import CodeForm, EmailForm, ResetForm, SignUpForm
from dashboard.passwords import PASSWORD_CHANGED
from query.models import Notification
from query.services.notifications import set_mailed_kinds

# What an owner hears of by mail until they choose otherwise. Leads come to the agent's address.
MAILED_AT_FIRST = (
    Notification.Kind.LEAD,
    Notification.Kind.SOURCE_FAILED,
    Notification.Kind.REAUTH_REQUIRED,
)


class MailedCodeView(OutsideView):
    """The base of both steps of a way in by mail, which both may have to show the second."""

    code_template: ClassVar[str]
    form_class: ClassVar[type[CodeForm]] = CodeForm
    first_step: ClassVar[str]  # names of pages
    second_step: ClassVar[str]
    another_code: ClassVar[str]  # where a further code is asked for

    def ask_code(self, form: CodeForm, *, is_another: bool = False) -> HttpResponse:
        email = form["email"].value()
        return self.render(
            self.code_template,
            status=form.status if form.errors else 200,
            form=form,
            email=email,
            is_another=is_another,
            address=keep_next(self.request, self.second_step),
            another_code=keep_next(self.request, self.another_code),
            first_step=keep_next(self.request, self.first_step),
        )


class AskingView(MailedCodeView):
    """The first step: an address."""

    email_template: ClassVar[str]
    purpose: ClassVar[Purpose]

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render(self.email_template, form=EmailForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = EmailForm(request.POST)
        if form.is_valid():
            try:
                email = form.cleaned_data["email"]
                codes.send_code(email, self.purpose, address=client_address(request))
            except ServiceError as error:
                form.tell(error)
            else:
                known = self.form_class(initial={"email": email})
                return self.ask_code(known, is_another="another" in request.POST)
        return self.render(self.email_template, status=form.status, form=form)


class CheckingView(MailedCodeView):
    """The second step: the code."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Redirects to the first step: the address alone does not tell whose code is asked for."""
        return redirect_to(request, keep_next(request, self.first_step))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = self.form_class(request.POST)
        if form.is_valid():
            try:
                return self.redeem(form)
            except ServiceError as error:
                form.tell(error)
        return self.ask_code(form)

    def redeem(self, form: CodeForm) -> HttpResponse:
        """Raises what the service does."""
        raise NotImplementedError


# --- Signing in with a code -----------------------------------------------------------------------


class SignInByCodeView(AskingView):
    purpose = Purpose.LOGIN
    email_template = "coming_in/sign_in_by_code.html"
    code_template = "coming_in/sign_in_code.html"
    first_step = another_code = "sign_in_by_code"
    second_step = "sign_in_code"


class SignInCodeView(CheckingView):
    code_template = "coming_in/sign_in_code.html"
    first_step = another_code = "sign_in_by_code"
    second_step = "sign_in_code"

    def redeem(self, form: CodeForm) -> HttpResponse:
        given = form.cleaned_data
        came_in = codes.verify_code(
            given["email"], given["code"], Purpose.LOGIN, address=client_address(self.request)
        )
        return self.come_in(came_in, is_chosen=False)


# --- Signing up -----------------------------------------------------------------------------------


class SignUpView(MailedCodeView):
    code_template = "coming_in/sign_up_code.html"
    first_step, second_step, another_code = "sign_up", "sign_up_code", "sign_up_again"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render("coming_in/sign_up.html", form=SignUpForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = SignUpForm.typed(request.POST)
        if form.is_valid():
            given = form.cleaned_data
            try:
                sign_up(
                    **given,
                    language=self.language,
                    address=client_address(request),
                    refuses_admins=False,
                )
            except ServiceError as error:
                form.tell(error)
            else:
                return self.ask_code(CodeForm(initial={"email": given["email"]}))
        return self.render("coming_in/sign_up.html", status=form.status, form=form)


class SignUpAgainView(AskingView):
    """A further code for a workspace that was asked for; here one may also go on days later."""

    purpose = Purpose.SIGNUP
    email_template = "coming_in/sign_up_again.html"
    code_template = "coming_in/sign_up_code.html"
    first_step, second_step, another_code = "sign_up", "sign_up_code", "sign_up_again"


class SignUpCodeView(CheckingView):
    code_template = "coming_in/sign_up_code.html"
    first_step, second_step, another_code = "sign_up", "sign_up_code", "sign_up_again"

    def redeem(self, form: CodeForm) -> HttpResponse:
        given = form.cleaned_data
        came_in = codes.verify_code(
            given["email"], given["code"], Purpose.SIGNUP, address=client_address(self.request)
        )
        # Somebody with a second factor comes in later, and finds "New agent" in the second step.
        if isinstance(came_in, Login):
            greet_owner(came_in)
        return self.come_in(came_in, is_chosen=True)


def greet_owner(login: Login) -> None:
    """Make the first agent of the workspace that has just begun."""
    owner = door.caller_after(login)
    with as_tenant(owner.tenant.pk), owner.as_current_actor():
        create_first_agent(owner.tenant, lead_email=owner.user.email)
        set_mailed_kinds(owner.tenant, login.membership, MAILED_AT_FIRST)


# --- A forgotten password -------------------------------------------------------------------------


class ForgottenView(AskingView):
    purpose = Purpose.RESET
    form_class = ResetForm
    email_template = "coming_in/forgotten.html"
    code_template = "coming_in/reset.html"
    first_step = another_code = "forgotten"
    second_step = "reset"


class ResetView(CheckingView):
    form_class = ResetForm
    code_template = "coming_in/reset.html"
    first_step = another_code = "forgotten"
    second_step = "reset"

    def redeem(self, form: CodeForm) -> HttpResponse:
        given = form.cleaned_data
        passwords.reset_password(
            given["email"],
            given["code"],
            given["new_password"],
            address=client_address(self.request),
        )
        messages.success(self.request, str(PASSWORD_CHANGED))
        return redirect_to(self.request, keep_next(self.request, "sign_in"))
