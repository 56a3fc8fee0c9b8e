"""Questions that a company answered itself."""

from __future__ import annotations

import uuid

from django.db import models

from accounts.models.tenancy import TenantModel
from config.export import Exported
from config.security.personal import Personal

ENTRY_QUESTION_MAX_CHARS = 400  # it is the heading of its answer, and headings have at most 500
ENTRY_ANSWER_MAX_CHARS = 4000


class Entry(TenantModel):
    """A question that somebody of the company answered themselves. A tenant's entries are the text
    of one source (sources/services/entries.py)."""

    exported = Exported("entries", ("id", "question", "answer", "created_by", "created_at"))

    personal = Personal(
        "answers_written",
        ("tenant__slug", "created_at"),
        author="created_by",
        named_in=("created_by",),
        company_words=("question", "answer"),
    )

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    question = models.CharField(max_length=ENTRY_QUESTION_MAX_CHARS)
    answer = models.TextField(max_length=ENTRY_ANSWER_MAX_CHARS)
    created_by = models.EmailField(max_length=254, help_text="outlives the person's membership")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        ordering = ["-created_at", "-id"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "id"], name="sources_entry_tenant_id")
        ]
        indexes = [
            models.Index(fields=["tenant", "-created_at", "-id"], name="sources_entry_recent"),
            models.Index(fields=["created_by"], name="sources_entry_author"),
        ]

    def __str__(self) -> str:
        return self.question[:60]
