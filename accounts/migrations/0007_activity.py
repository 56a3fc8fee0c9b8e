"""What people did is written down once. The database itself keeps it: no row is ever changed, and
none is deleted but with its tenant, or when it is older than two years.

The foreign key to the tenant cascades inside PostgreSQL: by then the tenant's row is gone, which is
how the trigger tells a tenant's end from somebody who wipes out traces.
"""

import uuid

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
from django.db import migrations, models

KEEP = """
ALTER TABLE accounts_activityentry ADD CONSTRAINT accounts_activityentry_tenant
    FOREIGN KEY (tenant_id) REFERENCES accounts_tenant (id) ON DELETE CASCADE;
CREATE FUNCTION accounts_keep_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (
        OLD.created_at < now() - interval '2 years'
        OR NOT EXISTS (SELECT FROM accounts_tenant WHERE id = OLD.tenant_id)
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'what is in accounts_activityentry stays as it is'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER accounts_keep_activity BEFORE UPDATE OR DELETE ON accounts_activityentry
FOR EACH ROW EXECUTE FUNCTION accounts_keep_activity();
"""
LET_GO = """
DROP TRIGGER accounts_keep_activity ON accounts_activityentry;
DROP FUNCTION accounts_keep_activity();
ALTER TABLE accounts_activityentry DROP CONSTRAINT accounts_activityentry_tenant;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0006_sessions_tell_devices"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="deletion_asked_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="tenant",
            name="deletion_begun_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name="ActivityEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "person_id",
                    models.UUIDField(
                        blank=True, help_text="of the User, also a former one", null=True
                    ),
                ),
                (
                    "actor",
                    models.CharField(
                        help_text="an e-mail address, a token's name, staff or service",
                        max_length=254,
                    ),
                ),
                ("action", models.CharField(max_length=40)),
                ("target_kind", models.CharField(blank=True, max_length=20)),
                ("target_id", models.CharField(blank=True, max_length=40)),
                ("target_name", models.CharField(blank=True, max_length=500)),
                ("details", models.JSONField(default=dict, help_text="never a secret")),
                ("address", models.CharField(blank=True, max_length=50)),
                ("user_agent", models.CharField(blank=True, max_length=300)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "activity entries",
                "ordering": ["-id"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(fields=["tenant", "-id"], name="accounts_activity_recent"),
                    models.Index(fields=["tenant", "actor", "-id"], name="accounts_activity_actor"),
                    models.Index(
                        fields=["tenant", "action", "-id"], name="accounts_activity_action"
                    ),
                    models.Index(fields=["created_at"], name="accounts_activity_age"),
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="WorkspaceExport",
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
                ("asked_by", models.CharField(help_text="as in ActivityEntry", max_length=254)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("done_count", models.PositiveIntegerField(default=0)),
                (
                    "total_count",
                    models.PositiveIntegerField(
                        default=0, help_text="rows and files; 0: not counted"
                    ),
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
                (
                    "archive",
                    models.CharField(
                        blank=True, editable=False, help_text="storage key", max_length=200
                    ),
                ),
                ("size_bytes", models.PositiveBigIntegerField(default=0)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
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
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["waiting", "working"])),
                        fields=["lease_until"],
                        name="accounts_workspaceexport_due",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "working"])),
                        fields=("tenant",),
                        name="accounts_workspaceexport_one",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["waiting", "working", "ready", "failed"])
                        ),
                        name="accounts_workspaceexport_state",
                    ),
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(KEEP, LET_GO),
    ]
