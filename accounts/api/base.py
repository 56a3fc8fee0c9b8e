"""Base code of all endpoints: the caller, the tenant, and the reading of ids and bodies."""

import uuid
from typing import Any, ClassVar, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.activity import SERVICE, acting_as, current_actor
from accounts.errors import InsufficientScope, TwoFactorSetupRequired
from accounts.models import Scope, Tenant
from accounts.permissions import Public
from accounts.programs.discovery import challenge
from accounts.services.request_limits import limit_requests, seconds_to_request
from accounts.signing_in.authentication import Caller, ProgramOrTokenAuthentication
from config.errors import ServiceError, Unauthorized
from config.rest.body_limits import (
    STRANGERS_MAX_BYTES,
    await_body,
    belong_to,
    check_body,
    is_awaited,
    problem_with_body,
)
from config.rest.error_forms import LEGACY, ErrorForm


class PublicAPIView(APIView):
    """A view that needs no token. It reads none either: a stale one does not stop a login."""

    authentication_classes = []
    permission_classes = [Public]
    default_max_bytes: ClassVar[int] = STRANGERS_MAX_BYTES

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_body(request, self)


class TenantAPIView(APIView):
    """A view for a person of a tenant. Subclasses name `permission_classes`: the default refuses.

    Sound only behind a HasRole permission, without which `caller` may be nobody.
    """

    # Whether it is for people too who still have to set up a second factor for their workspace.
    may_lack_second_factor: ClassVar[bool] = False

    @classmethod
    def shared_errors(cls) -> tuple[type[ServiceError], ...]:
        """Return the errors of every such view, for the description of the API."""
        return () if cls.may_lack_second_factor else (TwoFactorSetupRequired,)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with acting_as(SERVICE):  # until `initial` knows who it is
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before roles are looked at: who asks for what they may not do is counted as well."""
        caller = request.auth if isinstance(request.auth, Caller) else None
        if caller is not None:
            current_actor.set(caller.actor)
            belong_to(request, caller.tenant.pk)
            if is_awaited(request) and self.wants_body(request, caller):
                await_body(request)
            limit_requests(caller.tenant)
        super().initial(request, *args, **kwargs)
        if caller is not None and caller.lacks_second_factor and not self.may_lack_second_factor:
            raise TwoFactorSetupRequired
        check_body(request, self)

    def wants_body(self, request: Request, caller: Caller) -> bool:
        """Tells whether the body is wanted, by everything that is known without it. A refusal is
        sent at once, and counted."""
        return (
            problem_with_body(request, self) is None
            and all(rule.has_permission(request, self) for rule in self.get_permissions())
            and (self.may_lack_second_factor or not caller.lacks_second_factor)
            and not seconds_to_request(caller.tenant)
        )

    @property
    def caller(self) -> Caller:
        return cast(Caller, self.request.auth)

    @property
    def tenant(self) -> Tenant:
        return self.caller.tenant


class ProgramAPIView(TenantAPIView):
    """A view for programs that people let in as well: MCP's. Their tokens open no other.

    What it refuses says where a program learns how to get in, and what with (MCP's "Authorization",
    revision 2026-07-28, read 2026-11-23).
    """

    authentication_classes = [ProgramOrTokenAuthentication]
    error_form: ErrorForm = LEGACY

    def require_scope(self, scope: Scope) -> None:
        """Raises InsufficientScope. People and API tokens have all scopes: their role decides."""
        if scope not in self.caller.scopes:
            # With those that it has, so that it does not lose them when it asks again.
            wanted = " ".join(known for known in Scope if known in {*self.caller.scopes, scope})
            header = challenge(error="insufficient_scope", scope=wanted)
            raise InsufficientScope(headers={"WWW-Authenticate": header})

    def handle_exception(self, exc: Exception) -> Response:
        answer = super().handle_exception(exc)
        if answer.status_code == Unauthorized.status:
            had_token = bool(self.request.headers.get("Authorization"))
            answer["WWW-Authenticate"] = challenge(error="invalid_token" if had_token else "")
        return answer


def read_id(text: str) -> uuid.UUID | None:
    """The UUID in an address; None when malformed, to be answered as an id that never existed."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def validated(serializer_class: type[Any], data: Any) -> dict[str, Any]:
    """The validated input.

    Raises DRF's ValidationError, which config.rest.handling answers as MISSING_FIELDS or
    VALIDATION_ERROR.
    """
    serializer = serializer_class(data=data)
    serializer.is_valid(raise_exception=True)
    return cast(dict[str, Any], serializer.validated_data)
