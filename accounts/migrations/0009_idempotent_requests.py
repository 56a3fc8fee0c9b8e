import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0008_programs"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("endpoint", models.CharField(help_text="method and route", max_length=100)),
                ("key_hash", models.CharField(editable=False, max_length=64)),
                ("fingerprint", models.CharField(editable=False, max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("holder_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "resource_id",
                    models.UUIDField(blank=True, help_text="what it has made so far", null=True),
                ),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "answer",
                    models.TextField(blank=True, editable=False, help_text="JSON, as it was sent"),
                ),
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
                "ordering": ["-id"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(fields=["created_at"], name="accounts_idempotentrequest_age")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "endpoint", "key_hash"),
                        name="accounts_idempotentrequest_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", None),
                            models.Q(("answer", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="accounts_idempotentrequest_answer",
                    ),
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
    ]
