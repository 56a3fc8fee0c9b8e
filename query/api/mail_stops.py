"""The link in mails to addresses of people who are not members. Anyone who has it can stop them.

A GET changes nothing, for mail servers open links by themselves: it leads to a page with a button.
The POST is a mail program's own button, which comes without a page or cookie of ours (RFC 8058).
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from config.errors import NotFound
from query.services.mail_stops import find_recipient, stop_mails

PLAIN = "text/plain; charset=utf-8"


@csrf_exempt  # the token in the address permits it, and no session of a browser
@require_http_methods(["GET", "HEAD", "POST"])
def one_click_stop(request: HttpRequest, token: str) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(f"/dashboard/stop-mails/{token}")
    try:
        stop_mails(find_recipient(token))
    except NotFound:
        return HttpResponse("This link is not valid.", PLAIN, HTTPStatus.NOT_FOUND)
    return HttpResponse("You will not get any more of these mails.", PLAIN)
