"""Questions that a company's people answered themselves."""

import uuid

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_sessions_tell_devices"),
        ("sources", "0011_connections"),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("question", models.CharField(max_length=400)),
                ("answer", models.TextField(max_length=4000)),
                (
                    "created_by",
                    models.EmailField(help_text="outlives the person's membership", max_length=254),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ["-created_at", "-id"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(
                        fields=["tenant", "-created_at", "-id"], name="sources_entry_recent"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id"), name="sources_entry_tenant_id")
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
    ]
