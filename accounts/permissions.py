"""Permissions by the caller's role, one class a rule; `by_method` joins two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import Role
from accounts.signing_in.authentication import Caller
from config.errors import Unauthorized

if TYPE_CHECKING:  # DRF imports this module while it makes its own views
    from rest_framework.views import APIView


class Refuse(BasePermission):
    """Lets nobody in. The default, for a view that forgets to say who may use it."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return False


class Public(BasePermission):
    """Lets everybody in, without a token."""

    may_refuse: ClassVar[bool] = False  # config.rest.openapi: no 403

    def has_permission(self, request: Request, view: APIView) -> bool:
        return True


class HasRole(BasePermission):
    """Requires a valid token and a role in `allowed_roles`. No token: 401; another role: 403."""

    allowed_roles: ClassVar[frozenset[Role]] = frozenset()

    def has_permission(self, request: Request, view: APIView) -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            raise Unauthorized
        return caller.role in self.allowed_roles


class IsAdmin(HasRole):
    allowed_roles = frozenset({Role.ADMIN})


class IsAdminOrMember(HasRole):
    allowed_roles = frozenset({Role.ADMIN, Role.MEMBER})


class IsAnyRole(HasRole):
    allowed_roles = frozenset(Role)
    may_refuse: ClassVar[bool] = False


class IsPerson(HasRole):
    """Requires a person of any role: an API token changes nothing of the account of its maker."""

    allowed_roles = frozenset(Role)

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and not cast(Caller, request.auth).is_machine


def by_method(*, read: type[HasRole], write: type[HasRole]) -> type[BasePermission]:
    """Return the rule for a view that some may only read: `read` decides on GET, HEAD and OPTIONS,
    and `write` on every other method."""

    class ByMethod(BasePermission):
        def has_permission(self, request: Request, view: APIView) -> bool:
            rule = read if request.method in SAFE_METHODS else write
            return rule().has_permission(request, view)

    return ByMethod
