"""How much a tenant uses of its plan, and who its invoices go to."""

import uuid

from django.db import models

from accounts.models.tenancy import TenantModel
from accounts.models.tenants import NAME_MAX_CHARS
from config.export import Exported
from config.security.personal import COMPANYS_OWN


class CompanyProfile(TenantModel):
    """The addressee of invoices. A tenant has one, or none yet."""

    exported = Exported(
        "company",
        ("legal_name", "tax_id", "address", "city", "postal_code", "country", "billing_email"),
    )

    personal = COMPANYS_OWN

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    legal_name = models.CharField(max_length=NAME_MAX_CHARS)
    tax_id = models.CharField(max_length=40)
    address = models.CharField(max_length=NAME_MAX_CHARS)
    city = models.CharField(max_length=100)
    postal_code = models.CharField(max_length=20)
    country = models.CharField(max_length=2, help_text="ISO 3166-1 alpha-2")
    billing_email = models.EmailField(max_length=254)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(TenantModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant"], name="accounts_companyprofile_unique")
        ]

    def __str__(self) -> str:
        return self.legal_name


class UsageCounter(TenantModel):
    """The use of one thing by a tenant in a calendar month (UTC).

    Queries: how many were answered, and how many of those over the plan's limit. Documents and
    passages: the most that were kept at once, and the most over the limit. `overage` is what gets
    billed.
    """

    exported = Exported("usage", ("period_start", "metric", "used", "overage"))

    class Metric(models.TextChoices):
        QUERIES = "queries"
        DOCUMENTS = "documents"
        PASSAGES = "passages"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    metric = models.CharField(max_length=20, choices=Metric)
    period_start = models.DateField()
    used = models.PositiveIntegerField(default=0)
    overage = models.PositiveIntegerField(default=0)

    class Meta(TenantModel.Meta):
        ordering = ["-period_start", "metric"]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "metric", "period_start"], name="accounts_usagecounter_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.period_start:%Y-%m}: {self.used}"
