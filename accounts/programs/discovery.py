"""Metadata that programs look up before they begin (RFC 8414, RFC 9728)."""

from typing import Any

from django.conf import settings

from accounts.models import AuthMethod, Scope

RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/tenants/me/mcp"
CONSENT_PATH = "/dashboard/programs/allow"


def issuer() -> str:
    return str(settings.BASE_URL)


def server_metadata() -> dict[str, Any]:
    address = issuer()
    return {
        "issuer": address,
        "authorization_endpoint": f"{address}{CONSENT_PATH}",
        "token_endpoint": f"{address}/oauth/token",
        "registration_endpoint": f"{address}/oauth/register",
        "revocation_endpoint": f"{address}/oauth/revoke",
        "scopes_supported": Scope.values,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": AuthMethod.values,
        "revocation_endpoint_auth_methods_supported": AuthMethod.values,
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
        "ui_locales_supported": ["es", "en"],
    }


def resource_metadata() -> dict[str, Any]:
    return {
        "resource": settings.MCP_RESOURCE,
        "resource_name": "Knowledge Agents",
        "authorization_servers": [issuer()],
        "scopes_supported": Scope.values,
        "bearer_methods_supported": ["header"],
    }


def challenge(*, error: str = "", scope: str = " ".join(Scope.values)) -> str:
    """The WWW-Authenticate of a refusal (RFC 6750, section 3; RFC 9728, section 5.1).

    Args:
        error: invalid_token or insufficient_scope; "": no token came.
    """
    said = {"error": error, "scope": scope, "resource_metadata": issuer() + RESOURCE_METADATA_PATH}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in said.items() if value)
