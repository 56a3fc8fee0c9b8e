"""Programs that people let in. And the walls: what one of them was given in a tenant stands on a
membership of that tenant.
"""

import uuid

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
from django.db import migrations, models

TABLES = ("accounts_programaccess", "accounts_programcode")


def wall(table: str) -> migrations.RunSQL:
    name = f"{table}_membership_same_tenant"
    return migrations.RunSQL(
        f"""
        ALTER TABLE {table} ADD CONSTRAINT {name}
            FOREIGN KEY (tenant_id, membership_id)
            REFERENCES accounts_membership (tenant_id, id) ON DELETE CASCADE
        """,
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_activity"),
    ]

    operations = [
        migrations.CreateModel(
            name="Program",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("client_id", models.CharField(editable=False, max_length=500, unique=True)),
                ("name", models.CharField(help_text="as it calls itself", max_length=200)),
                ("redirect_uris", models.JSONField(default=list)),
                (
                    "client_uri",
                    models.CharField(blank=True, help_text="never fetched", max_length=500),
                ),
                (
                    "auth_method",
                    models.CharField(
                        choices=[
                            ("none", "None"),
                            ("client_secret_basic", "Basic"),
                            ("client_secret_post", "Post"),
                        ],
                        default="none",
                        max_length=20,
                    ),
                ),
                ("secret_hash", models.CharField(blank=True, editable=False, max_length=64)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "last_used_at",
                    models.DateTimeField(
                        blank=True, help_text="when it last got tokens", null=True
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [models.Index(fields=["created_at"], name="accounts_program_age")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "auth_method__in",
                                ["none", "client_secret_basic", "client_secret_post"],
                            )
                        ),
                        name="accounts_program_auth_method",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("auth_method", "none"), ("secret_hash", "")),
                            models.Q(
                                models.Q(("auth_method", "none"), _negated=True),
                                models.Q(("secret_hash", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="accounts_program_secret",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProgramAccess",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("scope", models.CharField(help_text="words of Scope", max_length=100)),
                ("resource", models.CharField(max_length=500)),
                ("refresh_jti", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                (
                    "last_used_at",
                    models.DateTimeField(blank=True, help_text="to the minute", null=True),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="programs",
                        to="accounts.membership",
                    ),
                ),
                (
                    "program",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="accesses",
                        to="accounts.program",
                    ),
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
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(fields=["expires_at"], name="accounts_programaccess_expires")
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ProgramCode",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("code_hash", models.CharField(editable=False, max_length=64)),
                ("redirect_uri", models.CharField(max_length=500)),
                ("scope", models.CharField(help_text="words of Scope", max_length=100)),
                ("resource", models.CharField(max_length=500)),
                (
                    "code_challenge",
                    models.CharField(editable=False, help_text="of method S256", max_length=128),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.membership",
                    ),
                ),
                (
                    "program",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="codes",
                        to="accounts.program",
                    ),
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
                "ordering": ["-created_at"],
                "abstract": False,
                "base_manager_name": "all_tenants",
                "default_manager_name": "all_tenants",
                "indexes": [
                    models.Index(fields=["code_hash"], name="accounts_programcode_hash"),
                    models.Index(fields=["expires_at"], name="accounts_programcode_expires"),
                ],
            },
            managers=[
                ("all_tenants", django.db.models.manager.Manager()),
            ],
        ),
        *map(wall, TABLES),
    ]
