"""Examples of logging in for /docs."""

from drf_spectacular.utils import OpenApiExample

LOGIN = OpenApiExample(
    "A person",
    {"email": "ana@example.com", "password": "correct horse battery 1"},
    request_only=True,
)
TOKENS = OpenApiExample(
    "Logged in",
    {
        "access_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.signature",
        "refresh_token": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.signature",
        "token_type": "Bearer",
        "expires_in": 900,
        "role": "admin",
        "tenant_id": "0b8f5f3e-2a55-4f0c-9d0c-0d4c2f1b7a90",
        "tenant_slug": "acme",
    },
    response_only=True,
)
CHALLENGE = OpenApiExample(
    "The second factor is asked for",
    {"two_factor_required": True, "challenge": "eyJ0eXAiOiJjaGFsbGVuZ2UifQ.signature"},
    response_only=True,
)
