"""What our staff opened of a tenant to themselves: who, why, and until when."""

import datetime

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.utils import timezone

from config.database.declaring import ALL_TENANTS, OF_TENANTS, tenant_key, uuid_key

AN_HOUR = models.F("began_at") + datetime.timedelta(hours=1)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_erasures_and_log"),
    ]

    operations = [
        migrations.CreateModel(
            name="StaffAccess",
            fields=[
                ("id", uuid_key()),
                ("reason", models.CharField(max_length=300)),
                ("began_at", models.DateTimeField(default=timezone.now)),
                ("ends_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("tenant", tenant_key()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "staff accesses",
                "ordering": ["-began_at"],
                "abstract": False,
                "indexes": [
                    models.Index(fields=["user", "ends_at"], name="accounts_staffaccess_running")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=~models.Q(reason=""), name="accounts_staffaccess_reason"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(ends_at__lte=AN_HOUR),
                        name="accounts_staffaccess_an_hour",
                    ),
                ],
                **OF_TENANTS,
            },
            managers=ALL_TENANTS,
        ),
    ]
