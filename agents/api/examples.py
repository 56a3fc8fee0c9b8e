"""Examples of agents for /docs."""

from drf_spectacular.utils import OpenApiExample

NEW_AGENT = OpenApiExample(
    "An agent that takes leads",
    {
        "name": "Sales",
        "persona": "Answer in two sentences, and offer a visit to the showroom.",
        "welcome_msg": "Hello! What would you like to know about our boats?",
        "lead_capture_enabled": True,
        "lead_notification_email": "sales@example.com",
    },
    request_only=True,
)
CHANGES = OpenApiExample(
    "Some of its fields",
    {"status": "inactive", "allowed_origins": ["https://shop.example.com"]},
    request_only=True,
)
SCOPE = OpenApiExample(
    "Two sources",
    {
        "source_ids": [
            "6f0e1f5e-9d0b-4a55-8d6e-0b6a2b9d4c11",
            "0b8f5f3e-2a55-4f0c-9d0c-0d4c2f1b7a90",
        ],
        "scope": "chosen",
    },
)
