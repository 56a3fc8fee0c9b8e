"""Runs wait in lanes, and a source says itself by which error its last run ended."""

from typing import Any

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models
from django.db.models import OuterRef, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce, Now

LANES = [("uploads", "Uploads"), ("background", "Background")]
FAILURES = ("sync_failed", "reauth_required")


def fill_error_codes(apps: Any, schema_editor: Any) -> None:
    """Of sources whose last run failed: the history knows by what."""
    sources = apps.get_model("sources", "Source").all_tenants
    failures = apps.get_model("sources", "SyncEvent").all_tenants.filter(
        source=OuterRef("pk"), action__in=FAILURES
    )
    code = failures.order_by("-created_at").values(code=KeyTextTransform("code", "details"))
    sources.filter(sync_status__in=["error", "reauth_required"]).update(
        error_code=Coalesce(Subquery(code[:1]), models.Value(""))
    )


def queue_runs(apps: Any, schema_editor: Any) -> None:
    """Those under way: nobody waits any more for an upload that was begun before the upgrade."""
    sources = apps.get_model("sources", "Source").all_tenants
    under_way = sources.filter(sync_run_id__isnull=False)
    under_way.update(sync_due_at=Now())
    under_way.filter(sync_worker_id=None).update(sync_lease_until=None)  # nobody has them


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_invitations_and_walls"),
        ("sources", "0009_generations"),
    ]

    operations = [
        migrations.AddField(
            "source",
            "error_code",
            models.CharField(
                blank=True,
                default="",
                editable=False,
                help_text="of the ServiceError that ended a run",
                max_length=40,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "source",
            "sync_lane",
            models.CharField(choices=LANES, default="background", editable=False, max_length=12),
        ),
        migrations.AddField(
            "source", "sync_due_at", models.DateTimeField(blank=True, editable=False, null=True)
        ),
        migrations.CreateModel(
            name="LaneTurn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("lane", models.CharField(choices=LANES, max_length=12)),
                ("taken_at", models.DateTimeField()),
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
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "lane"), name="sources_laneturn_lane")
                ],
            },
            managers=[("all_tenants", django.db.models.manager.Manager())],
        ),
        migrations.AddIndex(
            "source",
            models.Index(
                condition=models.Q(sync_run_id__isnull=False),
                fields=["sync_lane", "tenant", "sync_due_at"],
                name="sources_source_lane",
            ),
        ),
        migrations.RunPython(fill_error_codes, migrations.RunPython.noop),
        migrations.RunPython(queue_runs, migrations.RunPython.noop),
    ]
