"""The examples of the main flow that /docs shows."""

from drf_spectacular.utils import OpenApiExample

from reasons import Reason

NEW_WEBSITE = OpenApiExample(
    "A website",
    {"name": "Help pages", "source_type": "web", "source_url": "https://example.com/help"},
    request_only=True,
)
NEW_API = OpenApiExample(
    "An API",
    {
        "name": "Help centre",
        "source_type": "api",
        "connection": {
            "url": "https://api.example.com/articles?per_page=100",
            "auth": "bearer",
            "auth_secret": "a token of the API",
            "items": "/data",
            "id": "/id",
            "title": "/title",
            "body": "/body",
            "link": "/url",
            "paging": "cursor",
            "next": "/meta/next_cursor",
        },
    },
    request_only=True,
)
UPLOADED = OpenApiExample(
    "Indexed",
    {
        "source_id": "6f0e1f5e-9d0b-4a55-8d6e-0b6a2b9d4c11",
        "sync_status": "synced",
        "chunks_count": 12,
        "name": "Returns policy",
    },
    response_only=True,
)
UPLOADED_IN_VAIN = OpenApiExample(
    "Stored but not indexed",
    {
        "source_id": "6f0e1f5e-9d0b-4a55-8d6e-0b6a2b9d4c11",
        "sync_status": "error",
        "chunks_count": 0,
        "error_message": str(Reason("sync_too_slow")),
        "error_code": "sync_too_slow",
        "name": "Returns policy",
    },
    response_only=True,
)
