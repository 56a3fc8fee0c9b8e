"""A request speaks to the database as nobody, until it knows its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse

from config.database.acting import Acting, acting, as_nobody, as_staff, current_acting

BACK_OFFICE = "/admin/"


class ActingMiddleware:
    """Whoever a request turned to, it ends with it: threads are used again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_for_staff = request.path_info.startswith(BACK_OFFICE)
        with as_staff() if is_for_staff else as_nobody():
            response = self.get_response(request)
            if isinstance(response, StreamingHttpResponse):
                chunks = cast("Iterator[bytes]", response.streaming_content)  # we serve WSGI
                response.streaming_content = resume(current_acting(), chunks)
        return response


def resume(caller: Acting, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A stream is made after its view has ended."""
    with acting(caller):
        yield from chunks
