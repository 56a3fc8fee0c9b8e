"""The base of the pages that need no sign-in."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Action, Language, Session
from accounts.services.signing_in.sessions import Challenge, Login, list_memberships, revoke_session
from config.database.acting import over_all_tenants
from config.errors import ServiceError
from config.rest.handling import log_error
from config.security.own_pages import is_page_below
from dashboard import door
from dashboard.base import PageView, redirect_to
from dashboard.coming_in.forms import SecondFactorForm
from dashboard.coming_in.legal import list_legal_texts
from dashboard.headers import protect
from dashboard.language import LANGUAGE_COOKIE, LANGUAGE_PARAMETER, speaking_to
from dashboard.problems import problem_page

LANGUAGE_SECONDS = 365 * 24 * 3600


class OutsideView(PageView):
    """A page for anybody. `caller` is the person who is signed in already, or None."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.caller = door.find_caller(request)
        with speaking_to(request, self.caller) as self.language:
            try:
                response = super().dispatch(request, *args, **kwargs)
            except ServiceError as error:  # that no field of a form is the reason for
                log_error(error, error, method=request.method or "-", path=request.path)
                response = problem_page(request, error)
        if request.GET.get(LANGUAGE_PARAMETER) in Language.values:
            keep_language(response, request.GET[LANGUAGE_PARAMETER])
        protect(response)
        return response

    def render(self, template: str, /, status: int = 200, **context: Any) -> HttpResponse:
        own = {
            "caller": self.caller,
            "language": self.language,
            "legal_texts": list_legal_texts(self.language),
            "support_contact": settings.SUPPORT_CONTACT,
        }
        return render(self.request, f"dashboard/{template}", own | context, status=status)

    def come_in(self, came_in: Login | Challenge, *, is_chosen: bool) -> HttpResponse:
        """Continues to the page that the person wanted; before that, to the second factor, and to
        the choice among several workspaces where none was named (`is_chosen`)."""
        if isinstance(came_in, Challenge):
            known = {"challenge": came_in.token, "is_chosen": is_chosen}
            return self.ask_second_factor(SecondFactorForm(initial=known))
        with over_all_tenants():
            is_only_one = len(list_memberships(came_in.membership.user)[:2]) == 1
        if is_chosen or is_only_one:
            address = next_address(self.request, reverse("dashboard:start"))
        else:
            address = keep_next(self.request, "workspaces")
        return self.welcome(came_in.session, address)

    def ask_second_factor(self, form: SecondFactorForm, status: int = 200) -> HttpResponse:
        return self.render(
            "coming_in/second_factor.html",
            status=status,
            form=form,
            address=keep_next(self.request, "second_factor"),
        )

    def welcome(self, session: Session, address: str) -> HttpResponse:
        """Signs in and continues to `address`. The cookie is replaced, so the session before ends
        too: nobody could see or end it any more."""
        if self.caller is not None and self.caller.session is not None:
            revoke_session(self.caller.session.id, Action.SIGN_OUT)
        response = redirect_to(self.request, address)
        door.let_in(response, session)
        return response


def keep_language(response: HttpResponseBase, language: str) -> None:
    response.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=LANGUAGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def next_address(request: HttpRequest, default: str) -> str:
    """The address that the person wanted to go to, if it is a page of the dashboard; else
    `default`."""
    wanted = request.GET.get("next", "")
    return wanted if is_page_below(wanted, "/dashboard/") else default


def keep_next(request: HttpRequest, name: str) -> str:
    """A page on the way in, which leads where the person wanted to go."""
    wanted = next_address(request, "")
    return reverse(f"dashboard:{name}") + (f"?{urlencode({'next': wanted})}" if wanted else "")
