"""Plans and the tenants that are on them."""

import uuid
import zoneinfo
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower

from config.security.personal import COMPANYS_OWN, NOBODYS

NAME_MAX_CHARS = 200
SLUG_MAX_CHARS = 63
COLUMN_MAX_CHARS = 80
DELETION_WAIT = timedelta(days=14)

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
    """A plan that a tenant pays for. Staff edit the rows; an empty limit means unlimited."""

    personal = NOBODYS

    slug = models.SlugField(primary_key=True, max_length=40)
    name = models.CharField(max_length=NAME_MAX_CHARS)
    monthly_price = models.DecimalField(
        null=True,
        blank=True,
        max_digits=9,
        decimal_places=2,
        help_text="in the currency of PRICE_CURRENCY, shown to everybody; empty: on request",
    )
    max_documents = models.PositiveIntegerField(
        null=True, blank=True, help_text="uploads that are not deleted"
    )
    max_passages = models.PositiveIntegerField(
        null=True, blank=True, help_text="what is indexed of all sources together"
    )
    max_queries_per_month = models.PositiveIntegerField(null=True, blank=True)
    max_connectors = models.PositiveIntegerField(null=True, blank=True)
    schedule_frequencies = ArrayField(models.CharField(max_length=10, choices=ScheduleFrequency))
    max_requests_per_minute = models.PositiveIntegerField()
    max_pages_per_crawl = models.PositiveIntegerField()
    blocks_overage = models.BooleanField(
        default=False,
        help_text="documents, passages and queries over the limit are refused; otherwise counted"
        " and billed",
    )

    class Meta:
        ordering = ["max_requests_per_minute"]

    def __str__(self) -> str:
        return self.name

    def includes_frequency(self, frequency: str) -> bool:
        """True if sources may be synced so often. A sync by hand is in every plan."""
        return frequency == ScheduleFrequency.MANUAL or frequency in self.schedule_frequencies


class Language(models.TextChoices):
    """The languages that we write to people in."""

    SPANISH = "es"
    ENGLISH = "en"


class Tenant(models.Model):
    """A company. Everything that is not a plan or a person belongs to one."""

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(max_length=SLUG_MAX_CHARS, validators=[validate_slug])
    name = models.CharField(max_length=NAME_MAX_CHARS)
    language = models.CharField(
        max_length=2, choices=Language, default=Language.SPANISH, help_text="of our e-mails"
    )
    time_zone = models.CharField(
        max_length=63, blank=True, help_text="IANA name, for times on pages; empty: the service's"
    )
    plan = models.ForeignKey(Plan, on_delete=models.PROTECT, related_name="tenants")
    requires_two_factor = models.BooleanField(
        default=False, help_text="its people do nothing here before they have set one up"
    )
    hidden_columns = ArrayField(
        models.CharField(max_length=COLUMN_MAX_CHARS),
        default=list,
        db_default=[],
        blank=True,
        help_text="names of columns in its tables that customers are never told",
    )
    told_columns = ArrayField(
        models.CharField(max_length=COLUMN_MAX_CHARS),
        default=list,
        db_default=[],
        blank=True,
        help_text="names of columns that customers are told, though the names suggest otherwise",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # Its end, asked for by an admin: it is deleted DELETION_WAIT later, unless somebody cancels it
    # before. Once that has begun, nobody does.
    deletion_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    deletion_begun_at = models.DateTimeField(null=True, blank=True, editable=False)

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

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        """The time zone in which the tenant's people and customers count days; without a choice of
        theirs, the service's."""
        return zoneinfo.ZoneInfo(self.time_zone or settings.LOCAL_TIME_ZONE)

    @property
    def deleted_from(self) -> datetime | None:
        """The time at which the tenant is deleted for good; None if nobody asked for that."""
        return self.deletion_asked_at and self.deletion_asked_at + DELETION_WAIT
