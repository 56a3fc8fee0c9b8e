"""Celery's entry points into accounts."""

from celery import shared_task


@shared_task(ignore_result=True, expires=3600)
def deliver_mail(mail_id: str, tenant_id: str) -> None:
    """One attempt at one mail."""
