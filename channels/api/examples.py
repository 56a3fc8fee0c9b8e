"""What /docs shows of channels. No secret here looks like one."""

from drf_spectacular.utils import OpenApiExample

WEB = OpenApiExample("web", {}, request_only=True)
MESSENGER_A = OpenApiExample(
    "messenger_a",
    {"bot_token": "<the token that @BotFather shows>"},
    request_only=True,
)
MESSENGER_B = OpenApiExample(
    "messenger_b",
    {
        "phone_number_id": "100000000000000",
        "system_user_token": "<an access token of a system user>",
        "app_secret": "<the app's secret>",
        "verify_token": "<what you chose for the webhook>",
    },
    request_only=True,
)
CONNECTION = OpenApiExample(
    "A bot whose token was revoked",
    {
        "channel_type": "messenger_a",
        "status": "failing",
        "error_message": "The messenger does not accept the bot token. Copy it again from BotFather"
        " and connect the channel anew.",
        "error_at": "2026-11-20T18:03:11.520000Z",
        "connected_at": "2026-11-02T09:15:00.104000Z",
        "last_call_at": "2026-11-20T17:58:40.003000Z",
        "webhook_url": "https://agents.example.com/webhooks/messenger_a/"
        "3f0b0c9e-52d0-4f4e-8f0a-6f1f0e0b9a31",
    },
    response_only=True,
)
