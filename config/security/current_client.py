"""The client at the other end of the request that is being answered, for the records about it."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from config.security.client_address import client_address

USER_AGENT_MAX_CHARS = 300


@dataclass(frozen=True)
class Client:
    """`address` as `client_address` says it; `user_agent` as the client says, cut and printable."""

    address: str = ""
    user_agent: str = ""


# Outside a request (commands, tasks): nobody. It is written down, never decided by.
NOBODY = Client()
current_client: ContextVar[Client] = ContextVar("current_client", default=NOBODY)


class CurrentClientMiddleware:
    """Says for the time of a request who sent it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        agent = "".join(filter(str.isprintable, request.headers.get("User-Agent", "")))
        client = Client(client_address(request), agent[:USER_AGENT_MAX_CHARS])
        token = current_client.set(client)
        try:
            return self.get_response(request)
        finally:
            current_client.reset(token)
