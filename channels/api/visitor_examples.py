"""Examples of a visitor's conversation for /docs."""

from drf_spectacular.utils import OpenApiExample

SESSION = "kT3vQ0mWq8Yy1cXfW2n9Lw:1vMZ3k:8Jq0hG6nU2r5sYt1wXzB4cD7eF9aK3mP6qS8uV0xZ2Y"
GREETING = OpenApiExample(
    "A session",
    {
        "session": SESSION,
        "expires_in": 43200,
        "agent_name": "Support",
        "welcome_msg": "Hello! What would you like to know?",
        "language": "en",
    },
    response_only=True,
    status_codes=["201"],
)
VISITOR_QUESTION = OpenApiExample(
    "A question",
    {"session": SESSION, "query": "How long can I return a purchase?"},
    request_only=True,
)
