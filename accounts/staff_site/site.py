"""The back office itself: who comes in, and what each of its pages is wrapped in.

Guessing is slowed down as in the API. Staff give both factors, and outside development nobody does
anything here without a second one; nor, after a while, what cannot be taken back without giving
both again.
"""

import functools
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.http import urlencode
from django.views import View
from django.views.decorators.csrf import csrf_protect
from unfold.sites import UnfoldAdminSite

from accounts.activity import STAFF, acting_as
from accounts.leaving.receipts import list_overdue
from accounts.models import StaffSession
from accounts.services.staff_sessions import end_staff_sessions, lacks_second_factor
from accounts.staff_site import views
from accounts.staff_site.doors import find_staff, is_proved, let_staff_in
from accounts.staff_site.forms import StaffLoginForm
from accounts.staff_site.headers import shield

TOO_MANY_REQUESTS = 429
FOUND = 302
# Who asks for a form of these is about to change what cannot be taken back, or what others may do.
GRAVE_PAGES = ("_add", "_delete", "_password_change", "staff_access")
GRAVE_MODELS = ("user", "group", "plan", "tenant", "membership")
# They ask for the password themselves, or take nothing away from anybody.
NEVER_ASKED = ("password_change", "logout", "end_staff_access")


class StaffSite(UnfoldAdminSite):
    login_form = StaffLoginForm
    login_template = "admin/staff_login.html"

    def get_urls(self) -> list[URLPattern | URLResolver]:  # type: ignore[override]  # Django's own
        return [
            path("two-factor/", self.door(views.SetUpFactorView), name="staff_two_factor"),
            path("proof/", self.door(views.StaffProofView), name="staff_proof"),
            path("sessions/", self.door(views.StaffSessionsView), name="staff_sessions"),
            path(
                "sessions/<uuid:session_id>/end/",
                self.door(views.EndStaffSessionView),
                name="end_staff_session",
            ),
            path("access/", self.inner(views.StaffAccessView), name="staff_access"),
            path(
                "access/<uuid:access_id>/end/",
                self.inner(views.EndStaffAccessView),
                name="end_staff_access",
            ),
            *super().get_urls(),
        ]

    def has_permission(self, request: HttpRequest) -> bool:
        session = find_staff(request)
        return session is not None and not lacks_second_factor(session.user)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Records actions as done by our staff, without saying by whom: tenants read them."""

        @functools.wraps(view)
        def as_staff(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            session = find_staff(request)
            if session is None or must_prove(request, session):
                return ask_for_proof(request)
            with acting_as(STAFF):
                return view(request, *args, **kwargs)

        inner = super().admin_view(as_staff, cacheable)

        @functools.wraps(inner)
        def shielded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            session = find_staff(request)
            if session is not None and lacks_second_factor(session.user):
                response: HttpResponseBase = HttpResponseRedirect(reverse("admin:staff_two_factor"))
            else:
                response = inner(request, *args, **kwargs)
            shield(response)
            return response

        return shielded

    def inner(self, view: type[View]) -> Callable[..., HttpResponseBase]:
        """Makes a page that is protected as Django's own admin pages are."""

        def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            shared = self.each_context(request)
            return view.as_view(shared=shared)(request, *args, **kwargs)

        inner: Callable[..., HttpResponseBase] = self.admin_view(shown)
        return inner

    def door(self, view: type[View]) -> Callable[..., HttpResponseBase]:
        """Makes a page that checks by itself who comes."""

        @csrf_protect
        def shielded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            shared = self.each_context(request)
            response = view.as_view(shared=shared)(request, *args, **kwargs)
            shield(response)
            return response

        return shielded

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Logs in, and answers 429 with Retry-After if the login was put off, or 503 without the
        counters."""
        response: HttpResponse = super().login(request, extra_context)
        if request.method == "POST" and response.status_code == FOUND:
            let_staff_in(request)
        form = (getattr(response, "context_data", None) or {}).get("form")
        refusal = getattr(form, "refusal", None)
        if refusal is not None and refusal.status >= TOO_MANY_REQUESTS:
            response.status_code = refusal.status
            for name, value in refusal.headers.items():
                response.headers[name] = value
        shield(response)
        return response

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Shows the start page, with a warning of open erasures that staff should look at."""
        if count := list_overdue().count():
            erasures = "1 erasure is" if count == 1 else f"{count} erasures are"
            messages.warning(request, f"{erasures} still open: see Erasure receipts.")
        return super().index(request, extra_context)

    def logout(  # type: ignore[override]  # a redirect is not a TemplateResponse
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        session = find_staff(request)
        if session is not None and request.method == "POST":
            end_staff_sessions(StaffSession.objects.filter(pk=session.pk))
        return super().logout(request, extra_context)

    def password_change(  # type: ignore[override]  # a redirect is not a TemplateResponse
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        request.current_app = self.name
        return views.OwnPasswordView.as_view(
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )(request)


def must_prove(request: HttpRequest, session: StaffSession) -> bool:
    """True if the proof is too old for this request: one that writes, or a page that leads to
    changes that cannot be undone."""
    match = request.resolver_match
    name = (match and match.url_name) or ""
    if name in NEVER_ASKED:
        return False
    if request.method == "POST":
        return not is_proved(session, is_filled_in=True)
    is_grave = name.endswith(GRAVE_PAGES) or any(
        name.endswith(f"_{model}_change") for model in GRAVE_MODELS
    )
    return is_grave and not is_proved(session, is_filled_in=False)


def ask_for_proof(request: HttpRequest) -> HttpResponse:
    """Sends the person to prove who they are and then back to the page; the change that they asked
    for is not made."""
    if request.method == "POST":
        messages.warning(
            request, "Nothing was changed. Enter your password and code, then try again."
        )
    query = urlencode({"next": request.get_full_path()})
    return HttpResponseRedirect(f"{reverse('admin:staff_proof')}?{query}")
