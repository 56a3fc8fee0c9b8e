"""Permissions for sources (docs/specification.md, Sources)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.permissions import IsAdmin, IsAdminOrMember

if TYPE_CHECKING:
    from rest_framework.views import APIView


class ReadOrAdmin(BasePermission):
    """Lets admins and members read, and admins write."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        rule = IsAdminOrMember() if request.method in SAFE_METHODS else IsAdmin()
        return rule.has_permission(request, view)
