"""Examples of channels for /docs. No secret here looks like one."""

from drf_spectacular.utils import OpenApiExample

from channels.surfaces.registry import SURFACES
from reasons import Reason

CONFIGS = [
    OpenApiExample(kind, {field.name: field.example for field in surface.fields}, request_only=True)
    for kind, surface in SURFACES.items()
]
CONNECTION = OpenApiExample(
    "A bot whose token was revoked",
    {
        "channel_type": "messenger_a",
        "status": "failing",
        "error_message": str(Reason("bot_token_refused")),
        "error_code": "bot_token_refused",
        "error_at": "2026-11-20T18:03:11.520000Z",
        "connected_at": "2026-11-02T09:15:00.104000Z",
        "last_call_at": "2026-11-20T17:58:40.003000Z",
        "webhook_url": "https://agents.example.com/webhooks/messenger_a/"
        "3f0b0c9e-52d0-4f4e-8f0a-6f1f0e0b9a31",
    },
    response_only=True,
)
