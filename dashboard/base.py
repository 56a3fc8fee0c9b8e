"""The base of all pages for signed-in people: authentication, permission and language."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, ClassVar

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.utils.http import urlencode
from django.views import View

from accounts.models import Role, Tenant
from accounts.signing_in.authentication import Caller
from config.database.pool import release_connection
from config.errors import Forbidden, MethodNotAllowed, ServiceError, TooManyRequests
from config.rest.body_limits import belong_to
from config.rest.handling import log_error, to_service_error
from config.security.rate_limits import Limit, LimitsUnavailable, take
from dashboard import door
from dashboard.headers import protect
from dashboard.language import speaking_to
from dashboard.navigation import list_sections
from dashboard.problems import describe_problem, problem_page

EVERYBODY = frozenset({Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.API_USER})
READERS = frozenset({Role.ADMIN, Role.MEMBER})  # of sources, conversations and leads
ADMINS = frozenset({Role.ADMIN})
# A page refreshes itself a few times a minute; the plan's limit is for the tenant's programs.
PAGES_A_MINUTE = Limit("pages", 600, 60)
# What a page inside the frame tells, so that the navigation leads on. Not failures of ours, for the
# frame may be what fails.
LED_ON_FROM = {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}
RETARGETED = {"HX-Retarget": "#messages", "HX-Reswap": "beforeend"}


class PageView(View):
    """A wrong method is an error like any other: subclasses turn errors into pages."""

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        raise MethodNotAllowed


class DashboardView(PageView):
    """A page, or an action of one, for the people of a tenant.

    Subclasses say `allowed_roles` (without it nobody comes in) and define `get` and `post`, which
    may raise any ServiceError: it becomes a page with the same status or, asked for by htmx, a
    message on the page that is open.
    """

    allowed_roles: ClassVar[frozenset[Role]] = frozenset()
    section: ClassVar[str] = ""  # of the navigation, as dashboard/navigation.py names it
    # True if the form is shown at the address that it is sent to: a person who has to sign in first
    # comes back to it.
    has_form_at_own_address: ClassVar[bool] = False
    # True if people may see it who still have to set up a second factor for this workspace.
    may_lack_second_factor: ClassVar[bool] = False
    caller: Caller

    @classmethod
    def knows_sender(cls, request: HttpRequest) -> bool:
        """True if the sender may send this form. Long bodies are only awaited from permitted
        senders."""
        caller = door.find_caller(request)
        if caller is None or caller.role not in cls.allowed_roles:
            return False
        belong_to(request, caller.tenant.pk)
        return True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        caller = door.find_caller(request)
        if caller is None:
            leads_back = request.method == "GET" or self.has_form_at_own_address
            response: HttpResponseBase = ask_to_sign_in(request, leads_back=leads_back)
        else:
            self.caller = caller
            belong_to(request, caller.tenant.pk)
            with caller.as_current_actor(), speaking_to(request, caller) as self.language:
                response = self.answer(request, *args, **kwargs)
            door.keep_open(response, caller)
            if response.streaming:
                release_connection()  # else a slow reader holds the one that this took
        protect(response)
        return response

    def answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            limit_pages(self.caller)
            if self.caller.role not in self.allowed_roles:
                raise Forbidden
            if self.caller.lacks_second_factor and not self.may_lack_second_factor:
                return lead_to_second_factor(request)
            return super().dispatch(request, *args, **kwargs)
        except (ServiceError, PermissionDenied) as exc:
            error = to_service_error(exc)
            log_error(error, exc, method=request.method or "-", path=request.path)
            return self.show_problem(error)

    def show_problem(self, error: ServiceError) -> HttpResponse:
        """Return the error inside the frame of the signed-in, whose navigation is the way on; for
        htmx, a message where the open page shows its messages."""
        if is_partial(self.request):
            return problem_message(self.request, error)
        if error.status not in LED_ON_FROM:
            return problem_page(self.request, error)
        response = self.render(
            "problem_inside.html",
            status=error.status,
            problem_status=error.status,
            text=describe_problem(error),
        )
        for name, value in error.headers.items():
            response.headers[name] = value
        return response

    @property
    def tenant(self) -> Tenant:
        return self.caller.tenant

    @property
    def is_admin(self) -> bool:
        return self.caller.role == Role.ADMIN

    def render(self, template: str, /, status: int = 200, **context: Any) -> HttpResponse:
        """A whole page below templates/dashboard/, in the frame of the signed-in."""
        return render(self.request, f"dashboard/{template}", self.frame() | context, status=status)

    def render_part(self, template: str, /, status: int = 200, **context: Any) -> HttpResponse:
        """A piece of a page that htmx asked for."""
        own = {"caller": self.caller, "tenant": self.tenant, "is_admin": self.is_admin}
        return render(self.request, f"dashboard/{template}", own | context, status=status)

    def frame(self) -> dict[str, Any]:
        return {
            "caller": self.caller,
            "tenant": self.tenant,
            "is_admin": self.is_admin,
            "language": self.language,
            "section": self.section,
            "sections": list_sections(self.caller.role),
            "support_contact": settings.SUPPORT_CONTACT,
        }

    def go_to(self, name: str, /, *args: Any, said: str = "") -> HttpResponse:
        """A redirect after something was done; `said` stands on the next page."""
        if said:
            messages.success(self.request, said)
        return redirect_to(self.request, reverse(f"dashboard:{name}", args=args))


def redirect_to(request: HttpRequest, address: str) -> HttpResponse:
    """Redirects, also in answer to htmx, which would put the next page into a part of this one."""
    if is_partial(request):
        return HttpResponse(status=204, headers={"HX-Redirect": iri_to_uri(address)})
    return HttpResponseRedirect(address)


def is_partial(request: HttpRequest) -> bool:
    """True if htmx makes the request and will put the answer into a part of the page."""
    return bool(request.headers.get("HX-Request"))


def ask_to_sign_in(request: HttpRequest, *, leads_back: bool) -> HttpResponse:
    """Redirects to the sign-in. People then continue to the page that they wanted to read; a change
    that they wanted to make is not carried out."""
    here = request.get_full_path() if leads_back and not is_partial(request) else ""
    query = f"?{urlencode({'next': here})}" if here else ""
    return redirect_to(request, f"{reverse('dashboard:sign_in')}{query}")


def lead_to_second_factor(request: HttpRequest) -> HttpResponse:
    """Redirects to the second factor, but not for the parts of a page that load by themselves:
    nobody is taken away from the form that they fill in."""
    if is_partial(request) and request.method == "GET":
        return HttpResponse(status=204)
    return redirect_to(request, reverse("dashboard:two_factor"))


def limit_pages(caller: Caller) -> None:
    """Raises TooManyRequests. Lets through when Redis does not answer, as the API does."""
    try:
        wait = take(PAGES_A_MINUTE, str(caller.membership.pk))
    except LimitsUnavailable:
        return
    if wait:
        raise TooManyRequests(retry_after_seconds=wait)


def problem_message(request: HttpRequest, error: ServiceError) -> HttpResponse:
    response = render(
        request,
        "dashboard/components/problem_message.html",
        {"text": describe_problem(error)},
        status=error.status,
    )
    for name, value in (error.headers | RETARGETED).items():
        response.headers[name] = value
    return response
