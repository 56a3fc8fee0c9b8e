"""What is held of a person is found by an index; and archives of it, which a worker makes.

The indexes are built at once: the largest, of the activity log, takes about a second a million
entries, in which nothing is added to it.
"""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

# Of the log of Django's admin, by whose account it tells of. The table is Django's.
INDEX_OF_STAFF_ACTIONS = """
CREATE INDEX accounts_staff_actions_about ON django_admin_log (object_id)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_told_columns"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.CreateModel(
            name="PersonExport",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("working", "Working"),
                            ("ready", "Ready"),
                            ("failed", "Failed"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("done_count", models.PositiveIntegerField(default=0)),
                (
                    "total_count",
                    models.PositiveIntegerField(default=0, help_text="rows; 0: not counted"),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("gave_up", "Gave Up"),
                            ("too_large", "Too Large"),
                            ("no_storage", "No Storage"),
                        ],
                        max_length=20,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("worker_id", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("archive", models.BinaryField(default=b"")),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.AddIndex(
            model_name="activityentry",
            index=models.Index(
                condition=models.Q(("person_id__isnull", False)),
                fields=["person_id"],
                name="accounts_activity_person",
            ),
        ),
        migrations.AddIndex(
            model_name="activityentry",
            index=models.Index(
                condition=models.Q(("target_kind", "membership")),
                fields=["target_name"],
                name="accounts_activity_about",
            ),
        ),
        migrations.AddIndex(
            model_name="outgoingmail",
            index=models.Index(fields=["recipient"], name="accounts_outgoingmail_to"),
        ),
        migrations.AddIndex(
            model_name="workspaceexport",
            index=models.Index(fields=["asked_by"], name="accounts_workspaceexport_asker"),
        ),
        migrations.AddField(
            model_name="personexport",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="exports",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="personexport",
            index=models.Index(
                condition=models.Q(("state__in", ("waiting", "working"))),
                fields=["created_at"],
                name="accounts_personexport_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="personexport",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("waiting", "working"))),
                fields=("user",),
                name="accounts_personexport_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="personexport",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "working")),
                fields=("state",),
                name="accounts_personexport_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="personexport",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["waiting", "working", "ready", "failed"])),
                name="accounts_personexport_state",
            ),
        ),
        migrations.RunSQL(INDEX_OF_STAFF_ACTIONS, "DROP INDEX accounts_staff_actions_about"),
    ]
