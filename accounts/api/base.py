"""What every tenant endpoint shares: the caller, the tenant, and scoped access to rows by id."""

import uuid
from typing import Any, cast

from rest_framework.views import APIView

from accounts.authentication import Caller
from accounts.models import Tenant


class TenantAPIView(APIView):
    """A view for a logged-in person of a tenant. Subclasses name `permission_classes`: the default refuses."""

    @property
    def caller(self) -> Caller:
        return cast(Caller, self.request.auth)

    @property
    def tenant(self) -> Tenant:
        return self.caller.tenant


def read_id(text: str) -> uuid.UUID | None:
    """The UUID in an address; None when it is malformed, which answers exactly as an id that never existed."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def validated(serializer_class: type[Any], data: Any) -> dict[str, Any]:
    """The validated input. Raises DRF's ValidationError, which config.api maps to MISSING_FIELDS or VALIDATION_ERROR."""
    serializer = serializer_class(data=data)
    serializer.is_valid(raise_exception=True)
    return cast(dict[str, Any], serializer.validated_data)
