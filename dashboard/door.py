"""The dashboard's cookie: from a Session to a cookie, and from a cookie to a Caller.

Another cookie than staff's `sessionid`, another table, and another kind of token than a bearer's:
none of the three opens another's door.
"""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.models import Action, Session
from accounts.services.signing_in import cookies
from accounts.services.signing_in.sessions import Login, note_visit, revoke_session
from accounts.signing_in.authentication import Caller
from config.database.acting import turn_to_tenant
from config.errors import Unauthorized

COOKIE = "dashboard"
PATH = "/dashboard"


def find_caller(request: HttpRequest) -> Caller | None:
    """The caller whose session the cookie names; None without a cookie, or when the session has
    ended. One query. From then on the request acts for their tenant."""
    text = request.COOKIES.get(COOKIE, "")
    if not text:
        return None
    try:
        caller = cookies.find_caller(text)
    except Unauthorized:
        return None
    turn_to_tenant(caller.tenant.pk)
    return caller


def caller_after(login: Login) -> Caller:
    """Return the caller whose requests will come with the session that has just begun."""
    member = login.membership
    return Caller(member.user, member.tenant, member, login.session)


def let_in(response: HttpResponseBase, session: Session) -> None:
    response.set_cookie(
        COOKIE,
        cookies.make_cookie(session),
        max_age=int(settings.REFRESH_TOKEN_LIFETIME.total_seconds()),
        path=PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def keep_open(response: HttpResponseBase, caller: Caller) -> None:
    """A session that is used does not expire: the cookie moves on with it."""
    if caller.session is not None and note_visit(caller.session):
        let_in(response, caller.session)


def show_out(response: HttpResponseBase, caller: Caller | None) -> None:
    """Ends the session, wherever else it is used, and takes the cookie away."""
    if caller is not None and caller.session is not None:
        revoke_session(caller.session.id, Action.SIGN_OUT)
    response.delete_cookie(COOKIE, path=PATH)
