"""Outside accounts, and sources that point to them. Kinds of sources are listed in
sources/connectors/registry.py alone, and what makes two the same is each kind's own."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

# No row can point into another tenant, whatever the code does.
WALL = "sources_source_connection_id_same_tenant"
BUILD_WALL = (
    f"ALTER TABLE sources_source ADD CONSTRAINT {WALL}"
    " FOREIGN KEY (tenant_id, connection_id) REFERENCES sources_connection (tenant_id, id)"
)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_invitations_and_walls"),
        ("sources", "0010_lanes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Connection",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "provider",
                    models.CharField(
                        help_text="a kind of sources/connectors/ or channels/surfaces/",
                        max_length=20,
                    ),
                ),
                (
                    "account",
                    models.CharField(
                        blank=True,
                        help_text="whose it is, to be shown: never a secret",
                        max_length=200,
                    ),
                ),
                ("encrypted_credentials", models.BinaryField()),
                (
                    "key_id",
                    models.CharField(
                        help_text="of the key that encrypts the credentials", max_length=16
                    ),
                ),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200),
                        blank=True,
                        default=list,
                        size=None,
                    ),
                ),
                (
                    "expires_at",
                    models.DateTimeField(
                        blank=True, help_text="null: they do not expire", null=True
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("connected", "Connected"),
                            ("reauth_required", "Reauth Required"),
                            ("revoked", "Revoked"),
                        ],
                        default="connected",
                        max_length=20,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        help_text="why it is not connected, and what to do",
                        max_length=500,
                    ),
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
                "ordering": ["provider", "account"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "id"), name="sources_connection_tenant_id"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["connected", "reauth_required", "revoked"])
                        ),
                        name="sources_connection_state",
                    ),
                ],
            },
            managers=[("all_tenants", django.db.models.manager.Manager())],
        ),
        migrations.AddField(
            model_name="source",
            name="connection",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="+",
                to="sources.connection",
            ),
        ),
        migrations.RunSQL(BUILD_WALL, f"ALTER TABLE sources_source DROP CONSTRAINT {WALL}"),
        migrations.RemoveConstraint(model_name="source", name="sources_source_type"),
        migrations.AlterField(
            model_name="source", name="source_type", field=models.CharField(max_length=20)
        ),
        migrations.RemoveConstraint(model_name="source", name="sources_source_normalized_url"),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("deleted_at", None), models.Q(("normalized_url", ""), _negated=True)
                ),
                fields=("tenant", "source_type", "normalized_url"),
                name="sources_source_identity",
            ),
        ),
    ]
