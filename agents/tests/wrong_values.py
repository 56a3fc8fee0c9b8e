"""Values that no field of an agent takes, with what the error says about them."""

from typing import Any

BOOLEAN = "Must be true or false."
TEXT = "Not a valid string."
STATUS = "Must be one of: active, inactive."
STRINGS = "Must be an array of strings."
RETENTION = "Must be one of: 7, 30, 90."
EMAIL = "Must be a valid e-mail address, or empty."
NUL = "Null characters are not allowed."
HALF = "Surrogate characters are not allowed: U+D800."


def at_most(chars: int) -> str:
    return f"Ensure this field has no more than {chars} characters."


WRONG: list[tuple[str, Any, str]] = [
    ("name", 7, TEXT),
    ("name", ["Sales"], TEXT),
    ("name", "n" * 201, at_most(200)),
    ("name", "a\0b", NUL),
    ("name", "\ud800", HALF),
    ("persona", {"tone": "dry"}, TEXT),
    ("persona", "p" * 4001, at_most(4000)),
    ("welcome_msg", False, TEXT),
    ("welcome_msg", "w" * 1001, at_most(1000)),
    ("status", "asleep", STATUS),
    ("status", "", STATUS),
    ("status", True, STATUS),
    ("status", ["active"], STATUS),
    ("allowed_origins", "https://shop.example", STRINGS),
    ("allowed_origins", {}, STRINGS),
    ("allowed_origins", [7], STRINGS),
    ("allowed_origins", [None], STRINGS),
    ("cite_sources", "true", BOOLEAN),
    ("cite_sources", 1, BOOLEAN),
    ("lead_capture_enabled", "yes", BOOLEAN),
    ("store_transcripts", 0, BOOLEAN),
    ("store_transcripts", [], BOOLEAN),
    ("lead_notification_email", "sales", EMAIL),
    ("lead_notification_email", "sales@shop.example, b@shop.example", EMAIL),
    ("lead_notification_email", "a@b.example\nBcc: c@d.example", EMAIL),
    ("lead_notification_email", 7, TEXT),
    ("transcript_retention_days", 8, RETENTION),
    ("transcript_retention_days", 0, RETENTION),
    ("transcript_retention_days", "30", RETENTION),
    ("transcript_retention_days", 30.0, RETENTION),
    ("transcript_retention_days", True, RETENTION),
]

TEXTS = ("name", "persona", "welcome_msg")


def code_of(field: str) -> str:
    return "VALIDATION_ERROR" if field in TEXTS else "INVALID_AGENT_CONFIG"
