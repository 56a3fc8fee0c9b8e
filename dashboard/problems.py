"""Error messages for people: as a page below /dashboard/, else as JSON."""

import sys

from django.core.exceptions import DisallowedHost, SuspiciousMultipartForm
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from config.errors import NOT_NOW, Forbidden, InternalError, InvalidRequestBody, ServiceError
from config.rest import handling
from config.rest.request_id import current_request_id
from dashboard import door
from dashboard.headers import protect
from dashboard.language import speaking_to

PREFIX = "/dashboard/"
DAMAGED = gettext_noop(
    "The form did not arrive complete. Go back, reload the page, then try again."
)
ACTIVATION = "/activate"  # what invitations link to
# What an error's code means to a person. Errors that are not named here say it themselves: their
# message is marked for translation where it is written.
MEANINGS: dict[str, Promise] = {
    "NOT_FOUND": gettext_lazy("This page does not exist. It may have been deleted."),
    "METHOD_NOT_ALLOWED": gettext_lazy("This page cannot be opened this way."),
    "FORBIDDEN": gettext_lazy("Your role does not allow this. Ask an admin of the workspace."),
    "TOO_MANY_REQUESTS": gettext_lazy(
        "Too many attempts in a short time. Wait a moment, then try again."
    ),
    "SERVICE_UNAVAILABLE": gettext_lazy(NOT_NOW),
    "INTERNAL_ERROR": gettext_lazy("Something went wrong on our side. Try again in a minute."),
    "CONFLICT": gettext_lazy("Somebody else has just changed this. Reload the page and try again."),
    "AGENT_NOT_FOUND": gettext_lazy("This agent does not exist. It may have been deleted."),
    "INVALID_PROGRAM_REQUEST": gettext_lazy(
        "A program sent you here with an invalid request. Go back to it and connect it again."
    ),
    "INVALID_CREDENTIALS": gettext_lazy("The e-mail address or the password is wrong."),
    "NO_WORKSPACE_ACCESS": gettext_lazy(
        "You are not a member of any workspace here. Ask for an invitation, or create a workspace."
    ),
    "INVALID_OTP": gettext_lazy("The code is wrong, has been used, or has expired."),
    "WEAK_PASSWORD": gettext_lazy(
        "This password is too easy to guess. Choose one of at least 10 characters that is"
        " not common, not only digits, and not similar to your e-mail address."
    ),
    "UNAUTHORIZED": gettext_lazy(
        "That took too long, or your account has changed in the meantime. Sign in again."
    ),
    "TWO_FACTOR_REQUIRED": gettext_lazy(
        "This account uses two-factor authentication: sign in with your password."
    ),
    "TWO_FACTOR_SETUP_REQUIRED": gettext_lazy(
        "This workspace requires two-factor authentication: turn it on in your account first."
    ),
    "INCORRECT_PASSWORD": gettext_lazy("This is not your password."),
    "NO_PASSWORD_SET": gettext_lazy(
        "You do not have a password yet. Sign out, then choose one with “Forgotten your password?”."
    ),
    "EMAIL_ALREADY_REGISTERED": gettext_lazy(
        "This e-mail address already belongs to the admin of a workspace: sign in with it."
    ),
    "INVALID_SLUG": gettext_lazy("A short name has 3 to 63 letters, digits and hyphens."),
    "SLUG_ALREADY_IN_USE": gettext_lazy("This short name is taken. Choose another one."),
    "ACTIVATION_FAILED": gettext_lazy(
        "That did not work. If you already have an account with us, enter its password, or"
        " reset it first. Otherwise the link has been used or has expired: ask the person"
        " who invited you for a new one. If you have used it before, just sign in."
    ),
    "PLAN_LIMIT_REACHED": gettext_lazy(
        "You have reached the limit of your plan. Delete something that you no longer"
        " need, or change the plan."
    ),
    "SOURCE_NOT_FOUND": gettext_lazy("This source does not exist. It may have been deleted."),
    "SOURCE_LIMIT_REACHED": gettext_lazy(
        "Your plan does not allow more connected sources. Delete one, or change the plan."
    ),
    "CONNECTION_NOT_FOUND": gettext_lazy(
        "This account does not exist. It may have been disconnected."
    ),
    "SYNC_IN_PROGRESS": gettext_lazy(
        "This source is already being synced. Wait until it has finished."
    ),
    "FILE_TOO_LARGE": gettext_lazy(
        "This file is too large. Files can have up to 50 MB, images up to 20 MB."
    ),
    "UNSUPPORTED_FILE_TYPE": gettext_lazy(
        "Files of this type cannot be read. Save it as PDF, Word, Excel, PowerPoint, CSV or text."
    ),
    "CANNOT_REMOVE_SELF": gettext_lazy(
        "You cannot remove yourself here. Leave the workspace from your account instead."
    ),
    "INVALID_ROLE": gettext_lazy("This role does not exist. Choose one from the list."),
    "USER_NOT_FOUND": gettext_lazy("This person is no longer in the workspace."),
    "EXPORT_NOT_FOUND": gettext_lazy(
        "This export has expired or has been replaced by a newer one. Request another."
    ),
    "WRONG_WORKSPACE_NAME": gettext_lazy(
        "That is not the short name of this workspace. Nothing was changed."
    ),
    "DELETION_BEGUN": gettext_lazy(
        "The deletion of this workspace has already begun and can no longer be stopped."
    ),
}


def describe_problem(error: ServiceError) -> str:
    """The problem in one or two sentences in the page's language, with advice."""
    meaning = MEANINGS.get(error.code)
    has_own_words = error.message != str(error.default_message) and error.status < 500
    if meaning is None or (has_own_words and error.code in ("CONFLICT", "FORBIDDEN")):
        return _(error.message)
    return str(meaning)


def problem_page(request: HttpRequest, error: ServiceError) -> HttpResponse:
    """The whole page, in the visitor's language, with the way back."""
    caller = door.find_caller(request)
    with speaking_to(request, caller) as language:
        page = TemplateResponse(
            request,
            "dashboard/problem.html",
            {
                "caller": caller,
                "language": language,
                "status": error.status,
                "text": describe_problem(error),
                "request_id": current_request_id.get() if error.status >= 500 else "",
            },
            status=error.status,
            headers=error.headers,
        )
        page.render()
    protect(page)
    return page


def is_page(request: HttpRequest) -> bool:
    return request.path.startswith(PREFIX) or request.path == ACTIVATION


def is_opened_by_person(request: HttpRequest) -> bool:
    """Return True where a browser opens a page for somebody; programs do not send this header."""
    return request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answers a body that is too large, or a malformed request; the caller is not known yet."""
    if not is_page(request) or isinstance(exception, DisallowedHost):
        return handling.bad_request(request, exception)
    error = handling.to_service_error(exception)
    is_no_form = isinstance(exception, SuspiciousMultipartForm)
    if is_no_form or error.status >= 500:  # Django has many names for those
        error = InvalidRequestBody(DAMAGED)
    handling.log_error(error, exception, method=request.method or "-", path=request.path)
    return problem_page(request, error)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_page(request):
        return problem_page(request, handling.to_service_error(exception))
    return handling.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answers with a page to people, also at addresses that no page of ours ever had."""
    if is_page(request) or is_opened_by_person(request):
        return problem_page(request, handling.to_service_error(exception))
    return handling.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """The database may be what failed: without the caller, whom it would be asked for."""
    if not is_page(request):
        return handling.server_error(request)
    raised = sys.exc_info()[1]  # Django asks for this page while it handles it
    error: ServiceError = InternalError()
    if isinstance(raised, OperationalError):
        error = handling.to_service_error(raised)
    with speaking_to(request, None) as language:
        page = TemplateResponse(
            request,
            "dashboard/problem.html",
            {
                "language": language,
                "status": error.status,
                "text": describe_problem(error),
                "request_id": current_request_id.get(),
            },
            status=error.status,
            headers=error.headers,
        )
        page.render()
    protect(page)
    return page


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if not is_page(request):
        return handling.csrf_failure(request, reason)
    with speaking_to(request, door.find_caller(request)):
        text = _("This page was open for too long. Reload it, then try again.")
    return problem_page(request, Forbidden(text))
