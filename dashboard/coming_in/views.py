"""Signing in and out, the second factor, the choice among workspaces, and an invitation's link."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.errors import ActivationBroke, ChallengeOver, NoWorkspaceAccess
from accounts.services import invitations
from accounts.services.signing_in import sessions, two_factor
from accounts.services.tenants import list_plans
from config.database.acting import over_all_tenants
from config.errors import NotFound, ServiceError
from config.security.client_address import client_address
from dashboard import door
from dashboard.base import EVERYBODY, DashboardView, redirect_to
from dashboard.coming_in.base import OutsideView, keep_next, next_address
from dashboard.coming_in.forms import ActivationForm, SecondFactorForm, SignInForm
from dashboard.coming_in.legal import find_legal_text
from dashboard.problems import describe_problem

MENU_ROWS = 6  # of workspaces; more of them are a page


class LandingView(OutsideView):
    """`/`: what this is, and the way in."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render(
            "landing.html",
            plans=list(list_plans()),
            address=settings.BASE_URL,
            has_demo=settings.IS_DEVELOPMENT,
        )


class LegalView(OutsideView):
    """`/privacy`, `/terms` and `/imprint`. Raises NotFound where the operator has no such text."""

    def get(self, request: HttpRequest, name: str) -> HttpResponse:
        text = find_legal_text(name, self.language)
        if text is None:
            raise NotFound
        return self.render("coming_in/legal.html", text=text, html=text.render())


class DisclosureView(OutsideView):
    """`/security`: what to do with a hole that somebody has found."""

    def get(self, request: HttpRequest) -> HttpResponse:
        contact = settings.SECURITY_CONTACT
        return self.render("disclosure.html", contact=contact, name=contact.removeprefix("mailto:"))


class SignInView(OutsideView):
    """`?workspace=` names one of several."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.caller is not None:
            return redirect_to(request, next_address(request, reverse("dashboard:start")))
        form = SignInForm(initial={"tenant_slug": request.GET.get("workspace", "")})
        return self.ask(form)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = SignInForm(request.POST)
        if not form.is_valid():
            return self.ask(form, status=form.status)
        given = form.cleaned_data
        try:
            came_in = sessions.log_in(
                given["email"],
                given["password"],
                tenant_slug=given["tenant_slug"],
                address=client_address(request),
            )
        except ServiceError as error:
            form.tell(error)
            return self.ask(form, status=form.status)
        return self.come_in(came_in, is_chosen=bool(given["tenant_slug"]))

    def ask(self, form: SignInForm, status: int = 200) -> HttpResponse:
        ways = ("sign_in_by_code", "forgotten", "sign_up")
        addresses = {name: keep_next(self.request, name) for name in ways}
        return self.render("coming_in/sign_in.html", status=status, form=form, **addresses)


class SecondFactorView(OutsideView):
    def get(self, request: HttpRequest) -> HttpResponse:
        """A reload after the challenge is gone: from the beginning."""
        return redirect_to(request, keep_next(request, "sign_in"))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = SecondFactorForm(request.POST)
        if not form.is_valid():
            return self.ask_second_factor(form, status=form.status)
        given = form.cleaned_data
        try:
            login = two_factor.verify_challenge(
                given["challenge"], given["code"], address=client_address(request)
            )
        except ChallengeOver as error:
            messages.error(request, describe_problem(error))
            return redirect_to(request, keep_next(request, "sign_in"))
        except ServiceError as error:
            form.tell(error)
            return self.ask_second_factor(form, status=form.status)
        return self.come_in(login, is_chosen=given["is_chosen"])


class WorkspacesView(DashboardView):
    """Choosing among several; also later, from the account menu."""

    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        with over_all_tenants():
            memberships = list(sessions.list_memberships(self.caller.user))
        return self.render("coming_in/workspaces.html", memberships=memberships)

    def post(self, request: HttpRequest) -> HttpResponse:
        slug = request.POST.get("slug", "").lower()
        if not slug or "\0" in slug:  # the database takes no NUL
            raise NotFound
        response = redirect_to(request, next_address(request, reverse("dashboard:start")))
        if self.caller.session is None or slug == self.tenant.slug:
            return response
        try:
            login = sessions.move_session(self.caller.session, slug)
        except NoWorkspaceAccess as error:
            raise NotFound from error
        door.let_in(response, login.session)
        return response


class WorkspaceMenuView(DashboardView):
    """The others that the person may go on in, for the account menu."""

    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def get(self, request: HttpRequest) -> HttpResponse:
        others = sessions.list_memberships(self.caller.user).exclude(tenant=self.tenant)
        with over_all_tenants():
            found = list(others[: MENU_ROWS + 1])
        return self.render_part(
            "coming_in/workspace_menu.html",
            memberships=found[:MENU_ROWS],
            has_more=len(found) > MENU_ROWS,
        )


class ActivateView(OutsideView):
    """The target of an invitation's link. Only a POST looks at the token, so that a mail scanner
    that opens links does not use it up.

    Links have the token behind the #, which the page's script puts into the form. Those that were
    mailed before November 2026 have it in the query.
    """

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(ActivationForm(initial={"token": request.GET.get("token", "")}))

    def post(self, request: HttpRequest) -> HttpResponse:
        given = request.POST.copy()
        given.setdefault("token", request.GET.get("token", ""))
        form = ActivationForm(given)
        if not form.is_valid():
            return self.ask(form, status=form.status)
        try:
            came_in = invitations.activate(
                form.cleaned_data["token"],
                form.cleaned_data["password"],
                address=client_address(request),
            )
        except ActivationBroke:
            broke = _("Something went wrong on our side. Your link still works: try again.")
            form.add_error(None, broke)
        except ServiceError as error:
            form.tell(error)
        else:
            return self.come_in(came_in, is_chosen=True)
        return self.ask(form, status=form.status)

    def ask(self, form: ActivationForm, status: int = 200) -> HttpResponse:
        return self.render("coming_in/activate.html", status=status, form=form)


class SignOutView(DashboardView):
    allowed_roles = EVERYBODY
    may_lack_second_factor = True

    def post(self, request: HttpRequest) -> HttpResponse:
        response = redirect_to(request, reverse("dashboard:landing"))
        door.show_out(response, self.caller)
        return response
