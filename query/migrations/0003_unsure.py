"""Refusals of earlier versions showed passages and asserted nothing: they count as unsure."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_unsure(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("query", "Message").all_tenants.filter(outcome="refused").update(
        outcome="unsure"
    )


def name_refused(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("query", "Message").all_tenants.filter(outcome="unsure").update(
        outcome="refused"
    )


class Migration(migrations.Migration):
    dependencies = [("query", "0002_tenant_walls")]

    operations = [
        migrations.AlterField(
            model_name="message",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("answered", "Answered"),
                    ("unsure", "Unsure"),
                    ("redirected", "Redirected"),
                    ("small_talk", "Small Talk"),
                    ("contact_taken", "Contact Taken"),
                    ("failed", "Failed"),
                ],
                max_length=20,
            ),
        ),
        migrations.RunPython(name_unsure, name_refused),
    ]
