"""Plans and the tenants that are on them."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower

NAME_MAX_CHARS = 200

validate_slug = RegexValidator(
    r"\A[a-z0-9-]{3,63}\Z",
    "A slug is 3 to 63 lower-case letters, digits and hyphens.",
    code="invalid_slug",
)


class ScheduleFrequency(models.TextChoices):
    MANUAL = "manual"
    HOURLY = "1h"
    EVERY_SIX_HOURS = "6h"
    DAILY = "24h"
    WEEKLY = "weekly"


class Plan(models.Model):
    """What a tenant pays for. Staff edit the rows; an empty limit means unlimited."""

    slug = models.SlugField(primary_key=True, max_length=40)
    name = models.CharField(max_length=NAME_MAX_CHARS)
    max_documents = models.PositiveIntegerField(
        null=True, blank=True, help_text="uploads that are not deleted"
    )
    max_queries_per_month = models.PositiveIntegerField(null=True, blank=True)
    max_connectors = models.PositiveIntegerField(null=True, blank=True)
    schedule_frequencies = ArrayField(models.CharField(max_length=10, choices=ScheduleFrequency))
    max_requests_per_minute = models.PositiveIntegerField()
    max_pages_per_crawl = models.PositiveIntegerField()
    blocks_overage = models.BooleanField(
        default=False,
        help_text="documents and queries over the limit are refused; otherwise counted and billed",
    )

    class Meta:
        ordering = ["max_requests_per_minute"]

    def __str__(self) -> str:
        return self.name


class Tenant(models.Model):
    """A company. Everything that is not a plan or a person belongs to one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(max_length=63, validators=[validate_slug])
    name = models.CharField(max_length=NAME_MAX_CHARS)
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="tenants")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]
        constraints = [
            models.UniqueConstraint(Lower("slug"), name="accounts_tenant_slug_unique"),
            models.CheckConstraint(
                condition=models.Q(slug__regex=r"^[a-z0-9-]{3,63}$"),
                name="accounts_tenant_slug_form",
            ),
        ]

    def __str__(self) -> str:
        return self.slug
