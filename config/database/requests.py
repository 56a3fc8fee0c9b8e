"""A request speaks to the database as nobody, until it knows its caller; and never for long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

from django.conf import settings
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse

from config.database.acting import Acting, acting, as_nobody, as_staff, current_acting
from config.database.limits import limiting_statements

BACK_OFFICE = "/admin/"
# Our staff are few, and look through tables that are everybody's.
STAFF_STATEMENT_SECONDS = 60


class ActingMiddleware:
    """Makes each request begin as nobody (in the back office, as staff). What it turned to ends
    with it: threads are used again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_for_staff = request.path_info.startswith(BACK_OFFICE)
        seconds = STAFF_STATEMENT_SECONDS if is_for_staff else settings.STATEMENT_SECONDS
        with as_staff() if is_for_staff else as_nobody(), limiting_statements(seconds):
            response = self.get_response(request)
            # A file asks nothing of the database. With its content replaced, the kernel would not
            # send it, and a thread would wait for a client that reads slowly.
            is_file = isinstance(response, FileResponse)
            if isinstance(response, StreamingHttpResponse) and not is_file:
                chunks = cast("Iterator[bytes]", response.streaming_content)  # we serve WSGI
                response.streaming_content = resume(current_acting(), seconds, chunks)
        return response


def resume(caller: Acting, seconds: int, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Goes on with a stream as its caller: it is made after its view has ended."""
    with acting(caller), limiting_statements(seconds):
        yield from chunks
