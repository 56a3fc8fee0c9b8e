"""Programs that people let into the workspace: the page that asks them, and the list."""

import uuid
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.errors import ReturnToProgram
from accounts.services import programs
from accounts.services.programs import MAX_PROGRAMS, Consent
from accounts.services.signing_in.sessions import list_memberships
from config.database.acting import over_all_tenants
from config.errors import Conflict
from config.http.addresses import is_of_an_app
from dashboard.base import EVERYBODY, READERS, DashboardView
from dashboard.headers import protect
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import ROLE_NAMES

PAGE_ROWS = 50
OTHERS_SHOWN = 6  # workspaces; more of them are a page


class AllowView(DashboardView):
    """OAuth's authorization endpoint (RFC 6749, section 3.1, read 2026-11-23): asks whether a
    program may act for the person in the workspace that they are in; asked each time.

    What the program asks for stands in the address, and is read again when the form comes. The
    form's `membership` says for whom, and for which workspace, the page was shown.
    """

    allowed_roles = EVERYBODY
    has_form_at_own_address = True

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.ask(self.read_consent())

    def post(self, request: HttpRequest) -> HttpResponse:
        consent = self.read_consent()
        if request.POST.get("membership") != str(self.caller.membership.pk):
            return self.ask(consent, has_changed=True, status=409)
        if request.POST.get("answer") != "allow":
            return self.leave(programs.deny(consent))
        try:
            address = programs.allow(self.tenant, self.caller.membership, consent)
        except Conflict as error:
            told = _("You have given %(count)s programs access here. End the access of one first.")
            raise Conflict(told % {"count": MAX_PROGRAMS}) from error
        return self.send_back(address)

    def answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answers with a page instead of redirecting a refusal to the program: only the person
        decides to go back. Otherwise anybody who registers a program could lead people from our
        address to any other (RFC 9700, section 4.11.2)."""
        try:
            return super().answer(request, *args, **kwargs)
        except ReturnToProgram as refusal:
            return self.render("workspace/not_allowed.html", status=400, address=refusal.url)

    def read_consent(self) -> Consent:
        return programs.read_consent(dict(self.request.GET.lists()))

    def ask(
        self, consent: Consent, *, has_changed: bool = False, status: int = 200
    ) -> HttpResponse:
        others = list_memberships(self.caller.user).exclude(tenant=self.tenant)
        with over_all_tenants():
            found = list(others[: OTHERS_SHOWN + 1])
        here = urlencode({"next": self.request.get_full_path()})
        page = self.render(
            "workspace/allow.html",
            status=status,
            consent=consent,
            has_changed=has_changed,
            role_name=ROLE_NAMES[self.caller.role],
            lacks_sources=self.caller.role not in READERS,
            others=found[:OTHERS_SHOWN],
            has_more=len(found) > OTHERS_SHOWN,
            switch=f"{reverse('dashboard:workspaces')}?{here}",
            unused_days=settings.PROGRAM_ACCESS_LIFETIME.days,
            longest_days=settings.PROGRAM_ACCESS_MAX_LIFETIME.days,
        )
        # Browsers hold every redirect after a form to its page's form-action, also those of the
        # program's own site, which lead nobody knows where: "https://…/callback" to "cursor://…".
        protect(page, forms=None)
        return page

    def send_back(self, address: str) -> HttpResponse:
        """Redirects to the address; an app's own address gets a page, for browsers would stay where
        they are."""
        if is_of_an_app(urlsplit(address)):
            return self.render("workspace/back_to_app.html", address=address)
        return HttpResponseRedirect(address)

    def leave(self, address: str) -> HttpResponse:
        """Redirects after a refusal. An app is not opened unless the person asks for it."""
        if is_of_an_app(urlsplit(address)):
            return self.render("workspace/cancelled.html", address=address)
        return HttpResponseRedirect(address)


class ProgramsView(WorkspaceView):
    """The programs of everybody for admins; for other members their own."""

    allowed_roles = EVERYBODY
    tab = "workspace_programs"

    def get(self, request: HttpRequest) -> HttpResponse:
        of = None if self.is_admin else self.caller.membership
        accesses = programs.list_accesses(self.tenant, of=of)
        page = Paginator(accesses, PAGE_ROWS).get_page(request.GET.get("page"))
        return self.show("programs.html", page=page)


class EndAccessView(WorkspaceView):
    allowed_roles = EVERYBODY
    tab = "workspace_programs"

    def post(self, request: HttpRequest, access_id: uuid.UUID) -> HttpResponse:
        programs.revoke_access(self.tenant, access_id, by=self.caller.membership)
        return self.go_to("workspace_programs", said=_("The program no longer has access."))
