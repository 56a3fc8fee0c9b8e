"""Examples of a question and its answers for /docs."""

from drf_spectacular.utils import OpenApiExample

QUESTION = OpenApiExample(
    "A question", {"query": "How long can I return a purchase?"}, request_only=True
)
CITED_ANSWER = OpenApiExample(
    "An answer with its source",
    {
        "answer": "Returns are accepted within thirty days of the purchase with the receipt. [1]",
        "sources": [
            {
                "source_file": "returns.pdf",
                "page_or_row": "page 3",
                "section_title": "Returns",
                "synced_at": "2026-11-20T08:15:00.000000Z",
                "similarity": 0.8125,
            }
        ],
        "model": "extractive",
        "confidence": "answered",
    },
    response_only=True,
)
NO_MATCH = OpenApiExample(
    "Nothing fits",
    {
        "answer": "I can help with returns and deliveries. What would you like to know?",
        "sources": [],
        "model": "extractive",
        "confidence": "none",
    },
    response_only=True,
)
EVENTS = OpenApiExample(
    "A stream",
    """\
event: sources
data: {"sources": [{"source_file": "returns.pdf", "page_or_row": "page 3", …}]}

event: delta
data: {"text": "Returns are accepted within thirty days of the purchase. [1]"}

event: done
data: {"answer": "Returns are accepted within thirty days of the purchase. [1]", …}

""",
    media_type="text/event-stream",
    response_only=True,
)
