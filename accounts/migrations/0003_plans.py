"""The four plans. Staff edit them afterwards; running this again changes nothing."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

PLANS: list[dict[str, Any]] = [
    {
        "slug": "free",
        "name": "Free",
        "max_documents": 25,
        "max_queries_per_month": 200,
        "max_connectors": 1,
        "schedule_frequencies": ["manual"],
        "max_requests_per_minute": 30,
        "max_pages_per_crawl": 25,
        "blocks_overage": True,
    },
    {
        "slug": "starter",
        "name": "Starter",
        "max_documents": 500,
        "max_queries_per_month": 5_000,
        "max_connectors": 3,
        "schedule_frequencies": ["manual", "weekly", "24h"],
        "max_requests_per_minute": 60,
        "max_pages_per_crawl": 100,
    },
    {
        "slug": "pro",
        "name": "Pro",
        "max_documents": 5_000,
        "max_queries_per_month": 50_000,
        "max_connectors": 10,
        "schedule_frequencies": ["manual", "weekly", "24h", "6h"],
        "max_requests_per_minute": 300,
        "max_pages_per_crawl": 500,
    },
    {
        "slug": "enterprise",
        "name": "Enterprise",
        "max_documents": None,
        "max_queries_per_month": None,
        "max_connectors": None,
        "schedule_frequencies": ["manual", "weekly", "24h", "6h", "1h"],
        "max_requests_per_minute": 3_000,
        "max_pages_per_crawl": 5_000,
    },
]


def seed_plans(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    plan_model = apps.get_model("accounts", "Plan")
    for plan in PLANS:
        plan_model.objects.get_or_create(slug=plan["slug"], defaults=plan)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_tenant_walls")]

    operations = [migrations.RunPython(seed_plans, migrations.RunPython.noop)]
