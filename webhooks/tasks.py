"""Celery entry points of webhooks."""

from __future__ import annotations

from celery import shared_task


@shared_task
def tend_chat(chat_id: str, tenant_id: str) -> None:
    """Answers what waits in the chat."""
